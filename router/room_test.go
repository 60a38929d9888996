package router

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"beanfield/shard/queue"
)

// Many clients on all shards wait for little room, and some give up at once. Never is there more than there may be, and
// everybody who waits on is served in the end: a wake-up that was lost would be one for ever.
func TestPutsWaitOverShards(t *testing.T) {
	const most, putters, rounds = 3, 6, 400
	r := newRouterOf(t, 5)
	r.SetLimits(queue.Amount{queue.BoundJobs: most})
	ids := make(chan uint64, most+1)
	over := make(chan struct{})
	close(over)
	var live, waited, gaveUp atomic.Int64
	var all, deleters sync.WaitGroup
	for i := range putters {
		all.Go(func() {
			c := newClient(r)
			defer c.close()
			c.use(fmt.Sprint("tube", i))
			dice := rand.New(rand.NewPCG(2, uint64(i)))
			for range rounds {
				op := *c.run(c.UsedShard(), queue.Op{Kind: queue.Put, TTR: 60, Size: 1, Data: []byte("x"), Options: &queue.Options{TTR: 60 * second, Timeout: second}}, true)
				if op.Status == queue.Waiting {
					var stop chan struct{}
					if dice.IntN(3) == 0 {
						stop = over
					}
					c.BeginWait()
					op.ID, _ = c.await(stop)
					op.Status = c.Reservation.Status
					waited.Add(1)
				}
				switch op.Status {
				case queue.OK:
					if n := live.Add(1); n > most {
						t.Errorf("there are %d jobs", n)
					}
					ids <- op.ID
				case queue.TimedOut:
					gaveUp.Add(1)
				default:
					t.Errorf("a put is answered %v", op.Status)
				}
			}
		})
	}
	for range 2 {
		deleters.Go(func() {
			c := newClient(r)
			defer c.close()
			for id := range ids {
				if live.Add(-1); !c.delete(id) {
					t.Errorf("job %d is not there", id)
				}
			}
		})
	}
	all.Wait()
	close(ids)
	deleters.Wait()
	if used := r.Quota().Used(); used != (queue.Amount{}) || waited.Load() == 0 {
		t.Errorf("%v are counted, %d puts have waited, %d of them gave up", used, waited.Load(), gaveUp.Load())
	}
	mustBeEmpty(t, r)
}
