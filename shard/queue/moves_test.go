package queue

import (
	"fmt"
	"testing"
)

// fill puts n jobs without looking at the state after each.
func (w *world) fill(u *user, n int, delay uint32) (first uint64) {
	first = w.lastID + 1
	for range n {
		w.lastID++
		w.bodies[w.lastID] = "x"
		u.apply(Op{Kind: Put, ID: w.lastID, Pri: 5, Delay: delay, TTR: 600, Data: []byte("x"), Size: 1})
	}
	return first
}

// Long operations come in slices, between which others may go on.
func TestSlices(t *testing.T) {
	t.Run("kick of delayed jobs", func(t *testing.T) {
		w := newWorld(t)
		w.fill(w.user("a"), 2500, 100)
		w.run(`
			a kick 2100 -> 2100
			a totals -> ready=2100 delayed=400
			b poll -> 1`)
	})
	for _, n := range []int{Slice - 1, Slice, Slice + 1, 2 * Slice, 3*Slice - 72} {
		t.Run(fmt.Sprint("kick and detach of ", n), func(t *testing.T) {
			w := newWorld(t)
			a, b := w.user("a"), w.user("b")
			w.fill(a, n, 0)
			for range n {
				b.apply(Op{Kind: Reserve, Poll: true})
			}
			for id := uint64(n); id > 0; id-- {
				b.apply(Op{Kind: Bury, ID: id, Pri: 5})
			}
			w.run(fmt.Sprintf("a peek-buried -> %d\n a kick 4000000000 -> %d", n, n))
			if most := n/Slice + 1; w.slices > most || w.slices < (n-1)/Slice+1 {
				t.Errorf("kick of %d jobs took %d slices", n, w.slices)
			}
			for range n {
				b.apply(Op{Kind: Reserve, Poll: true})
			}
			w.run("b detach")
			if most := n/Slice + 1; w.slices > most || w.slices < (n-1)/Slice+1 {
				t.Errorf("detach with %d jobs took %d slices", n, w.slices)
			}
			w.run(fmt.Sprintf("a totals -> ready=%d reserved=0", n))
		})
	}
}

func TestOthersGoOnBetweenSlices(t *testing.T) {
	w := newWorld(t)
	a := w.user("a")
	const n = Slice * 3 / 2
	w.fill(a, n, 100)
	b := &Batch{Client: &a.client, Ops: []Op{{Kind: Kick, Limit: n - 100}}}
	w.s.Apply(w.now, b, &b.Ops[0])
	if b.Ops[0].Status != More || b.Ops[0].Count != Slice {
		t.Fatalf("after one slice: %+v", b.Ops[0])
	}
	w.run(fmt.Sprintf("c poll -> 1\n c delete 1\n c delete %d\n c delete %d", n, n-1)) // two of them still delayed
	w.s.Apply(w.now, b, &b.Ops[0])
	if b.Ops[0].Status != OK || b.Ops[0].Count != n-100 {
		t.Fatalf("at the end: %+v", b.Ops[0])
	}
	w.run(fmt.Sprintf("a totals -> ready=%d delayed=98", n-101))
}

func TestTickInSlices(t *testing.T) {
	w := newWorld(t)
	const n = Slice*5/2 - 60
	w.fill(w.user("a"), n, 1)
	w.now += second
	for _, want := range []int{Slice, 2 * Slice, n} {
		if more := w.s.Tick(w.now); more != (want < n) || w.s.totals.Ready != want {
			t.Fatalf("Tick says %v and leaves %d ready, want %d", more, w.s.totals.Ready, want)
		}
	}
	w.run(fmt.Sprintf("a totals -> ready=%d delayed=0", n))
}
