package router

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"beanfield/shard/queue"
)

// crowd is very many items on one queue, of which three groups handle each: four
// consumers in each group, and eight beanstalk workers that share with the first.
type crowd struct {
	t      *testing.T
	r      *Router
	queue  string
	limits *queue.Limits
	items  int
	audits []*audit
	left   atomic.Int64 // groups that have not handled everything
	over   chan struct{}
	errors atomic.Int64
}

// wrong reports a mistake; after many of them nobody reads more.
func (c *crowd) wrong(format string, args ...any) {
	if c.errors.Add(1) <= 20 {
		c.t.Errorf(format, args...)
	}
}

// worker is what an audit calls beanstalk workers.
const worker = -1

// part is one item in one group.
type part struct {
	user     int // who had it last; 0: nobody, or it was given back
	delivery int
	over     bool
}

// audit follows the items of a group.
type audit struct {
	crowd   *crowd
	name    string
	healthy bool

	mu    sync.Mutex
	parts []part // by index
	ended int
	again int // deliveries of items that somebody has had before
}

// half says that half of all is done.
func (a *audit) half() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return 2*a.ended > a.crowd.items
}

// pushed notes who has an item now. Nobody may get one that is done, or that somebody
// else has: unless it was given back, or was taken from who had it, which its delivery
// counter shows.
func (a *audit) pushed(id uint64, user, delivery int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if id == 0 || id >= uint64(len(a.parts)) {
		a.crowd.wrong("%s.%d gets item %d, which is not there", a.name, user, id)
		return
	}
	p := &a.parts[id]
	switch {
	case p.over:
		a.crowd.wrong("%s.%d gets item %d, which is done", a.name, user, id)
	case a.healthy && (p.user != 0 || delivery != 1):
		a.crowd.wrong("%s.%d gets item %d as delivery %d, and %d had it before", a.name, user, id, delivery, p.user)
	case p.user != 0 && user != worker && p.user != user && p.user != worker && delivery <= p.delivery:
		a.crowd.wrong("%s.%d gets item %d as delivery %d, and %d had it as %d", a.name, user, id, delivery, p.user, p.delivery)
	}
	if p.user != 0 || delivery > 1 {
		a.again++
	}
	p.user, p.delivery = user, delivery
}

func (a *audit) givenBack(id uint64, user int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if p := &a.parts[id]; p.user != user {
		a.crowd.wrong("%s.%d gives back item %d, and %d has it", a.name, user, id, p.user)
	}
	if user == worker {
		a.parts[id].user = 0
	}
}

// done notes that an item is done for the group. Once is enough.
func (a *audit) done(id uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if p := &a.parts[id]; p.over {
		a.crowd.wrong("%s: item %d is done twice", a.name, id)
		return
	}
	a.parts[id].over = true
	if a.ended++; a.ended == a.crowd.items && a.crowd.left.Add(-1) == 0 {
		close(a.crowd.over)
	}
}

// TestCrowd has everything at once: every group handles each item, nothing is lost, and
// nothing comes twice inside a group without a rebalance.
func TestCrowd(t *testing.T) {
	items := 200_000
	switch {
	case raced:
		items = 20_000
	case testing.Short():
		items = 40_000
	}
	for _, healthy := range []bool{true, false} {
		t.Run(fmt.Sprintf("healthy=%v", healthy), func(t *testing.T) { runCrowd(t, items, healthy) })
	}
}

