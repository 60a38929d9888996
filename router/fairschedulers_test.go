package router

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"beanfield/shard/queue"
	"beanfield/shard/queue/policy"
	"beanfield/storage"
	"beanfield/storage/effort"
	"beanfield/storage/must"
)

// fair is a router whose tubes have weights, and many jobs.
type fair struct {
	r       *Router
	weights []int // 0 for none
	tubes   []string
	tubeOf  map[uint64]int
	taken   []atomic.Int64
}

func newFair(t *testing.T, shards, jobs int, weights []int) *fair {
	f := &fair{weights: weights, tubeOf: map[uint64]int{}, taken: make([]atomic.Int64, len(weights))}
	policies := map[string]*policy.Policy{}
	for i, w := range weights {
		name := fmt.Sprint("tube-", i)
		f.tubes = append(f.tubes, name)
		if w > 0 {
			policies[name] = &policy.Policy{Weight: w}
		}
	}
	f.r = must.Get(New(Options{Shards: shards, Store: storage.Memory(), PolicyFor: func(tube string) *policy.Policy {
		return policies[tube]
	}}))
	c := newClient(f.r)
	for i, name := range f.tubes {
		c.use(name)
		for n := range jobs {
			f.tubeOf[c.put(uint32(n*7919%1000), 60)] = i
		}
	}
	c.close()
	return f
}

// take counts a job that a client has reserved, and gives it back.
func (f *fair) take(t *testing.T, c *client, id uint64) {
	f.taken[f.tubeOf[id]].Add(1)
	i, _ := f.r.Owner(id)
	if op := c.run(i, queue.Op{Kind: queue.Release, ID: id, Pri: uint32(id % 1000)}, true); op.Status != queue.OK {
		t.Errorf("release: status %d", op.Status)
	}
}

// takeSeveral reserves up to so many jobs by one command. It gets fewer only if others take some of
// those that it was offered.
func (f *fair) takeSeveral(t *testing.T, c *client, most int) (n int) {
	var ids []uint64
	if c.ReserveInPlace(nil) {
		op := c.run(c.WatchShard(), queue.Op{Kind: queue.ReserveSeveral, Poll: true, Limit: uint32(most)}, true)
		for _, k := range c.batch.TakenBy(op) {
			ids = append(ids, k.ID)
		}
	} else {
		c.Finish(c.ReserveSeveral(most, nil, true))
		for _, j := range c.Several.Jobs {
			ids = append(ids, j.ID)
		}
	}
	for _, id := range ids {
		f.take(t, c, id)
	}
	return len(ids)
}

// work is what a worker may do with about so many reserves.
var works = []struct {
	name string
	do   func(t *testing.T, f *fair, rnd *rand.Rand, n int)
}{
	{"one at a time", func(t *testing.T, f *fair, _ *rand.Rand, n int) {
		c := newClient(f.r, f.tubes...)
		for range n {
			id, _ := c.begin(true)
			f.take(t, c, id)
		}
		c.close()
	}},
	{"workers that come for one job", func(t *testing.T, f *fair, rnd *rand.Rand, n int) {
		for range n {
			tubes := make([]string, len(f.tubes))
			for i, k := range rnd.Perm(len(tubes)) {
				tubes[i] = f.tubes[k]
			}
			c := newClient(f.r, tubes...)
			id, _ := c.begin(true)
			f.take(t, c, id)
			c.close()
		}
	}},
	{"several at a time", func(t *testing.T, f *fair, rnd *rand.Rand, n int) {
		c := newClient(f.r, f.tubes...)
		for n > 0 {
			n -= f.takeSeveral(t, c, min(n, 1+rnd.IntN(64)))
		}
		c.close()
	}},
}

// Within two in a hundred of what was asked, tubes get their part of a hundred thousand reserves,
// over one and several shards, whatever the workers do, and however many work at once.
func TestShareOfWeights(t *testing.T) {
	reserves := 100_000
	if effort.Brief() {
		reserves = 20_000
	}
	for _, shards := range []int{1, 3, 8} {
		if effort.Raced && shards != 3 || testing.Short() && shards == 8 {
			continue
		}
		for _, weights := range [][]int{{1, 1}, {1, 2, 5}, {7, 3, 0, 4, 6}, {1, 10, 100}, {97, 31, 13, 59, 3, 17}} {
			run := func(work string, do func(f *fair)) {
				t.Run(fmt.Sprint(shards, " shards, weights ", weights, ", ", work), func(t *testing.T) {
					f := newFair(t, shards, 300, weights)
					do(f)
					f.check(t, reserves)
				})
			}
			run("all of these at once", func(f *fair) { f.crowd(t, reserves) })
			for _, w := range works {
				if !effort.Raced && (shards == 3 || !testing.Short()) { // each is one goroutine
					run(w.name, func(f *fair) { w.do(t, f, rand.New(rand.NewPCG(1, 2)), reserves) })
				}
			}
		}
	}
}

// crowd lets workers of all kinds work at once.
func (f *fair) crowd(t *testing.T, n int) {
	var all sync.WaitGroup
	const each = 2
	for i := range each * len(works) {
		all.Go(func() { works[i%len(works)].do(t, f, rand.New(rand.NewPCG(uint64(i), 3)), n/each/len(works)) })
	}
	all.Wait()
}

func (f *fair) check(t *testing.T, reserves int) {
	sum := 0
	for _, w := range f.weights {
		sum += max(1, w)
	}
	for i, w := range f.weights {
		want := float64(reserves) * float64(max(1, w)) / float64(sum)
		if got := float64(f.taken[i].Load()); got < 0.98*want || got > 1.02*want {
			t.Errorf("weight %d of %d: %.0f of %d jobs, want %.0f", w, sum, got, reserves, want)
		}
	}
	must.Do(t, f.r.Close())
}
