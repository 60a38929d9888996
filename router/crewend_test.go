package router

import (
	"maps"
	"slices"
	"time"

	"beanfield/shard/queue"
)

// drain has every group finish what it has: each is sent all that it has not done, and
// when all have done an item it ends. Dead letters are finished in their rear queues.
func (c *crew) drain() {
	c.s.settle()
	c.s.pass(20 * time.Second) // then nothing is delayed, paused, or kept for who has left
	c.s.settle()
	for round := 0; len(c.l.items) > 0; round++ {
		if round == 6 {
			c.s.fatalf("%d items do not end", len(c.l.items))
		}
		for _, e := range c.l.items {
			p := c.s.bed.shards[c.s.mustOwn(e.id)]
			if info, ok := p.job(e.id); ok && info.State == queue.Buried {
				p.ask(queue.Op{Kind: queue.KickJob, ID: e.id})
			}
		}
		c.s.settle()
		for _, g := range c.groups() {
			k := &conn{queue: g.queue, group: g.name, user: "drain"}
			a := k.say(queue.AskWatch)
			a.Window = 1 << 20
			c.connect(k, a)
			c.s.settle()
		}
		c.mustHaveAll()
		for _, k := range c.users() {
			a := k.say(queue.AskCommit)
			a.Indexes = slices.Sorted(maps.Keys(c.l.items))
			c.submit(a, queue.Op{}, nil)
			c.s.settle()
		}
	}
	c.retire()
	for _, g := range c.groups() {
		k := &conn{queue: g.queue, group: g.name}
		c.submit(k.say(queue.AskDropGroup), queue.Op{}, nil)
		c.s.settle()
	}
}

// groups lists all groups. A queue that has items, and no first group, gets one.
func (c *crew) groups() (list []*ledgerGroup) {
	names := map[string]bool{}
	for name := range c.l.queues {
		names[name] = true
	}
	for _, e := range c.l.items {
		names[e.queue] = true
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		q := c.l.queue(name)
		has := slices.ContainsFunc(slices.Collect(maps.Values(c.l.items)), func(e *entry) bool { return e.queue == name })
		if q.first == nil && has {
			list = append(list, &ledgerGroup{name: "first", queue: name})
		}
		for _, group := range slices.Sorted(maps.Keys(q.groups)) {
			list = append(list, q.groups[group])
		}
	}
	return list
}

// mustHaveAll looks for items that a group is not sent.
func (c *crew) mustHaveAll() {
	for _, e := range c.l.items {
		for _, g := range c.l.queue(e.queue).groups {
			s := e.of(g)
			if s.done || s.user != nil || g.view && !s.owed {
				c.l.seen.drained++
				continue
			}
			c.s.fatalf("group %s of %s is not sent item %d: %+v", g.name, g.queue, e.id, s)
		}
	}
}
