package queue

import (
	"container/heap"
	"slices"

	"beanfield/shard/queue/cells"
)

// reserve is the whole command when all watched tubes are in this shard: it
// hands out the best job, or refuses, or registers the client as a waiter.
func (s *State) reserve(b *Batch, op *Op) Status {
	t, done := s.seekWished(b, op)
	switch {
	case !done:
		return More
	case t != nil:
		return s.take(b, op, t)
	}
	return s.nothingFor(b.Client, op)
}

// nothingFor refuses a reserve that has found nothing, or registers the client as a waiter.
func (s *State) nothingFor(c *Client, op *Op) Status {
	switch soonest := c.soonest(); {
	case soonest != 0 && s.now >= soonest-Margin:
		return DeadlineSoon
	case op.Poll:
		return TimedOut
	}
	s.wait(c, c.Waiter.Arm())
	return Waiting
}

// take reserves the best job of t as the answer to op.
func (s *State) take(b *Batch, op *Op, t *tube) Status {
	s.show(b, op, s.handOver(b.Client, t))
	op.Tube = t.name
	return OK
}

// handOver gives a client the best job of t.
func (s *State) handOver(c *Client, t *tube) (slot uint32) {
	c.charge(t)
	slot = c.fitting(t).Top().Slot
	s.unready(slot)
	s.hold(c, slot)
	return slot
}

// Package router tells how Offer, Claim, Wait and Withdraw work together.

// offer shows the best job, and binds nobody.
func (s *State) offer(b *Batch, op *Op) Status {
	t, done := s.seekWished(b, op)
	switch {
	case !done:
		return More
	case t == nil:
		return Empty
	}
	at := s.standing(b.Client, t)
	op.Tag, op.Pri, op.ID = at.tag, uint32(at.top.Major>>32), at.top.Major<<32|uint64(at.top.Minor)
	return OK
}

// claim takes the best job, which may by now be another than was offered.
func (s *State) claim(b *Batch, op *Op) Status {
	t, done := s.seekWished(b, op)
	switch {
	case !done:
		return More
	case t == nil:
		return Empty
	}
	return s.take(b, op, t)
}

// waitFor registers the client with a ticket that the router has drawn for
// several shards. A job that has come since the offers is delivered at once,
// through the gate like any other. One whose wait is over takes no place: the shard
// may have looked for those who have left already, and would count it as waiting.
func (s *State) waitFor(b *Batch, op *Op) Status {
	t, done := s.seekWished(b, op)
	switch c := b.Client; {
	case !done:
		return More
	case t != nil && c.Waiter.Claim(b.Ticket):
		s.deliver(c, t)
	case t == nil && c.Waiter.Waits(b.Ticket):
		s.wait(c, b.Ticket)
	}
	return Waiting
}

func (s *State) withdraw(b *Batch, _ *Op) Status {
	s.sweep()
	if b.Client.ticket == b.Ticket {
		s.unwait(b.Client)
	}
	return OK
}

// askSoonest is for the answer that each batch has.
func (s *State) askSoonest(*Batch, *Op) Status { return OK }

// reserveJob takes one job by its id, wherever it is, unless it is reserved.
func (s *State) reserveJob(b *Batch, op *Op) Status {
	slot, status := s.jobFor(b, op)
	if slot == 0 {
		return status
	}
	if s.job(slot).state() == Reserved {
		return NotFound
	}
	s.unplace(slot)
	s.hold(b.Client, slot)
	s.show(b, op, slot)
	s.seen(slot)
	return OK
}

// bestTube is the watched, open tube with the smallest (priority, id), or whose turn it is, of a
// client that watches few tubes.
func (s *State) bestTube(c *Client) *tube {
	if c.fair != nil || c.tagIndex() != nil {
		return s.winner(c)
	}
	var best *tube
	for _, t := range c.watched {
		if t.offers() && (best == nil || s.head(t).Before(s.head(best))) {
			best = t
		}
	}
	return best
}

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

// reserveSeveral takes up to op.Limit jobs. A claim takes only those up to the worst that it names, and
// no more bytes than it says. It goes on in later turns if that is too much for one.
func (s *State) reserveSeveral(b *Batch, op *Op) Status {
	claims := op.Kind == ClaimSeveral
	if op.Count == 0 {
		op.From, op.Size = uint32(len(b.Taken)), 0
	}
	for op.Count < op.Limit && !b.lacking {
		if op.Count > 0 && s.spent() {
			return More
		}
		t, done := s.seekWished(b, op)
		if !done {
			return More
		}
		if t == nil || claims && !s.within(op.Several, b.Client, t) || !s.takeAlso(b, op, t) {
			break
		}
	}
	switch {
	case op.Count > 0:
		return OK
	case claims:
		return Empty
	}
	return s.nothingFor(b.Client, op)
}

// worst is the standing of the worst job that a claim is to take.
func (v *Several) worst() standing { return standing{v.Tag, readyKey(v.Pri, v.ID, 0)} }

