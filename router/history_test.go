package router

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"beanfield/shard/queue"
	"beanfield/storage/effort"
)

// history counts what happens to each job of a test.
type history struct {
	count   int
	handed  []atomic.Int32 // by id
	deleted []atomic.Int32
	left    atomic.Int64
	done    chan struct{} // closed when all jobs are deleted
}

func newHistory(count int) *history {
	h := &history{count: count, done: make(chan struct{})}
	h.handed = make([]atomic.Int32, count+1)
	h.deleted = make([]atomic.Int32, count+1)
	h.left.Store(int64(count))
	return h
}

func (h *history) delete(id uint64) {
	h.deleted[id].Add(1)
	if h.left.Add(-1) == 0 {
		close(h.done)
	}
}

func (h *history) check(t *testing.T, once bool) {
	t.Helper()
	for id := 1; id <= h.count; id++ {
		if n := h.handed[id].Load(); n == 0 || once && n != 1 {
			t.Errorf("job %d was handed out %d times", id, n)
		}
		if n := h.deleted[id].Load(); n != 1 {
			t.Errorf("job %d was deleted %d times", id, n)
		}
		if t.Failed() {
			return
		}
	}
}

// overlapping are sets of tubes such that each tube is in several: worker w
// watches from one to nine of them.
func overlapping(w, tubes int) (names []string) {
	for k := range 1 + w%9 {
		names = append(names, fmt.Sprint("tube ", (w*3+k*5)%tubes))
	}
	return names
}

func everyTube(tubes int) (names []string) {
	for k := range tubes {
		names = append(names, fmt.Sprint("tube ", k))
	}
	return names
}

// 100,000 jobs through 8 producers and 16 workers on overlapping tube sets
// over 8 shards: each is handed out exactly once.
func TestEachJobIsHandedOutOnce(t *testing.T) {
	count := 100_000
	if effort.Brief() {
		count = 10_000
	}
	finishAll(t, 8, count, true, func(c *client, h *history, _ *rand.Rand) bool {
		id, ok := c.reserve(h.done)
		if !ok {
			return false
		}
		h.handed[id].Add(1)
		if !c.delete(id) {
			panic(fmt.Sprintf("R1: job %d cannot be deleted by its holder", id))
		}
		h.delete(id)
		return true
	})
}

// Clients come and go at random, also while they wait and while they hold
// jobs, and give jobs back in every way. Nothing is lost: each job is deleted
// exactly once in the end.
func TestNothingIsLostWhenClientsLeave(t *testing.T) {
	count := 40_000
	if effort.Brief() {
		count = 8_000
	}
	finishAll(t, 9, count, false, (*client).workCarelessly)
}

// finishAll has producers put jobs and 16 workers work until none is left. A worker who does
// not stay comes back and watches other tubes.
func finishAll(t *testing.T, shards, count int, stay bool, work func(c *client, h *history, rnd *rand.Rand) bool) {
	const producers, workers, tubes = 8, 16, 20
	r := newRouterOf(shards)
	h := newHistory(count)
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			rnd := rand.New(rand.NewPCG(uint64(w), 5))
			for visit := w; h.left.Load() > 0; visit++ {
				watch := overlapping(visit, tubes)
				if w == 0 { // one of them sees every tube, so that no job waits for ever
					watch = everyTube(tubes)
				}
				c := newClient(r, watch...)
				for turn := rnd.IntN(30); (stay || turn >= 0) && work(c, h, rnd); turn-- {
				}
				c.close()
			}
		})
	}
	for p := range producers {
		all.Go(func() {
			rnd := rand.New(rand.NewPCG(uint64(p), 6))
			c := newClient(r)
			for range count / producers {
				if !stay && rnd.IntN(50) == 0 {
					c.close()
					c = newClient(r)
				}
				c.use(fmt.Sprint("tube ", rnd.IntN(tubes)))
				c.put(rnd.Uint32N(10), 100)
			}
			c.close()
		})
	}
	all.Wait()
	h.check(t, stay)
	mustBeEmpty(t, r)
}

// atOnce is closed: it stops a wait that has just begun.
var atOnce = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// workCarelessly reserves and does something with the job. It reports false
// when the client is to leave, perhaps in the midst of a wait.
func (c *client) workCarelessly(h *history, rnd *rand.Rand) bool {
	id, status := c.begin(rnd.IntN(3) == 0)
	if status == queue.Waiting {
		stop := h.done
		switch rnd.IntN(3) {
		case 0:
			return false // close while waiting
		case 1:
			stop = atOnce // unless a shard is quicker
		}
		if got, ok := c.await(stop); ok {
			id, status = got, queue.OK
		}
	}
	if status != queue.OK {
		return h.left.Load() > 0
	}
	h.handed[id].Add(1)
	i, ok := c.r.Owner(id)
	if !ok {
		panic(fmt.Sprintf("R2: job %d is held and in no directory", id))
	}
	op := queue.Op{ID: id, Pri: rnd.Uint32N(10)}
	switch rnd.IntN(6) {
	case 0:
		return false // close while holding
	case 1:
		op.Kind = queue.Release
	case 2:
		op.Kind = queue.Bury
	default:
		op.Kind = queue.Delete
	}
	if c.run(i, op, false).Status != queue.OK {
		panic(fmt.Sprintf("R1: job %d is not its holder's", id))
	}
	switch op.Kind {
	case queue.Delete:
		h.delete(id)
	case queue.Bury:
		c.run(i, queue.Op{Kind: queue.KickJob, ID: id}, false) // nobody else can kick it
	}
	return true
}
