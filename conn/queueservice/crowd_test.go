package queueservice

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"runtime"
	"sync"
	"testing"
	"time"

	"beanfield/conn/httpfront/httpfronttest"
	"beanfield/router"
	"beanfield/shard/queue"
	"beanfield/shard/queue/policy"

	"github.com/gobwas/ws"
)

// crowd is consumers of several groups that commit what they are sent, hang up and
// come back, until each group has handled each item.
type crowd struct {
	*house
	mu    sync.Mutex
	left  map[string]map[uint64]bool // of each group, what it has not handled
	empty chan struct{}              // closed when nothing is left
}

// comes makes sure that a group has not handled an item that one of it gets.
func (c *crowd) comes(t *testing.T, group string, index uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.left[group][index] {
		t.Errorf("group %s gets item %d again, which it has handled", group, index)
	}
}

func (c *crowd) handle(group string, index uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if delete(c.left[group], index); len(c.left[group]) > 0 {
		return
	}
	delete(c.left, group)
	if len(c.left) == 0 {
		close(c.empty)
	}
}

func (c *crowd) done() bool {
	select {
	case <-c.empty:
		return true
	default:
		return false
	}
}

// consume watches again and again. Of what it is sent it commits most, refuses some,
// and forgets the rest when it hangs up.
func (c *crowd) consume(t *testing.T, group, user string, dice *rand.Rand) {
	who := fmt.Sprintf("X-EAS-QueueService-Uid: %s\r\nX-EAS-QueueService-Gid: %s\r\n", user, group)
	requests := c.dial()
	requests.SetDeadline(time.Now().Add(patience))
	defer requests.Close()
	for !c.done() {
		w := c.connect(base+"?_watch_=true&_window_=7", who)
		for stay := 1 + dice.IntN(200); stay > 0 && !c.done(); stay-- {
			w.SetReadDeadline(time.Now().Add(100 * time.Millisecond)) // then it looks whether all is done
			if _, err := w.In.Peek(2); err != nil {
				break
			}
			w.SetReadDeadline(time.Now().Add(patience))
			index, _ := w.item()
			c.comes(t, group, index)
			if dice.IntN(10) == 0 {
				requests.Send(httpfronttest.Request("PUT", fmt.Sprintf("%s?_negative_=true&_indexes_=%d", base, index),
					who, "_code_=Busy"))
			} else {
				requests.Send(httpfronttest.Request("PUT", fmt.Sprintf("%s?_indexes_=%d", base, index), who, ""))
				c.handle(group, index)
			}
			requests.Expect(http.StatusOK)
		}
		if dice.IntN(2) == 0 {
			w.Send(masked(ws.OpClose, "\x03\xe8"))
		}
		w.Close()
	}
}

// work is a beanstalk worker, which shares items with the first group. Some it gives back.
func (c *crowd) work(t *testing.T, r *router.Router, tube string, dice *rand.Rand) {
	var w router.Caller
	w.Enter(r)
	w.Finish(w.Open())
	w.Finish(w.Watch([]byte(tube)))
	w.Finish(w.Watch([]byte("in another shard")))
	var b queue.Batch
	for !c.done() {
		if w.Finish(w.Reserve(true)); w.Reservation.Status != queue.OK {
			runtime.Gosched()
			continue
		}
		op := queue.Op{Kind: queue.Release, ID: w.Reservation.ID, Pri: 1024}
		if c.comes(t, "g1", op.ID); dice.IntN(4) > 0 {
			op.Kind = queue.Delete
		}
		b.Reset()
		b.Ops = append(b.Ops, op)
		if w.Finish(w.Submit(r.TubeShard([]byte(tube)), &b, false)); b.Ops[0].Status != queue.OK {
			t.Errorf("a worker holds item %d, and is answered %v", op.ID, b.Ops[0].Status)
		}
		if op.Kind == queue.Delete {
			c.handle("g1", op.ID)
		}
	}
	w.Finish(w.Close())
}

// Every group handles every item once, whoever comes and goes; workers are a part of the first group.
func TestCrowd(t *testing.T) {
	const items, users = 1000, 4
	h, r := newRealHouse(t, 4, limited(func(l *policy.Limits) {
		*l = policy.Limits{MaxUnsent: 10000, Leaving: int64(10 * time.Millisecond)}
	}))
	c := &crowd{house: h, left: map[string]map[uint64]bool{}, empty: make(chan struct{})}
	groups := []string{"g1", "g2", "g3"}
	for _, g := range groups {
		c.left[g] = map[uint64]bool{}
		w := h.connect(base+"?_watch_=true", "X-EAS-QueueService-Uid: first\r\nX-EAS-QueueService-Gid: "+g+"\r\n")
		w.Close()
	}
	producer := h.dial()
	for i := range items {
		producer.Send(httpfronttest.Request("POST", base, "", fmt.Sprint(i)))
		_, text := producer.Response("GET")
		var index uint64
		fmt.Sscan(text, &index)
		for _, g := range groups {
			c.left[g][index] = true
		}
	}
	var all sync.WaitGroup
	for i, g := range groups {
		for j := range users {
			all.Go(func() { c.consume(t, g, fmt.Sprintf("u%d", j), rand.New(rand.NewPCG(uint64(i), uint64(j)))) })
		}
	}
	for i := range 2 {
		all.Go(func() { c.work(t, r, "s", rand.New(rand.NewPCG(7, uint64(i)))) })
	}
	select {
	case <-c.empty:
	case <-time.After(patience):
		t.Errorf("left are %d groups", len(c.left))
		close(c.empty)
	}
	all.Wait()
	if got := h.attribute("stream.length"); got != "0" {
		t.Errorf("%s items are left", got)
	}
}
