package queue

import (
	"container/heap"
	"slices"

	"beanfield/shard/queue/cells"
)

// A reserve of several jobs takes the best ones, one after the other, as as many reserves would; all
// of them are one answer. If all watched tubes are in one shard, ReserveSeveral does it. Otherwise
// the router asks each shard what it offers, finds out which jobs are the best of all, and claims
// these.

// BatchBytes bounds the bodies of one answer: a job that would exceed it is not taken, unless it is
// the first.
const BatchBytes = maxVolume

// Taken is a job in Batch.Taken: reserved, or only offered.
type Taken struct {
	ID, Tag   uint64 // the tag: in a fair scheduler
	Pri, Size uint32
	From, To  uint32 // of a small body, in Batch.Bytes
	Large     [][]byte
	About     *About
}

// reserveSeveral takes up to op.Limit jobs. A claim takes only those up to (op.Pri, op.ID), or in a fair scheduler
// up to op.Ticket and these, and no more than op.Size bytes. It goes on in later turns if that is too much for one.
func (s *State) reserveSeveral(b *Batch, op *Op) {
	c, claims := b.contender(), op.Kind == ClaimSeveral
	if op.Count == 0 {
		op.From = uint32(len(b.Taken))
		if !claims {
			op.Size = BatchBytes
		}
	}
	for op.Count < op.Limit {
		if op.Count > 0 && s.spent() {
			op.Status = More
			return
		}
		t, done := s.seekWished(c, op)
		if !done {
			op.Status = More
			return
		}
		if t == nil || !s.within(op, c, t) || !s.takeAlso(b, op, t) {
			break
		}
		if b.lacking {
			break
		}
	}
	op.To = uint32(len(b.Taken))
	soonest := c.soonest()
	switch {
	case op.Count > 0:
		op.Status = OK
	case claims:
		op.Status = Empty
	case soonest != 0 && s.now >= soonest-Margin:
		op.Status = DeadlineSoon
	case op.Poll:
		op.Status = TimedOut
	default:
		op.Status = Waiting
		s.wait(c, c.Waiter.Arm())
	}
}

// worst is the standing of the worst job that a claim is to take.
func (op *Op) worst() standing { return standing{op.Ticket, readyKey(op.Pri, op.ID, 0)} }

// takeAlso reserves the best job of t as a part of the answer to op. It reports false if there is no
// room for its body. One whose body is not in memory makes an answer of its own, because others wait
// while it is read.
func (s *State) takeAlso(b *Batch, op *Op, t *tube) bool {
	slot := b.Client.fitting(t).Top().Slot
	j := s.job(slot)
	first := op.Count == 0
	if j.size > op.Size && !(first && op.Kind == ReserveSeveral) || j.away() && !first {
		return false
	}
	s.spend(moving)
	k := Taken{ID: j.id(), Tag: b.Client.look(t), Pri: s.agedPri(t, slot), Size: j.size, From: uint32(len(b.Bytes))}
	b.Client.charge(t)
	s.unready(slot)
	s.hold(b.Client, slot)
	k.About = s.about(b.Client, slot)
	j = s.job(slot)
	if first {
		op.Tube = t.name
	}
	op.Count++
	op.Size -= min(op.Size, j.size)
	b.volume += int(j.size)
	if j.away() {
		op.ID, op.Size, op.Parts, b.lacking = k.ID, k.Size, nil, true
	} else {
		var small []byte
		small, k.Large = s.bodies.Get(j.body, j.size)
		b.Bytes = append(op.roomFor(b.Bytes, len(small)), small...)
	}
	k.To = uint32(len(b.Bytes))
	b.Taken = append(b.Taken, k)
	return true
}

// roomFor makes room for a small body and, if there is none, for as many more as may follow: bodies are often
// equally long, and to grow again and again would copy all.
func (op *Op) roomFor(bytes []byte, n int) []byte {
	if cap(bytes)-len(bytes) >= n {
		return bytes
	}
	more := min(int(op.Limit-op.Count)*n, int(op.Size))
	return slices.Grow(bytes, n+more)
}

// frontier are the places in tubes' heaps that are still to be looked at, the best first.
type frontier []spot

type spot struct {
	cells.Entry
	heap *cells.Heap
	at   uint32
}

// Len and the others implement heap.Interface, of which only Fix is used: it allocates nothing.
func (f *frontier) Len() int           { return len(*f) }
func (f *frontier) Less(i, j int) bool { return (*f)[i].Before((*f)[j].Entry) }
func (f *frontier) Swap(i, j int)      { (*f)[i], (*f)[j] = (*f)[j], (*f)[i] }
func (f *frontier) Push(any)           { panic("not used") }
func (f *frontier) Pop() any           { panic("not used") }

func (f *frontier) add(h *cells.Heap, at uint32) {
	if at < h.N {
		*f = append(*f, spot{*h.At(at), h, at})
		heap.Fix(f, len(*f)-1)
	}
}

// next takes the best place out, and puts those behind it in.
func (f *frontier) next() spot {
	best, last := (*f)[0], len(*f)-1
	f.Swap(0, last)
	if *f = (*f)[:last]; last > 0 {
		heap.Fix(f, 0)
	}
	for k := range uint32(4) {
		f.add(best.heap, 4*best.at+1+k)
	}
	return best
}

// offerSeveral lists the jobs that a reserve of op.Limit would take; it binds nobody. A client of many
// tubes is offered the best job only, and told so (op.Poll).
func (s *State) offerSeveral(b *Batch, op *Op) {
	c := b.contender()
	if !s.asks(c, op) {
		op.Status = More
		return
	}
	if c.many == nil && (c.fair != nil || slices.ContainsFunc(c.watched, (*tube).policed)) {
		s.offerByTubes(b, op)
		return
	}
	var tag uint64
	f := s.frontier[:0]
	if op.From = uint32(len(b.Taken)); c.many != nil {
		t, done := s.seek(c)
		if !done {
			op.Status = More
			return
		}
		if op.Poll = true; t != nil {
			tag = c.look(t)
			f.add(c.fitting(t), 0)
		}
	}
	for _, t := range c.watched {
		s.spend(looking)
		if c.offered(t) {
			f.add(c.fitting(t), 0)
		}
	}
	for n, bytes := uint32(0), 0; n < op.Limit && len(f) > 0 && bytes <= BatchBytes; n++ {
		s.spend(summing)
		slot := f.next().Slot
		j := s.job(slot)
		b.Taken = append(b.Taken, Taken{ID: j.id(), Tag: tag, Pri: s.agedPri(s.tubeOf(j), slot),
			Size: j.size})
		if bytes += int(j.size); op.Poll {
			break
		}
	}
	s.frontier = f[:0]
	op.To, op.Status = uint32(len(b.Taken)), OK
}
