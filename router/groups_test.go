package router

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"beanfield/shard/queue"
)

// crowd is the groups of one queue: consumers of which some refuse items, or go away
// and come back, and beanstalk workers beside those of the first group.
type crowd struct {
	t       *testing.T
	r       *Router
	limits  queue.Limits
	items   int
	groups  []string
	handled map[string][]atomic.Int32 // how often each group has handled each item
	left    atomic.Int64              // what is yet to be handled, by all groups
	done    chan struct{}
}

const crowdQueue = "work"

func newCrowd(t *testing.T, items int, groups ...string) *crowd {
	c := &crowd{
		t: t, r: newRouterOf(t, 8), limits: queue.Limits{Leaving: int64(2 * time.Millisecond)},
		items: items, groups: groups, handled: map[string][]atomic.Int32{}, done: make(chan struct{}),
	}
	for _, g := range groups {
		c.handled[g] = make([]atomic.Int32, items+1)
	}
	c.left.Store(int64(items * len(groups)))
	return c
}

func (c *crowd) ask(a queue.Ask) *queue.Op {
	a.Queue, a.Limits = crowdQueue, &c.limits
	op := &queue.Op{Kind: queue.Service, Ask: &a, Pri: 1024}
	if a.What == queue.AskPut {
		op.Data, op.Size = body, uint32(len(body))
	}
	c.r.Ask(op)
	return op
}

// handle counts an item that a group has done with.
func (c *crowd) handle(group string, id uint64) {
	if n := c.handled[group][id].Add(1); n != 1 {
		c.t.Errorf("group %s has handled item %d %d times", group, id, n)
	}
	if c.left.Add(-1) == 0 {
		close(c.done)
	}
}

// link is a consumer's connection.
type link struct {
	mu    sync.Mutex
	items []uint64
	bell  chan struct{}
}

func (l *link) Replaced() {}

func (l *link) Receive(p *queue.Parcel, _ bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range p.Items {
		l.items = append(l.items, p.Items[i].Index)
	}
	select {
	case l.bell <- struct{}{}:
	default:
	}
}

// take waits for items. It returns none when all is done.
func (l *link) take(done <-chan struct{}) []uint64 {
	for {
		l.mu.Lock()
		items := l.items
		l.items = nil
		l.mu.Unlock()
		if len(items) > 0 {
			return items
		}
		select {
		case <-l.bell:
		case <-done:
			return nil
		}
	}
}

// consume is one consumer. A steady one handles all that it gets; another refuses some,
// and goes away with what it has: for a moment, or until its items are others'.
func (c *crowd) consume(group, user string, steady bool, rnd *rand.Rand) {
	watch := func() *link {
		l := &link{bell: make(chan struct{}, 1)}
		c.ask(queue.Ask{What: queue.AskWatch, Group: group, User: user, Receiver: l, Window: 1 + rnd.IntN(50)})
		return l
	}
	for l := watch(); ; {
		items := l.take(c.done)
		if items == nil {
			return
		}
		switch {
		case steady || rnd.IntN(10) > 1:
			c.commit(group, user, items)
		case rnd.IntN(2) == 0:
			c.ask(queue.Ask{What: queue.AskNegative, Group: group, User: user, Indexes: items, Code: "Bad", Reason: "no"})
		default:
			c.ask(queue.Ask{What: queue.AskLeave, Group: group, User: user, Receiver: l})
			if rnd.IntN(2) == 0 {
				c.awaitExit(group, user)
			}
			l = watch()
		}
	}
}

// awaitExit waits until a consumer that has left has nothing any more.
func (c *crowd) awaitExit(group, user string) {
	for leaving := true; leaving; runtime.Gosched() {
		leaving = false
		for _, x := range c.ask(queue.Ask{What: queue.AskAttrs}).Ask.Attrs.Consumers {
			leaving = leaving || x.Group == group && x.User == user && x.Pending > 0
		}
	}
}

func (c *crowd) commit(group, user string, items []uint64) {
	for _, id := range items {
		c.handle(group, id)
	}
	c.ask(queue.Ask{What: queue.AskCommit, Group: group, User: user, Indexes: items})
}

// work is one beanstalk worker. What it deletes the first group has handled.
func (c *crowd) work() {
	w := newClient(c.r, crowdQueue)
	defer w.close()
	for {
		id, ok := w.reserve(c.done)
		if !ok {
			return
		}
		c.handle(c.groups[0], id)
		if !w.delete(id) {
			c.t.Errorf("a worker cannot delete item %d", id)
		}
	}
}

// Every group handles each item once, whoever of its consumers leaves or refuses, and
// workers share with the first.
func TestGroupsHandleEachItemOnce(t *testing.T) {
	items := 200_000
	if testing.Short() {
		items = 20_000
	}
	c := newCrowd(t, items, "first", "second", "third")
	var all sync.WaitGroup
	for i, group := range c.groups { // the first watch names the first group
		for k := range 4 {
			rnd := rand.New(rand.NewPCG(uint64(i), uint64(k)))
			l := &link{bell: make(chan struct{}, 1)}
			user := fmt.Sprint("u", k)
			c.ask(queue.Ask{What: queue.AskWatch, Group: group, User: user, Receiver: l})
			all.Go(func() { c.consume(group, user, k < 2, rnd) })
		}
	}
	for range 8 {
		all.Go(c.work)
	}
	for p := range 4 {
		all.Go(func() {
			for i := p; i < items; i += 4 {
				if op := c.ask(queue.Ask{What: queue.AskPut}); op.Status != queue.OK {
					t.Errorf("a put is answered %v", op.Status)
				}
			}
		})
	}
	all.Wait()
	if a := c.ask(queue.Ask{What: queue.AskAttrs}).Ask.Attrs; a.Length != 0 || a.GroupsTotal != 3 {
		t.Errorf("at the end there are %d items and %d groups", a.Length, a.GroupsTotal)
	}
	for _, group := range c.groups {
		c.ask(queue.Ask{What: queue.AskDropGroup, Group: group})
	}
	mustBeEmpty(t, c.r)
}
