package router

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"beanfield/shard/queue"
	"beanfield/storage/must"
)

// tryPut says whether there was room.
func (c *client) tryPut(t testing.TB) (id uint64, ok bool) {
	op := c.run(c.UsedShard(), queue.Op{Kind: queue.Put, Pri: 1, TTR: 60, Size: uint32(len(body)), Data: body}, true)
	if op.Status != queue.OK && op.Status != queue.NoRoom {
		t.Errorf("a put is answered %d", op.Status)
	}
	return op.ID, op.Status == queue.OK
}

// Clients put and delete on all shards at once. At no time are there more jobs than there may be, and in the end the
// quota is what is left (QT1). If meanwhile limits are switched off and on, that still counts all jobs.
func TestLimitsOverShards(t *testing.T) {
	for _, switched := range []bool{false, true} {
		t.Run(fmt.Sprintf("switched=%t", switched), func(t *testing.T) {
			const most, clients, rounds = 40, 6, 1500
			r := newRouterOf(t, 5)
			defer r.Close()
			limits := queue.Amount{queue.BoundJobs: most}
			r.SetLimits(limits)
			var live, refused atomic.Int64
			var all sync.WaitGroup
			for i := range clients {
				all.Go(func() {
					c := newClient(r)
					defer func() { c.Finish(c.Close()) }()
					c.use(fmt.Sprint("tube", i))
					dice := rand.New(rand.NewPCG(1, uint64(i)))
					var mine []uint64
					for range rounds {
						if dice.IntN(5) < 3 {
							id, ok := c.tryPut(t)
							if !ok {
								refused.Add(1)
								continue
							}
							mine = append(mine, id)
							if n := live.Add(1); n > most && !switched {
								t.Errorf("there are %d jobs", n)
							}
						} else if len(mine) > 0 {
							live.Add(-1)
							if !c.delete(mine[0]) {
								t.Errorf("job %d is not there", mine[0])
							}
							mine = mine[1:]
						}
					}
				})
			}
			if switched {
				for range 50 {
					r.SetLimits(queue.Amount{})
					r.SetLimits(limits)
				}
			}
			all.Wait()
			if used := r.Quota().Used(); used[queue.BoundJobs] != live.Load() || used[queue.BoundBytes] != live.Load()*int64(len(body)) {
				t.Errorf("%v are counted, %d jobs are there", used, live.Load())
			}
			if !switched && refused.Load() == 0 {
				t.Error("nobody has met the limit")
			}
			r.SetLimits(queue.Amount{})
			if used := r.Quota().Used(); used != (queue.Amount{}) {
				t.Errorf("%v are counted without limits", used)
			}
		})
	}
}

// A job that goes to a tube of another shard counts once when it is there, and is not refused.
func TestLimitsAndJobsThatMove(t *testing.T) {
	const shards = 4
	far := afar("mail", shards)
	r := must.Get(New(Options{Shards: shards, Store: newCutStore(shards), PolicyFor: farPolicy(far)}))
	r.SetLimits(queue.Amount{queue.BoundJobs: 1})
	c := newClient(r, "mail")
	c.use("mail")
	id := c.put(1, 60)
	c.begin(true)
	c.run(r.TubeShard([]byte("mail")), queue.Op{Kind: queue.Release, ID: id, Pri: 1}, true)
	r.settle(c)
	if n := c.tube(far).Ready; n != 1 || r.Quota().Used()[queue.BoundJobs] != 1 {
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
	c.close()
	must.Do(t, r.Close())
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
	c.close()
	must.Do(t, r.Close())

	r = must.Get(New(Options{Shards: 3, Store: store}))
	r.SetLimits(queue.Amount{queue.BoundJobs: 4})
	c = newClient(r)
	for i, id := range ids {
		if _, ok := c.tryPut(t); ok != (i == 3) {
			t.Errorf("after %d deletes a put has room: %t", i, ok)
		}
		if i < 3 && !c.delete(id) {
			t.Errorf("job %d is gone", id)
		}
	}
	c.close()
	must.Do(t, r.Close())
}
