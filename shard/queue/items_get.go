package queue

import (
	"errors"
	"slices"

	"beanfield/storage"
)

// getStep is how far a get has come. Each step may take several turns.
type getStep uint8

const (
	finding getStep = iota // items are gathered into Ask.Found
	taking                 // those that are still ready are ended; all bodies are there
)

// visiting is what it costs to look at an item and its tags.
const visiting = 2 * looking

// get finds items and, with Take, ends them for all groups, even while the tube is paused.
// Items whose bodies are away are taken after their bodies have been read, if they are
// still ready then: once a job has ended, the log no longer has its body.
func (s *State) get(b *Batch, op *Op) Status {
	a := op.Ask
	if a.Wait {
		s.tubeNamed([]byte(a.Queue))
	}
	v := s.serving(a)
	if v == nil {
		return Empty
	}
	defer s.served(v)
	return s.runGet(v, b, a)
}

func (s *State) runGet(v *service, b *Batch, a *Ask) Status {
	if !s.whole(v) {
		return More
	}
	if a.Found == nil {
		a.Found = &DeliveryBatch{}
	}
	for {
		if a.step == finding {
			whole := s.gather(v, b, a)
			v.index.gets.goesOn(a, !whole)
			if !whole {
				return More
			}
			if len(a.Found.Items) == 0 {
				return s.nothing(v, a)
			}
			a.step = taking
			if a.Found.away > 0 {
				if !a.Take {
					s.getEnds(v, a)
				}
				b.lacking = true
				return OK
			}
		}
		if !a.Take {
			s.getEnds(v, a)
			return OK
		}
		if !s.takeFound(v, a) {
			return More
		}
		if len(a.Found.Items) > 0 {
			s.getEnds(v, a)
			return OK
		}
		a.restart() // others were faster
	}
}

// nothing ends a get that has found nothing.
func (s *State) nothing(v *service, a *Ask) Status {
	s.getEnds(v, a)
	if !a.Wait {
		return Empty
	}
	v.index.gets.wait(a)
	return Waiting
}

// getEnds notes that a get, which may have been called, has come back.
func (s *State) getEnds(v *service, a *Ask) {
	a.restart()
	if a.Getter != nil {
		g := &v.index.gets
		g.again(s, v.tube, g.returned(a.Getter))
	}
}

// unget withdraws a get that waits, or has been called.
func (s *State) unget(_ *Batch, op *Op) Status {
	t := s.tubes[op.Ask.Queue]
	if t == nil || t.service == nil {
		return OK
	}
	g := &t.service.index.gets
	g.again(s, t, g.returned(op.Ask.Getter))
	s.letGo(t)
	return OK
}

// restart lets an operation begin anew, the next time.
func (a *Ask) restart() { a.step, a.begun, a.from, a.at = finding, false, 0, 0 }

// start is the first id that a get may find.
func (a *Ask) start() uint64 {
	if a.Index == NewestIndex {
		return 0
	}
	return a.Index
}

// gather puts what a get asks for into its delivery batch. It reports false if it must go on in
// another turn.
func (s *State) gather(v *service, b *Batch, a *Ask) bool {
	f := v.index
	if !a.begun {
		a.Found.Reset()
		a.Cut = false
		a.begun, a.from = true, a.Index
		if id, ok := a.Tags.Get(TagRequest); ok && a.Index != NewestIndex {
			var list [ringMost]uint32
			if slots, all := f.requests.ring(s, id, list[:0]); all {
				for i := 0; i < len(slots) && !a.full(b); i++ {
					s.spend(visiting)
					s.consider(b, a, slots[i])
				}
				return true
			}
		}
	}
	if a.Index == NewestIndex {
		return s.gatherBack(f, b, a)
	}
	return a.full(b) || v.walk(s, &a.from, visiting, func(slot uint32) bool {
		s.consider(b, a, slot)
		return !a.full(b)
	})
}

// gatherBack goes backwards from the newest item, for a get that asks for the newest.
func (s *State) gatherBack(f *itemIndex, b *Batch, a *Ask) bool {
	for at := f.order.back(f.order.seek(a.from)); !a.full(b); at = f.order.back(at) {
		slot := f.order.at(at)
		if slot == 0 {
			break
		}
		if !s.step(visiting) {
			return false
		}
		a.from = s.job(slot).id()
		s.consider(b, a, slot)
	}
	slices.Reverse(a.Found.Items)
	return true
}

// full says that a get has found enough for one answer.
func (a *Ask) full(b *Batch) bool {
	if len(a.Found.Items) == 0 || len(a.Found.Items) >= a.Length {
		return len(a.Found.Items) > 0
	}
	a.Cut = b.volume > maxVolume
	return a.Cut
}

// consider puts an item into a get's answer if the get asks for it.
func (s *State) consider(b *Batch, a *Ask, slot uint32) {
	j := s.job(slot)
	if j.id() < a.start() || !visible(j, a.Take) || !s.tagsOf(slot).Has(a.Tags) {
		return
	}
	s.spend(moving / 2)
	s.pack(a.Found, slot, true)
	b.volume += int(j.size)
}

// visible says whether a get may find a job: to take it, or only to look at it.
func visible(j *job, taking bool) bool {
	if taking {
		return j.state() == Ready
	}
	return j.state() != Delayed
}

// takeFound ends the items that were found, and leaves out those that are no longer ready.
// It reports false if it must go on in another turn.
func (s *State) takeFound(v *service, a *Ask) bool {
	p := a.Found
	if a.begun {
		a.begun, a.at, a.kept = false, 0, 0
	}
	for ; a.at < len(p.Items); a.at++ {
		if !s.step(moving) {
			return false
		}
		it := p.Items[a.at]
		slot := s.jobIn(v.tube, it.Index)
		if slot == 0 || s.job(slot).state() != Ready {
			continue
		}
		s.endForAll(slot)
		p.Items[a.kept] = it
		a.kept++
	}
	clear(p.Items[a.kept:])
	p.Items = p.Items[:a.kept]
	return true
}

// supplyGet completes a get with the bodies that its items lack, or fails
// it because the log has failed. An item without a body is left out: either it has
// been deleted meanwhile, or nobody can read it. A get that takes is given back
// to the batch, to take the items that are still ready; so is a get that has no item
// left.
func (b *Batch) supplyGet(op *Op, read Reader) (damaged []uint64) {
	a, failed := op.Ask, false
	a.Found.fill(read, func(id uint64, err error) {
		if errors.Is(err, storage.ErrUnreadable) {
			damaged = append(damaged, id)
		} else {
			failed = failed || !errors.Is(err, storage.ErrNoBody)
		}
	})
	switch {
	case failed || len(a.Found.Items) == 0 && op.phase >= fetchTries:
		a.restart()
		op.Status = Failed
		return damaged
	case len(a.Found.Items) == 0:
		a.restart()
		op.phase++
	case !a.Take:
		return damaged
	}
	b.Next--
	return damaged
}
