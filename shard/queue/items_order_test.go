package queue

import (
	"math/rand/v2"
	"slices"
	"testing"

	"beanfield/shard/queue/cells"
)

// sorted is an order beside what it must say, and the jobs that it names.
type sorted struct {
	t    *testing.T
	jobs cells.Slab[job]
	o    order
	ids  []uint64
	slot map[uint64]uint32
	last uint64 // id of a job that has passed
}

func newSorted(t *testing.T) *sorted {
	x := &sorted{t: t, jobs: cells.NewSlab[job](), slot: map[uint64]uint32{}}
	x.o.jobs = &x.jobs
	return x
}

func (x *sorted) insert(id uint64) {
	slot := x.jobs.Alloc()
	*x.jobs.At(slot) = newJob(id, 0, 1)
	x.slot[id] = slot
	i, _ := slices.BinarySearch(x.ids, id)
	x.ids = slices.Insert(x.ids, i, id)
	x.o.insert(slot)
}

func (x *sorted) remove(i int) {
	id := x.ids[i]
	x.ids = slices.Delete(x.ids, i, i+1)
	x.o.remove(x.slot[id])
	x.jobs.Release(x.slot[id])
	delete(x.slot, id)
}

// compare walks in both directions.
func (x *sorted) compare() {
	x.t.Helper()
	if err := x.o.check(); err != nil {
		x.t.Fatal(err)
	}
	var there, back []uint64
	end := x.o.seek(0)
	for p := end; x.o.at(p) != 0; p = x.o.next(p) {
		there = append(there, x.jobs.At(x.o.at(p)).id())
		end = x.o.next(p)
	}
	for p := x.o.back(end); x.o.at(p) != 0; p = x.o.back(p) {
		back = append(back, x.jobs.At(x.o.at(p)).id())
	}
	slices.Reverse(back)
	if !slices.Equal(there, x.ids) || !slices.Equal(back, x.ids) || x.o.n != len(x.ids) {
		x.t.Fatalf("%d jobs in order %v and back %v, want %v", x.o.n, there, back, x.ids)
	}
}

// seek looks an id up that may not be there.
func (x *sorted) seek(id uint64) {
	x.t.Helper()
	i, there := slices.BinarySearch(x.ids, id)
	got := x.o.at(x.o.seek(id))
	if i == len(x.ids) && got == 0 {
		return
	}
	if i == len(x.ids) || got != x.slot[x.ids[i]] {
		x.t.Fatalf("the first from %d on is slot %d of %v", id, got, x.ids)
	}
	if there && !x.o.has(got) {
		x.t.Fatalf("%d is not there", id)
	}
}

// An order says what a sorted slice says, whatever comes and goes where.
func TestOrderIsSorted(t *testing.T) {
	for seed := range uint64(30) {
		rnd := rand.New(rand.NewPCG(seed, 5))
		x := newSorted(t)
		next := uint64(1)
		spread, often := uint64(1+rnd.IntN(4)), 200+rnd.IntN(20)
		for step := range 12000 {
			grow := step/3000%2 == 0
			switch r := rnd.IntN(10); {
			case grow == (r < 7) && r != 9:
				next += 1 + rnd.Uint64N(spread)
				x.insert(next)
			case r == 9 || seed%3 == 0 && r > 3: // late
				if id := 1 + rnd.Uint64N(next); x.slot[id] == 0 {
					x.insert(id)
				}
			case len(x.ids) > 0 && r%2 == 0:
				x.remove(0)
			case len(x.ids) > 0:
				x.remove(rnd.IntN(len(x.ids)))
			}
			x.seek(rnd.Uint64N(next + 2))
			if step%often == 0 {
				x.compare()
			}
		}
		for len(x.ids) > 0 {
			x.remove(len(x.ids) - 1)
		}
		x.compare()
	}
}

// pass has a job come at the end, and with more than so many there the first one go.
func (x *sorted) pass(waiting int) {
	slot := x.jobs.Alloc()
	x.last++
	*x.jobs.At(slot) = newJob(x.last, 0, 1)
	if x.o.insert(slot); x.o.n > waiting {
		first := x.o.at(x.o.seek(0))
		x.o.remove(first)
		x.jobs.Release(first)
	}
}

// Jobs that come at the end and go at the beginning cost no new memory: one at a time, as
// when each is pushed at once, or a few at a time. A long queue makes hardly any garbage.
func TestOrderKeepsItsMemory(t *testing.T) {
	for waiting, most := range map[int]float64{0: 0, 1: 0, 5: 0, 100: 0, runMost - 1: 0.125, runMost: 0.125,
		runMost + 1: 0.125, 5 * runMost: 0.125} {
		x := newSorted(t)
		for range waiting + 1000 {
			x.pass(waiting)
		}
		if n := testing.AllocsPerRun(1, func() {
			for range 5000 {
				x.pass(waiting)
			}
		}) / 5000; n > most {
			t.Errorf("with %d jobs there, one more makes %v allocations", waiting, n)
		}
		if err := x.o.check(); err != nil || x.o.n != waiting {
			t.Errorf("%d jobs are left of %d: %v", x.o.n, waiting, err)
		}
	}
}

// A job of a long order costs at most eight bytes, also when most of the jobs have
// gone, wherever they stood.
func TestOrderIsSmall(t *testing.T) {
	x := newSorted(t)
	const n = 100_000
	for id := range uint64(n) {
		x.insert(id + 1)
	}
	memory := func() (bytes int) {
		for _, r := range x.o.runs {
			bytes += 4 * max(cap(r.slots), cap(r.memory))
		}
		return bytes
	}
	ends := 4 * 4 * runMost // the first run, the last, and their neighbours
	if m := memory(); m > 5*n {
		t.Errorf("%d jobs take %d bytes", n, m)
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	for len(x.ids) > n/50 {
		x.remove(rnd.IntN(len(x.ids)))
	}
	if m := memory(); m > 8*len(x.ids)+ends {
		t.Errorf("%d jobs take %d bytes", len(x.ids), m)
	}
	x.compare()
}
