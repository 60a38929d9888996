package router

import (
	"fmt"

	"beanfield/shard/queue"
)

// hire makes the queue service a part of a simulation.
func (s *simulation) hire() {
	pick := func(n int) int64 { return int64(s.rnd.IntN(n)) * 1e9 }
	l := &queue.Limits{
		MaxDelivery: []int{0, 2, 3}[s.rnd.IntN(3)], MaxIdle: pick(3), Leaving: 1e9/2 + pick(3),
		MaxLength: []int{0, 0, 12}[s.rnd.IntN(3)], AutoEvict: s.rnd.IntN(2) == 0, MaxUnsent: []int{0, 0, 100}[s.rnd.IntN(3)],
		DeadLetter: []queue.Fate{queue.FateRear, queue.FateRear, queue.FateDrop, queue.FateBury}[s.rnd.IntN(4)],
	}
	c := newCrew(s.bed, l, s.note, s.fatalf)
	c.s = s
	for _, tube := range s.tubes[:1+s.rnd.IntN(len(s.tubes))] {
		c.tubes = append(c.tubes, tube, tube+queue.RearSuffix)
	}
	s.crew = c
	for _, p := range s.policies {
		p.MaxReserved = 0 // gets and filtered consumers would wait for what is there
	}
}

// act lets somebody of the crew do something.
func (c *crew) act() {
	rnd := c.s.rnd
	k := &conn{queue: c.tubes[rnd.IntN(len(c.tubes))], group: []string{"g", "h", "i"}[rnd.IntN(3)], user: []string{"a", "b"}[rnd.IntN(2)]}
	if all := c.users(); len(all) > 0 && rnd.IntN(3) > 0 {
		k = all[rnd.IntN(len(all))]
	}
	k.crew = c
	switch n := rnd.IntN(40); {
	case n < 6:
		c.putItem(k.queue)
	case n < 12:
		c.watch(k)
	case n < 14:
		c.leave(k)
	case n < 24:
		c.commit(k)
	case n < 28:
		c.refuse(k)
	case n < 32:
		k.report()
	case n < 36:
		c.get(k)
	case n < 37:
		c.endSome(k)
	case n < 38 && rnd.IntN(4) == 0:
		c.s.note("group %s of %s is removed", k.group, k.queue)
		c.submit(k.say(queue.AskDropGroup), queue.Op{}, nil)
	default:
		c.retry()
	}
}

func (c *crew) tags() queue.Tags {
	switch c.s.rnd.IntN(4) {
	case 0:
		return queue.MakeTags(map[string]string{"k": "v"})
	case 1:
		return queue.MakeTags(map[string]string{queue.TagRequest: fmt.Sprint(c.s.rnd.IntN(3))})
	}
	return nil
}

func (c *crew) putItem(name string) {
	s := c.s
	r := s.bed.r
	id := r.ids.begin(r.TubeShard([]byte(name)))
	a := &queue.Ask{What: queue.AskPut, Queue: name, Tags: c.tags()}
	body := fmt.Appendf(nil, "job %d", id)
	s.note("item %d is put into %s", id, name)
	s.under[id] = true
	ttr := (c.limits.MaxIdle + 1e9 - 1) / 1e9 * 1e9
	c.l.announce(entry{id: id, queue: name, tags: a.Tags, ttr: ttr})
	c.submit(a, queue.Op{ID: id, Data: body, Size: uint32(len(body)), Pri: uint32(s.rnd.IntN(4))}, func(op *queue.Op) {
		delete(s.under, id)
		if op.Status != queue.OK {
			if op.Status != queue.TooLong || c.limits.MaxLength == 0 && !s.limited {
				s.fatalf("item %d: status %d", id, op.Status)
			}
			if _, known := r.Owner(id); known { // otherwise the shard has ended it
				r.EndID(id)
			}
		}
	})
}

func (c *crew) watch(k *conn) {
	rnd := c.s.rnd
	next := &conn{queue: k.queue, group: k.group, user: k.user, indexOnly: rnd.IntN(4) == 0}
	a := next.say(queue.AskWatch)
	a.Window, a.IndexOnly, a.AutoCommit = rnd.IntN(5), next.indexOnly, rnd.IntN(6) == 0
	switch rnd.IntN(6) {
	case 0:
		a.Index = queue.NewestIndex
	case 1:
		a.Index = rnd.Uint64N(c.s.bed.r.ids.last.Load() + 2)
	}
	if rnd.IntN(4) == 0 {
		a.Tags = queue.MakeTags(map[string]string{"k": "v"})
	}
	c.s.note("%v watches from %d, window %d, auto-commit %t, %d bytes of tags", next, a.Index, a.Window, a.AutoCommit, len(a.Tags))
	c.connect(next, a)
}

// some picks indexes: of what a connection was sent, of others, and unknown ones.
func (c *crew) some(k *conn) (ids []uint64) {
	rnd := c.s.rnd
	for len(k.heard) > 0 && len(ids) < 4 && rnd.IntN(4) > 0 {
		ids = append(ids, k.heard[0])
		k.heard = k.heard[1:]
	}
	for rnd.IntN(3) == 0 {
		ids = append(ids, rnd.Uint64N(c.s.bed.r.ids.last.Load()+3))
	}
	return ids
}

func (c *crew) commit(k *conn) {
	a := k.say(queue.AskCommit)
	a.Indexes = c.some(k)
	c.s.note("%v commits %d", k, a.Indexes)
	c.submit(a, queue.Op{}, nil)
}

func (c *crew) refuse(k *conn) {
	a := k.say(queue.AskNegative)
	a.Indexes, a.Code, a.Reason = c.some(k), "Busy", "no room"
	if c.s.rnd.IntN(4) == 0 {
		a.Code = queue.CodeShutdown
	}
	c.s.note("%v refuses %d, %s", k, a.Indexes, a.Code)
	c.submit(a, queue.Op{}, nil)
}

// get begins a get that waits, or withdraws one.
func (c *crew) get(k *conn) {
	rnd := c.s.rnd
	if len(c.gets) > 3 || len(c.gets) > 0 && rnd.IntN(2) == 0 {
		c.gets[rnd.IntN(len(c.gets))].hangUp()
		return
	}
	g := &waitingGet{crew: c, ask: queue.Ask{What: queue.AskGet, Queue: k.queue, Length: 1 + rnd.IntN(3), Take: rnd.IntN(3) > 0, Tags: c.tags()}}
	if rnd.IntN(4) == 0 {
		g.ask.Index = rnd.Uint64N(c.s.bed.r.ids.last.Load() + 3)
	}
	c.s.note("a get of %s from %d on, which takes: %t", k.queue, g.ask.Index, g.ask.Take)
	c.gets = append(c.gets, g)
	g.try()
}

// endSome ends items for all groups.
func (c *crew) endSome(k *conn) {
	a := k.say(queue.AskDelete)
	a.Indexes = c.some(k)
	if c.s.rnd.IntN(2) == 0 {
		a.What, a.Index = queue.AskTruncate, c.s.rnd.Uint64N(c.s.bed.r.ids.last.Load()+2)
	}
	c.s.note("%v ends items: %d, or all before %d", k, a.Indexes, a.Index)
	c.submit(a, queue.Op{}, nil)
}
