package queue

import (
	"math/rand/v2"
	"testing"

	"beanfield/shard/queue/cells"
)

// checkIndex compares with a map, and walks all chains.
func checkIndex(t *testing.T, x *index, jobs *cells.Slab[job], want map[uint64]uint32) {
	t.Helper()
	n := 0
	total := x.Len()
	for b := range total {
		for slot := *x.Head(b); slot != 0; slot = jobs.At(slot).chain {
			if x.bucketOf(jobs.At(slot).id()) != b {
				t.Fatalf("job %d is in bucket %d, belongs into %d", jobs.At(slot).id(), b,
					x.bucketOf(jobs.At(slot).id()))
			}
			n++
		}
	}
	if n != len(want) || int(x.N) != n {
		t.Fatalf("%d chained, %d counted, want %d", n, x.N, len(want))
	}
	for id, slot := range want {
		if got := x.find(jobs, id); got != slot {
			t.Fatalf("job %d is found at %d, want %d", id, got, slot)
		}
	}
	if size := x.Room(); size < total || size > total+3*cells.ChunkLen {
		t.Fatalf("memory for %d buckets, %d in use", size, total)
	}
}

// The index grows and shrinks again, bucket by bucket, and loses nothing.
func TestIndex(t *testing.T) {
	rnd := rand.New(rand.NewPCG(2, 2))
	jobs := cells.NewSlab[job]()
	x := newIndex()
	want := map[uint64]uint32{}
	var ids []uint64
	next := uint64(0)
	add := func() {
		next += uint64(rnd.IntN(3)) + 1 // as when other shards take ids, too
		slot := jobs.Alloc()
		*jobs.At(slot) = newJob(next, 0, 0)
		x.insert(&jobs, slot)
		want[next] = slot
		ids = append(ids, next)
	}
	drop := func() {
		i := rnd.IntN(len(ids))
		id := ids[i]
		ids[i] = ids[len(ids)-1]
		ids = ids[:len(ids)-1]
		slot := x.find(&jobs, id)
		x.remove(&jobs, slot)
		jobs.Release(slot)
		delete(want, id)
		if x.find(&jobs, id) != 0 {
			t.Fatalf("job %d is found after its end", id)
		}
	}
	for _, target := range []int{1, 0, 1023, 1025, 5000, 200, 9000, 9000, 4000, 4097, 0, 3000, 0} {
		for len(ids) != target {
			if r := rnd.IntN(5); (r > 0) == (len(ids) < target) || len(ids) == 0 {
				add()
			} else {
				drop()
			}
			if len(want)%1000 == 0 {
				checkIndex(t, &x, &jobs, want)
			}
		}
		checkIndex(t, &x, &jobs, want)
	}
	// It shrinks when a quarter is used, one bucket for each removal.
	if total := x.Len(); total > cells.ChunkLen+9000 {
		t.Errorf("%d buckets are left for no job", total)
	}
}

// Ids in order, and those that a router deals out in steps, must not crowd in a few buckets: by chance, to find a job
// is to look at one and a half.
func TestIndexSpreads(t *testing.T) {
	for _, n := range []int{20_000, 1_000_000} {
		for _, step := range []uint64{1, 2, 3, 8, 16, 64, 254, 256, 1024, 4096, 1 << 20} {
			x := newIndex()
			x.N = uint32(n)
			x.Fit()
			jobs := make([]int, x.Len())
			for i := range uint64(n) {
				jobs[x.bucketOf(1+i*step)]++
			}
			looks := 0
			for _, k := range jobs {
				looks += k * (k + 1) / 2
			}
			if mean := float64(looks) / float64(n); mean > 1.75 {
				t.Errorf("%d ids in steps of %d: %.2f jobs are looked at to find one", n, step, mean)
			}
		}
	}
}

// An index that is filled at once is like one that has grown, and goes on like one.
func TestIndexFiled(t *testing.T) {
	for _, n := range []int{0, 1, 1023, 1024, 1025, 2047, 2048, 5000, 9000} {
		jobs, grownJobs := cells.NewSlab[job](), cells.NewSlab[job]()
		x, grown := newIndex(), newIndex()
		want := map[uint64]uint32{}
		for i := range n {
			slot, id := jobs.Alloc(), uint64(1+3*i)
			*jobs.At(slot) = newJob(id, 0, 0)
			x.postpone(&jobs, slot)
			want[id] = slot
			*grownJobs.At(grownJobs.Alloc()) = newJob(id, 0, 0)
			grown.insert(&grownJobs, slot)
		}
		x.file(&jobs)
		checkIndex(t, &x, &jobs, want)
		if x.Len() != grown.Len() || x.Room() != grown.Room() {
			t.Errorf("%d jobs: %d buckets, memory for %d; grown %d, %d", n, x.Len(), x.Room(), grown.Len(),
				grown.Room())
		}
		slot := jobs.Alloc()
		*jobs.At(slot) = newJob(2, 0, 0)
		x.insert(&jobs, slot)
		want[2] = slot
		checkIndex(t, &x, &jobs, want)
		for id, slot := range want {
			x.remove(&jobs, slot)
			delete(want, id)
		}
		checkIndex(t, &x, &jobs, want)
	}
}
