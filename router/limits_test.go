package router

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"beanfield/shard/queue"
	"beanfield/shard/queue/policy"
	"beanfield/storage/must"
)

// tryPut says whether there was room.
func (c *client) tryPut(t testing.TB) (id uint64, ok bool) {
	op := c.putWith(body, nil)
	if op.Status != queue.OK && op.Status != queue.NoRoom {
		t.Errorf("a put is answered %d", op.Status)
	}
	return op.ID, op.Status == queue.OK
}

// waitToPut puts a job, and waits for room until stop is closed.
func (c *client) waitToPut(stop <-chan struct{}) (id uint64, status queue.Status) {
	options := &queue.Options{TTR: 60 * second, Timeout: second}
	op := c.putWith(body, options)
	if op.Status != queue.Waiting {
		return op.ID, op.Status
	}
	c.BeginWait()
	id, _ = c.await(stop)
	return id, c.Reservation.Status
}

// Many clients on all shards put, wait for little room or do not, and some give up at once; others delete. Never is
// there more than there may be, everybody who waits on is served in the end, as a wake-up that was lost would be one
// for ever, and in the end the quota is what is left (QT1). If meanwhile limits are switched off and on, that still
// counts all jobs.
func TestLimitsOverShards(t *testing.T) {
	for _, switched := range []bool{false, true} {
		t.Run(fmt.Sprintf("switched=%t", switched), func(t *testing.T) { limitCrowd(t, switched) })
	}
}

func limitCrowd(t *testing.T, switched bool) {
	const most, left = 3, 3
	r := newRouterOf(5)
	limits := policy.Amount{policy.BoundJobs: most}
	r.SetLimits(limits)
	x := &limited{t: t, r: r, most: most, ids: make(chan uint64, most)}
	if switched {
		x.most = 1 << 30
	}
	keeper := newClient(r)
	for range most {
		x.ids <- keeper.put(1, 60)
	}
	if _, ok := keeper.tryPut(t); ok {
		t.Error("there was room for one more")
	}
	x.live.Store(most)
	var putters, deleters sync.WaitGroup
	for i := range 6 {
		putters.Go(func() { x.puts(i) })
	}
	for range 2 {
		deleters.Go(x.deletes)
	}
	for n := 0; switched && n < 50; n++ {
		r.SetLimits(policy.Amount{})
		r.SetLimits(limits)
	}
	putters.Wait()
	close(x.ids)
	deleters.Wait()
	for range left {
		keeper.put(1, 60)
	}
	if used := r.Quota().Used(); used[policy.BoundJobs] != left || used[policy.BoundBytes] != left*int64(len(body)) {
		t.Errorf("%v are counted, %d jobs are there", used, left)
	}
	r.SetLimits(policy.Amount{})
	if used := r.Quota().Used(); used != (policy.Amount{}) {
		t.Errorf("%v are counted without limits", used)
	}
	end(t, r, keeper)
}

// limited are many clients of a server with limits.
type limited struct {
	t    *testing.T
	r    *Router
	most int64
	ids  chan uint64 // of the jobs that are there
	live atomic.Int64
}

func (x *limited) puts(i int) {
	c := newClient(x.r)
	defer c.close()
	c.use(fmt.Sprint("tube", i))
	dice := rand.New(rand.NewPCG(2, uint64(i)))
	for range 1000 {
		var id uint64
		var status queue.Status
		if dice.IntN(3) == 0 {
			op := c.putWith(body, nil)
			id, status = op.ID, op.Status
		} else {
			id, status = c.waitToPut([]chan struct{}{nil, nil, atOnce}[dice.IntN(3)])
		}
		switch status {
		case queue.OK:
			if n := x.live.Add(1); n > x.most {
				x.t.Errorf("there are %d jobs", n)
			}
			x.ids <- id
		case queue.NoRoom, queue.TimedOut:
		default:
			x.t.Errorf("a put is answered %v", status)
		}
	}
}

func (x *limited) deletes() {
	c := newClient(x.r)
	defer c.close()
	for id := range x.ids {
		if x.live.Add(-1); !c.delete(id) {
			x.t.Errorf("job %d is not there", id)
		}
	}
}

// A job that goes to a tube of another shard counts once when it is there, and is not refused.
func TestLimitsAndJobsThatMove(t *testing.T) {
	const shards = 4
	far := afar("mail", shards)
	r := must.Get(New(Options{Shards: shards, Store: newCutStore(shards), PolicyFor: farPolicy(far)}))
	r.SetLimits(policy.Amount{policy.BoundJobs: 1})
	c := newClient(r, "mail")
	c.use("mail")
	id := c.put(1, 60)
	c.begin(true)
	c.run(r.TubeShard([]byte("mail")), queue.Op{Kind: queue.Release, ID: id, Pri: 1}, true)
	r.settle(c)
	if n := c.tube(far).Ready; n != 1 || r.Quota().Used()[policy.BoundJobs] != 1 {
		t.Errorf("%d jobs have come, %v are counted", n, r.Quota().Used())
	}
	if _, ok := c.tryPut(t); ok {
		t.Error("there was room for one more")
	}
	if !c.delete(id) {
		t.Error("the job is not there")
	}
	if _, ok := c.tryPut(t); !ok {
		t.Error("there is no room where the job was")
	}
	end(t, r, c)
}

// A start with more jobs than there may be loses none. Others are refused until enough have gone.
func TestLimitsAfterARestart(t *testing.T) {
	store := newCutStore(3)
	r := must.Get(New(Options{Shards: 3, Store: store}))
	c := newClient(r)
	var ids []uint64
	for i := range 6 {
		c.use(fmt.Sprint("tube", i))
		ids = append(ids, c.put(1, 60))
	}
	end(t, r, c)

	r = must.Get(New(Options{Shards: 3, Store: store}))
	r.SetLimits(policy.Amount{policy.BoundJobs: 4})
	c = newClient(r)
	for i, id := range ids {
		if _, ok := c.tryPut(t); ok != (i == 3) {
			t.Errorf("after %d deletes a put has room: %t", i, ok)
		}
		if i < 3 && !c.delete(id) {
			t.Errorf("job %d is gone", id)
		}
	}
	end(t, r, c)
}
