package router

import (
	"context"
	"fmt"
	"testing"

	"beanfield/shard"
	"beanfield/shard/queue"
	"beanfield/storage"
	"beanfield/storage/must"
)

func newRouterOf(shards int) *Router {
	return must.Get(New(Options{Shards: shards, Store: storage.Memory()}))
}

// client is a caller with a batch.
type client struct {
	Caller
	batch queue.Batch
}

func newClient(r *Router, watch ...string) *client {
	c := &client{}
	c.Enter(r)
	c.Finish(c.Open())
	for _, name := range watch {
		c.Finish(c.Watch([]byte(name)))
	}
	if len(watch) > 0 {
		done, _ := c.Ignore([]byte(DefaultTube))
		c.Finish(done)
	}
	return c
}

// run applies one operation on a shard.
func (c *client) run(i int, op queue.Op, member bool) *queue.Op {
	c.batch.Reset()
	c.batch.Ops = append(c.batch.Ops, op)
	c.Finish(c.Submit(i, &c.batch, member))
	return &c.batch.Ops[0]
}

// tube is what there is of a tube.
func (c *client) tube(name string) queue.TubeInfo {
	c.run(c.r.TubeShard([]byte(name)), queue.Op{Kind: queue.StatsTube, Data: []byte(name)}, false)
	return c.batch.Tubes[0]
}

func (c *client) use(name string) { c.Finish(c.Use([]byte(name))) }

var body = []byte("the body of a job")

// aPut is a put of a job with a body.
func aPut(body []byte) queue.Op {
	return queue.Op{Kind: queue.Put, Pri: 1, TTR: 60, Size: uint32(len(body)), Data: body}
}

// putWith puts a job that says more.
func (c *client) putWith(body []byte, o *queue.Options) *queue.Op {
	op := aPut(body)
	op.Options = o
	return c.run(c.UsedShard(), op, true)
}

// put returns the new job's id.
func (c *client) put(pri, ttr uint32) uint64 {
	op := aPut(body)
	op.Pri, op.TTR = pri, ttr
	op = *c.run(c.UsedShard(), op, true)
	if op.Status != queue.OK {
		panic(fmt.Sprintf("put: status %d", op.Status))
	}
	return op.ID
}

// delete reports whether there was such a job.
func (c *client) delete(id uint64) bool {
	i, ok := c.r.Owner(id)
	return ok && c.run(i, queue.Op{Kind: queue.Delete, ID: id}, false).Status == queue.OK
}

// begin begins a reserve, and returns with a job, with a status or in a wait.
func (c *client) begin(poll bool) (id uint64, status queue.Status) {
	if !c.ReserveInPlace(nil) {
		c.Finish(c.Reserve(poll))
		return c.Reservation.ID, c.Reservation.Status
	}
	op := c.run(c.WatchShard(), queue.Op{Kind: queue.Reserve, Poll: poll}, true)
	if op.Status == queue.Waiting {
		c.BeginWait()
	}
	return op.ID, op.Status
}

// reserve waits for a job, or until stop is closed.
func (c *client) reserve(stop <-chan struct{}) (id uint64, ok bool) {
	id, status := c.begin(false)
	if status != queue.Waiting {
		return id, status == queue.OK
	}
	return c.await(stop)
}

// await ends the wait that is on: by a delivery or because stop is closed.
func (c *client) await(stop <-chan struct{}) (id uint64, ok bool) {
	for !c.Delivered() {
		select {
		case <-c.bell:
		case <-stop:
			if won, done := c.CancelWait(queue.TimedOut); won {
				c.Finish(done)
				return 0, false
			}
			stop = nil // a job is on its way
		}
	}
	c.Finish(c.EndWait())
	return c.Reservation.ID, true
}

func (c *client) close() {
	c.Finish(c.Close())
	if n := c.gate.waits.Load(); n != 0 {
		panic(fmt.Sprintf("a session has gone, and %d waits of it are counted", n))
	}
}

// end closes clients, and the router.
func end(t testing.TB, r *Router, all ...*client) {
	t.Helper()
	for _, c := range all {
		c.close()
	}
	must.Do(t, r.Close())
}

// mustBeEmpty fails the test if anything is left in the router. All clients must be closed.
func mustBeEmpty(t testing.TB, r *Router) {
	t.Helper()
	must.Do(t, r.Close())
	must.Do(t, r.empty(0))
}

// empty looks for waiters, for jobs, also with ids above one in the directory, for tubes, and
// for counters that do not fit.
func (r *Router) empty(above uint64) error {
	for id := above + 1; id <= r.ids.last.Load(); id++ {
		if _, known := r.ids.find(id); known {
			return fmt.Errorf("R2: the directory keeps job %d", id)
		}
	}
	for i, s := range r.states {
		if err := s.Sound(); err != nil {
			return fmt.Errorf("shard %d: %w", i, err)
		}
		b := &queue.Batch{Ops: []queue.Op{{Kind: queue.Totals}}}
		s.Apply(r.Now(), b, &b.Ops[0])
		if left := b.Sums.Ready + b.Sums.Reserved + b.Sums.Delayed + b.Sums.Buried; left != 0 || s.Waits() != 0 {
			return fmt.Errorf("R2, R3: shard %d keeps %d jobs and %d waiters", i, left, s.Waits())
		}
	}
	if n := r.Tubes(); n != 1 {
		return fmt.Errorf("S5: %d tubes are left", n)
	}
	return nil
}

// inOrder checks a shard between two turns: it may still have some to make, although nobody waits for them.
func (r *Router) inOrder(i int) (err error) {
	r.shards[i].Look(context.Background(), func(s *queue.State, _ *shard.Figures) {
		if err = s.Sound(); err != nil {
			err = fmt.Errorf("shard %d: %w", i, err)
		}
	})
	return err
}