// takeAlso reserves the best job of t as a part of the answer to op. It reports false if there is no
// room for its body. One whose body is not in memory makes an answer of its own, because others wait
// while it is read.
func (s *State) takeAlso(b *Batch, op *Op, t *tube) bool {
	slot, room := b.Client.fitting(t).Top().Slot, BatchBytes
	j := s.job(slot)
	first := op.Count == 0
	if op.Several != nil {
		room = int(op.Several.Room)
	}
	if room -= int(op.Size); int(j.size) > room && !(first && op.Kind == ReserveSeveral) || j.away() && !first {
		return false
	}
	s.spend(moving)
	k := Taken{ID: j.id(), Tag: b.Client.look(t), Pri: s.agedPri(t, slot), Size: j.size, From: uint32(len(b.Bytes))}
	s.handOver(b.Client, t)
	k.About = s.about(b.Client, slot)
	if first {
		op.Tube = t.name
	}
	op.Count++
	op.Size += j.size
	b.volume += int(j.size)
	if j.away() {
		op.ID, op.Parts, b.lacking = k.ID, nil, true
	} else {
		var small []byte
		small, k.Large = s.bodies.Get(j.body, j.size)
		if n := len(small); cap(b.Bytes)-len(b.Bytes) < n {
			// for as many more as may follow: bodies are often equally long, and to grow again and again would copy all
			b.Bytes = slices.Grow(b.Bytes, n+min(int(op.Limit-op.Count)*n, max(0, room-n)))
		}
		b.Bytes = append(b.Bytes, small...)
	}
	k.To = uint32(len(b.Bytes))
	b.Taken = append(b.Taken, k)
	return true
}

// best is a heap, with which package container/heap works: it allocates nothing, since only Init and Fix are used.
type best[T interface{ Before(T) bool }] []T

// Len and the others implement heap.Interface.
func (f best[T]) Len() int           { return len(f) }
func (f best[T]) Less(i, j int) bool { return f[i].Before(f[j]) }
func (f best[T]) Swap(i, j int)      { f[i], f[j] = f[j], f[i] }
func (best[T]) Push(any)             { panic("not used") }
func (best[T]) Pop() any             { panic("not used") }

// frontier are the places in a heap that are still to be looked at, the best first.
type frontier struct{ best[spot] }

type spot struct {
	cells.Entry
	at uint32
}

// Before says which place comes first.
func (p spot) Before(o spot) bool { return p.Entry.Before(o.Entry) }

func (f *frontier) add(h *cells.Heap, at uint32) {
	if at < h.N {
		f.best = append(f.best, spot{*h.At(at), at})
		heap.Fix(f, len(f.best)-1)
	}
}

// next takes the best place out, and puts those behind it in.
func (f *frontier) next(h *cells.Heap) spot {
	first, last := f.best[0], len(f.best)-1
	f.Swap(0, last)
	if f.best = f.best[:last]; last > 0 {
		heap.Fix(f, 0)
	}
	for k := range uint32(4) {
		f.add(h, 4*first.at+1+k)
	}
	return first
}

// lane is a tube whose jobs are offered by turns: what it has for the client, and its tag in a fair scheduler.
type lane struct {
	standing
	frontier
	tube  *tube
	jobs  *cells.Heap
	price uint64
	left  uint32 // how many its policy lets go
}

// Before says whose turn comes first.
func (l *lane) Before(o *lane) bool { return l.standing.before(o.standing) }

// lanes has the one whose turn it is first. Behind its end are lanes to be used again.
type lanes struct{ best[*lane] }

// add adds the lane of a tube that has a job for a client.
func (f *lanes) add(s *State, c *Client, t *tube, most uint32) {
	n := len(f.best)
	if n == cap(f.best) {
		f.best = append(f.best, new(lane))
	}
	f.best = f.best[:n+1]
	if f.best[n] == nil {
		f.best[n] = new(lane)
	}
	l := f.best[n]
	*l = lane{
		standing: s.standing(c, t), frontier: frontier{l.best[:0]},
		tube: t, jobs: c.fitting(t), left: t.left(s.now, most),
	}
	if c.fair != nil {
		l.price = t.price()
	}
	l.frontier.add(l.jobs, 0)
}

// next takes the next job out of the lane whose turn it is, and the lane as well if that was its last one.
func (f *lanes) next(s *State) Taken {
	l := f.best[0]
	slot := l.frontier.next(l.jobs).Slot
	k := Taken{ID: s.job(slot).id(), Tag: l.tag, Pri: s.agedPri(l.tube, slot), Size: s.job(slot).size}
	l.tag += l.price
	if l.left--; l.left > 0 && len(l.frontier.best) > 0 {
		l.top = s.compared(l.tube, l.frontier.best[0].Slot)
	} else {
		last := len(f.best) - 1
		f.Swap(0, last)
		f.best = f.best[:last]
	}
	if len(f.best) > 0 {
		heap.Fix(f, 0)
	}
	return k
}

// offerSeveral lists the jobs that a reserve of op.Limit would take; it binds nobody. A client of many
// tubes is offered the best job only, and told so.
func (s *State) offerSeveral(b *Batch, op *Op) Status {
	c, most := b.contender(), op.Limit
	if !s.asks(c, op) {
		return More
	}
	f := &s.lanes
	f.best = f.best[:0]
	if c.many != nil {
		t, done := s.seek(c)
		if !done {
			return More
		}
		op.Partial, most = true, min(most, 1)
		if t != nil {
			f.add(s, c, t, most)
		}
	}
	for _, t := range c.watched {
		s.spend(looking)
		if c.look(t); c.offered(t) {
			f.add(s, c, t, most)
		}
	}
	heap.Init(f)
	op.From = uint32(len(b.Taken))
	for bytes := 0; op.Count < most && len(f.best) > 0 && bytes <= BatchBytes; op.Count++ {
		s.spend(summing)
		k := f.next(s)
		bytes += int(k.Size)
		b.Taken = append(b.Taken, k)
	}
	return OK
}
