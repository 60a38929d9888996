package router

import (
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"beanfield/shard/queue"
)

// successor waits for a job that somebody else holds, and notes when it was
// told that it has come.
type successor struct {
	*client
	deadline int64 // of the holder
	told     atomic.Int64
}

// Notify notes the time on the shard's own goroutine.
func (s *successor) Notify() {
	if s.Delivered() {
		s.told.CompareAndSwap(0, s.r.Now())
	}
	s.client.Notify()
}

// 300 workers fall silent, each with a job that has a TTR of 1 s and a tube of its own, spread
// over the shards: all jobs come to who waits for them, exactly then by a clock that stands
// still while anybody works.
func TestSilentWorkersExpireExactly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRouterOf(t, 8)
		var heirs []*successor
		var silent []*client
		for i := range 300 {
			tube := fmt.Sprint("tube ", i)
			worker := newClient(r, tube)
			worker.use(tube)
			worker.put(1, 1)
			if _, status := worker.begin(false); status != queue.OK {
				t.Fatalf("worker %d: status %d", i, status)
			}
			silent = append(silent, worker)
			// The second tube spreads the wait over two shards.
			h := &successor{client: newClient(r, tube, fmt.Sprint("idle ", i)), deadline: worker.Soonest()}
			h.owner = h
			h.begin(false)
			heirs = append(heirs, h)
		}
		for i, h := range heirs {
			if id, ok := h.await(nil); !ok || !h.delete(id) {
				t.Errorf("worker %d was not the holder any more, and nobody else is", i)
			}
			if told := h.told.Load(); told != h.deadline {
				t.Errorf("job %d expired %v late", i, time.Duration(told-h.deadline))
			}
			h.close()
			silent[i].close()
		}
		mustBeEmpty(t, r)
	})
}

// A wait ends with a job whose delay or whose tube's pause ends, without
// anybody else doing anything.
func TestTimeAloneEndsWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRouterOf(t, 4)
		c := newClient(r, "delayed", "paused", "idle")
		other := newClient(r)
		other.use("delayed")
		other.run(other.UsedShard(), queue.Op{Kind: queue.Put, ID: other.NewID(), Delay: 3, TTR: 100}, true)
		other.use("paused")
		paused := queue.Op{Kind: queue.Pause, Data: []byte("paused"), Delay: 2}
		other.run(r.TubeShard([]byte("paused")), paused, false)
		id := other.put(1, 100)
		began := r.Now()
		for i, want := range []struct {
			id    uint64
			after time.Duration
		}{{id, 2 * time.Second}, {id - 1, 3 * time.Second}} {
			got, ok := c.reserve(nil)
			if after := time.Duration(r.Now() - began); !ok || got != want.id || after != want.after {
				t.Errorf("reserve %d brought job %d, %v after %v; want job %d after %v", i, got, ok, after, want.id, want.after)
			}
			c.delete(got)
		}
		c.close()
		other.close()
		mustBeEmpty(t, r)
	})
}
