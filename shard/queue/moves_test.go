package queue

import (
	"fmt"
	"testing"
)

func TestRelease(t *testing.T) {
	runScripts(t, []script{
		{"without delay", `
			a put 5 0 60 -> 1
			b poll -> 1
			b release 1 7 0
			a stats-job 1 -> state=ready pri=7 delay=0 releases=1 reserves=1 left=0`},
		{"with delay, which is shown ever after", `
			a put 5 0 60 -> 1
			b poll -> 1
			b release 1 6 4
			a stats-job 1 -> state=delayed pri=6 delay=4 left=4
			+4s
			a stats-job 1 -> state=ready delay=4 left=0
			b poll -> 1
			b release 1 6 0
			a stats-job 1 -> delay=0 releases=2 reserves=2`},
		{"to who waits, the holder too", `
			a put 5 0 60 -> 1
			b poll -> 1
			c reserve -> waiting
			b release 1 5 0 => c:1
			b reserve -> waiting
			c release 1 5 1
			+1s => b:1`},
	})
}

func TestBuryAndKick(t *testing.T) {
	runScripts(t, []script{
		{"kick takes the oldest bury first", `
			a put 1 0 60 -> 1
			a put 2 0 60 -> 2
			a put 3 0 60 -> 3
			b poll -> 1
			b poll -> 2
			b poll -> 3
			b bury 2 9
			b bury 3 8
			b bury 1 7
			a peek-buried -> 2
			a stats-job 2 -> state=buried pri=9 buries=1 left=0
			a kick 1 -> 1
			a peek-buried -> 3
			a stats-job 2 -> state=ready pri=9 kicks=1
			a kick 9 -> 2
			a peek-buried -> no
			b poll -> 1
			b poll -> 3
			b poll -> 2`},
		{"buried jobs only, as long as there is one", `
			a put 1 0 60 -> 1
			a put 1 30 60 -> 2
			b poll -> 1
			b bury 1 1
			a kick 10 -> 1
			a stats-job 2 -> state=delayed kicks=0
			a kick 10 -> 1
			a stats-job 2 -> state=ready kicks=1
			a kick 10 -> 0`},
		{"delayed jobs soonest first", `
			a put 1 30 60 -> 1
			a put 1 10 60 -> 2
			a put 1 20 60 -> 3
			a kick 0 -> 0
			a kick 2 -> 2
			a peek-delayed -> 1
			b poll -> 2
			b poll -> 3
			b poll -> timeout`},
	})
}

func TestKickAndOthers(t *testing.T) {
	runScripts(t, []script{
		{"waiters are served between kicks", `
			a put 9 0 60 -> 1
			a put 1 0 60 -> 2
			b poll -> 2
			b poll -> 1
			b bury 1 9
			b bury 2 1
			c reserve -> waiting
			d reserve -> waiting
			a kick 2 -> 2 => c:1 d:2`},
		{"kick looks at the used tube, also when it is paused", `
			a use other
			a put 1 50 60 -> 1
			a pause other 5
			b kick 1 -> 0
			b watch other
			b reserve -> waiting
			a kick 1 -> 1
			a peek-ready -> 1
			+5s => b:1`},
		{"kick-job takes buried and delayed jobs of any tube", `
			a use other
			a put 1 50 60 -> 1
			a put 1 0 60 -> 2
			b kick-job 2 -> no
			b reserve-job 2 -> 2
			b kick-job 2 -> no
			b bury 2 1
			b kick-job 2
			b kick-job 1
			b kick-job 1 -> no
			b kick-job 7 -> no
			a stats-job 1 -> state=ready kicks=1
			a stats-job 2 -> state=ready kicks=1 buries=1
			+60s`},
		{"a buried job taken from the middle leaves the order alone", `
			a put 1 0 60 -> 1
			a put 1 0 60 -> 2
			a put 1 0 60 -> 3
			b poll -> 1
			b poll -> 2
			b poll -> 3
			b bury 1 1
			b bury 2 1
			b bury 3 1
			a delete 2
			a kick 1 -> 1
			a peek-buried -> 3
			a delete 3
			a peek-buried -> no`},
	})
}

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