func runCrowd(t *testing.T, items int, healthy bool) {
	c := &crowd{
		t: t, r: newRouterOf(t, 8), queue: "crowd", items: items, over: make(chan struct{}),
		limits: &queue.Limits{Leaving: int64(2 * time.Millisecond), MaxUnsent: 20_000},
	}
	var all, makers sync.WaitGroup
	for g, name := range []string{"first", "second", "third"} {
		a := &audit{crowd: c, name: name, healthy: healthy, parts: make([]part, items+1)}
		c.audits = append(c.audits, a)
		c.left.Add(1)
		for i, window := range []int{0, 1, 10, 100} {
			if window == 0 && !healthy && g != 1 {
				window = 30 // what is pushed with auto-commit is not lost with the connection
			}
			s := &subscriber{
				crowd: c, audit: a, user: i + 1, window: window, mortal: i == 1,
				healthy: healthy || window == 0, random: rand.New(rand.NewPCG(uint64(g), uint64(i))),
			}
			s.watch()
			all.Go(func() { s.run(c.over) })
		}
	}
	for i := range 8 {
		all.Go(func() { c.work(i, healthy) })
	}
	for i := range 4 {
		makers.Go(func() { c.make(i, items*(i+1)/4-items*i/4) })
	}
	makers.Wait()
	select {
	case <-c.over:
		all.Wait()
	case <-time.After(5 * time.Minute):
		for _, a := range c.audits {
			a.mu.Lock()
			t.Errorf("%s has handled %d items of %d", a.name, a.ended, items)
			a.mu.Unlock()
		}
		close(c.over)
		all.Wait()
	}
	c.mustBeDone()
}

// make puts items: half of the makers over the queue service, many at a time.
func (c *crowd) make(maker, items int) {
	if maker%2 == 0 {
		producer := newClient(c.r)
		producer.use(c.queue)
		for range items {
			producer.put(1024, 1000)
		}
		producer.close()
		return
	}
	const many = 25
	for items > 0 {
		ops := make([]queue.Op, min(many, items))
		for i := range ops {
			ops[i] = queue.Op{Kind: queue.Service, Pri: 1024, Size: uint32(len(body)), Data: body,
				Ask: &queue.Ask{What: queue.AskPut, Queue: c.queue, Limits: c.limits}}
		}
		c.r.AskAll(ops)
		for i := range ops {
			if ops[i].Status != queue.OK {
				c.wrong("put: status %d", ops[i].Status)
			}
		}
		items -= len(ops)
	}
}

// work is a beanstalk worker. Half of them also watch a tube of another shard.
func (c *crowd) work(i int, healthy bool) {
	watch := []string{c.queue}
	if i%2 == 0 {
		watch = append(watch, fmt.Sprint("idle ", i))
	}
	w, a, random := newClient(c.r, watch...), c.audits[0], rand.New(rand.NewPCG(9, uint64(i)))
	for {
		id, ok := w.reserve(c.over)
		if !ok {
			break
		}
		a.pushed(id, worker, 1)
		if shard, ok := c.r.Owner(id); ok && !healthy && random.IntN(10) == 0 {
			a.givenBack(id, worker)
			if op := w.run(shard, queue.Op{Kind: queue.Release, ID: id, Pri: 1024}, true); op.Status != queue.OK {
				c.wrong("a worker cannot release item %d: status %d", id, op.Status)
			}
			continue
		}
		a.done(id)
		if !w.delete(id) {
			c.wrong("a worker cannot delete item %d, which it holds", id)
		}
	}
	w.close()
}

// mustBeDone looks whether anything is left.
func (c *crowd) mustBeDone() {
	op := &queue.Op{Kind: queue.Service, Ask: &queue.Ask{What: queue.AskAttrs, Queue: c.queue, Limits: c.limits}}
	if c.r.Ask(op); op.Ask.Attrs == nil || op.Ask.Attrs.Length != 0 || op.Ask.Attrs.GroupsTotal != 3 {
		c.t.Errorf("at the end: %+v", op.Ask.Attrs)
	}
	for _, a := range c.audits {
		if !a.healthy && a.again == 0 {
			c.wrong("%s: nobody was sent an item again", a.name)
		}
		drop := &queue.Op{Kind: queue.Service, Ask: &queue.Ask{What: queue.AskDropGroup, Queue: c.queue, Group: a.name, Limits: c.limits}}
		if c.r.Ask(drop); drop.Status != queue.OK {
			c.t.Errorf("group %s cannot be removed: status %d", a.name, drop.Status)
		}
	}
	mustBeEmpty(c.t, c.r)
}
