package router

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"beanfield/shard/queue"
	"beanfield/shard/queue/policy"
	"beanfield/storage"
	"beanfield/storage/must"
)

// A census tells of each tube once, and its sums equal the figures of all shards.
func TestCensus(t *testing.T) {
	r := must.Get(New(Options{Shards: 3, Store: storage.Memory()}))
	defer r.Close()
	const tubes = 3*censusShare + 7
	for i := range tubes {
		op := queue.Op{Kind: queue.Service, Size: 1, Data: []byte("x"), Pri: uint32(i % 2000), Ask: &queue.Ask{
			What: queue.AskPut, Queue: fmt.Sprintf("tube-%d", i), Limits: &policy.Limits{},
		}}
		if r.Ask(&op); op.Status != queue.OK {
			t.Fatal(op.Status)
		}
	}
	seen := map[string]int{}
	ready, jobs, all := 0, 0, 0
	for i := range r.Shards() {
		if !r.Census(t.Context(), i, func(list []queue.TubeFigures) {
			for _, f := range list {
				seen[f.Name]++
				ready += f.Ready
				if f.Name != DefaultTube && !f.Queue {
					t.Errorf("%s is not known as a queue", f.Name)
				}
			}
		}) {
			t.Fatal("a census is not complete")
		}
		f, ok := r.Look(t.Context(), i)
		if !ok {
			t.Fatal("a look is not answered")
		}
		jobs += f.Sums.Ready
		all += f.Tubes
	}
	names := r.TubeNames()
	if len(seen) != names.Count || all != names.Count || ready != tubes || jobs != tubes {
		t.Errorf("%d names and %d tubes with %d ready jobs, %d by the sums; want %d and %d", len(seen), all, ready,
			jobs, names.Count, tubes)
	}
	for name, n := range seen {
		if n != 1 {
			t.Errorf("%s is told %d times", name, n)
		}
	}
}

// Tubes that are born and die during a census do no harm; those that stay are told of.
func TestCensusWhileTubesChange(t *testing.T) {
	r := must.Get(New(Options{Shards: 1, Store: storage.Memory()}))
	defer r.Close()
	put := func(name string) uint64 {
		op := queue.Op{Kind: queue.Service, Ask: &queue.Ask{What: queue.AskPut, Queue: name, Limits: &policy.Limits{}}}
		r.Ask(&op)
		return op.ID
	}
	for i := range 5 * censusShare {
		put(fmt.Sprintf("stays-%d", i))
	}
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := 0; ctx.Err() == nil; i++ {
			name := fmt.Sprintf("passes-%d", i%1000)
			id := put(name)
			r.Ask(&queue.Op{Kind: queue.Service, Ask: &queue.Ask{What: queue.AskDelete, Queue: name,
				Limits: &policy.Limits{}, Indexes: []uint64{id}}})
		}
	})
	for range 50 {
		stays := 0
		r.Census(ctx, 0, func(list []queue.TubeFigures) {
			for _, f := range list {
				if f.Name[0] == 's' {
					stays++
				}
			}
		})
		if stays != 5*censusShare {
			t.Errorf("%d tubes are told of, want %d", stays, 5*censusShare)
		}
	}
	cancel()
	wg.Wait()
}
