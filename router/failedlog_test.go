package router

import (
	"errors"
	"testing"

	"beanfield/shard/queue"
	"beanfield/shard/queue/policy"
	"beanfield/storage"
	"beanfield/storage/must"
)

// breakable is a store in memory whose logs can fail: left are the commits that succeed, by shard; -1 for all.
func breakable(left []int) storage.Store {
	return wrapped{storage.Memory(), func(i int, l storage.Log) storage.Log { return breakableLog{l, &left[i]} }}
}

type breakableLog struct {
	storage.Log
	left *int
}

func (l breakableLog) Commit(ack storage.Ack) bool {
	switch left := l.left; {
	case *left == 0:
		ack.Committed(errors.New("the disk is gone"))
		return false
	case *left > 0:
		*left--
	}
	return true
}

// newBreakable has a worker that watches tubes in two shards, of which one has a log
// that takes n commits more. The worker uses a tube of the other one.
func newBreakable(n int) (r *Router, worker *client) {
	left := []int{-1, -1}
	r = must.Get(New(Options{Shards: 2, Store: breakable(left)}))
	worker = newClient(r)
	watchAll(r, worker)
	left[1-worker.UsedShard()] = n
	return r, worker
}

// A poll that cannot be told what a failed log has does not say that there is nothing.
func TestPollWithAFailedLog(t *testing.T) {
	r, c := newBreakable(0)
	if c.Finish(c.Reserve(true)); c.Reservation.Status != queue.Failed {
		t.Errorf("it ends with %v", c.Reservation.Status)
	}
	end(t, r, c)
}

// A reserve over several shards of which one has a log that fails, before its offer or
// before its wait, takes what there is in the others. If there is nothing it does not
// wait, but says so, and no shard keeps a place for it.
func TestReserveWithAFailedLog(t *testing.T) {
	for n := range 3 {
		r, c := newBreakable(n)
		producer := newClient(r)
		c.Finish(c.Reserve(false))
		waited := c.Waiting()
		switch waits := c.waits.Load(); {
		case waited != (n == 2): // the offer and the wait have been committed
			t.Errorf("after %d commits that succeeded it waits: %v", n, waited)
		case waited && waits != 1:
			t.Errorf("it waits, and %d do", waits)
		case !waited && (c.Reservation.Status != queue.Failed || waits != 0):
			t.Errorf("it ends with %v, and %d wait", c.Reservation.Status, waits)
		}
		producer.put(0, 60)
		if got := c.Delivered(); got != waited {
			t.Errorf("after %d commits a job is delivered: %v", n, got)
		}
		if !waited {
			if c.Finish(c.Reserve(false)); c.Reservation.Status != queue.OK {
				t.Errorf("with a job in the other shard it ends with %v", c.Reservation.Status)
			}
		}
		must.Do(t, r.inOrder(c.UsedShard()))
		end(t, r, c, producer)
	}
}

// A put that begins to wait for room in a turn that the log does not take is answered so, and the client may ask
// again, and hang up. What makes room later finds nobody.
func TestWaitForRoomWithAFailedLog(t *testing.T) {
	left := []int{-1}
	r := must.Get(New(Options{Shards: 1, Store: breakable(left)}))
	r.SetLimits(policy.Amount{policy.BoundJobs: 1})
	a, b := newClient(r), newClient(r)
	put := func(c *client) queue.Op {
		options := &queue.Options{TTR: 60 * second, Timeout: second}
		return *c.putWith(body, options)
	}
	op := put(a)
	left[0] = 0
	for range 2 {
		if status := put(b).Status; status != queue.Failed {
			t.Errorf("a put is answered %v", status)
		}
	}
	b.Finish(b.Close())
	a.run(0, queue.Op{Kind: queue.Delete, ID: op.ID}, true)
	a.Finish(a.Close())
	must.Do(t, r.Close())
}
