package queue

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"weak"
)

// Slots of tubes and clients are used again, and nothing keeps hold of those
// that have gone.
func TestSlotsOfTheGone(t *testing.T) {
	w := newWorld(t)
	a := w.user("a")
	for i := range 5000 {
		a.apply(Op{Kind: Use, Data: fmt.Appendf(nil, "tube%d", i)})
		c := &user{w: w, name: "c"}
		c.client.Waiter = c
		c.apply(Op{Kind: Watch, Data: []byte("default")})
		w.dir.Last++
		w.bodies[w.dir.Last] = ""
		a.apply(Op{Kind: Put, ID: w.dir.Last, TTR: 1})
		c.apply(Op{Kind: ReserveJob, ID: w.dir.Last})
		c.apply(Op{Kind: Delete, ID: w.dir.Last})
		c.apply(Op{Kind: Reserve})
		c.apply(Op{Kind: Detach})
		c.apply(Op{Kind: Ignore, Data: []byte("default")})
	}
	w.run("a stats-tube default -> watching=1 waiting=0")
	if w.s.tubeAt.N > 5 || w.s.clients.N > 5 {
		t.Errorf("%d tube slots, %d client slots", w.s.tubeAt.N, w.s.clients.N)
	}
	c := &user{w: w, name: "c"}
	c.client.Waiter = c
	c.apply(Op{Kind: Watch, Data: []byte("default")})
	c.apply(Op{Kind: Reserve})
	c.apply(Op{Kind: Detach})
	c.apply(Op{Kind: Ignore, Data: []byte("default")})
	gone := weak.Make(c)
	c = nil
	runtime.GC()
	if gone.Value() != nil {
		t.Error("the state keeps a client that has left")
	}
	runtime.KeepAlive(w)
}

func TestIgnoreOfNothingPanics(t *testing.T) {
	w := newWorld(t)
	defer func() {
		if recover() == nil {
			t.Error("ignoring a tube that is not watched is a programmer's mistake")
		}
	}()
	w.run("a use one\n a ignore one")
}

// largestStep is the most memory that one of n steps takes: a list that is copied to
// grow takes as much as it holds. There is no collection meanwhile, because the runtime
// counts small allocations when one begins.
func largestStep(n int, step func(int)) (largest, at uint64) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	before := sample[0].Value.Uint64()
	for i := range n {
		step(i)
		metrics.Read(sample)
		if took := sample[0].Value.Uint64() - before; took > largest {
			largest, at = took, uint64(i)
		}
		before = sample[0].Value.Uint64()
	}
	return largest, at
}

// However many tubes and clients there are, one more does not copy what is known of
// them: a table of a map, of which a few may be split in one step, is the largest piece.
func TestGrowthCopiesLittle(t *testing.T) {
	const n, most = 100_000, 256 << 10
	w := newWorld(t)
	u, v := w.user("u"), w.user("v")
	v.apply(Op{Kind: Use, Data: []byte("kept")})
	clients := make([]Client, n)
	for _, stage := range []struct {
		what string
		step func(i int)
	}{
		{"watch", func(i int) { u.apply(tubeOp(Watch, i)) }},
		{"ignore", func(i int) { u.apply(tubeOp(Ignore, i)) }},
		{"enroll", func(i int) { w.s.enroll(&clients[i]) }},
		{"dismiss", func(i int) { w.s.dismiss(&clients[i]) }},
	} {
		if largest, at := largestStep(n, stage.step); largest > most {
			t.Errorf("%s: step %d of %d takes %d bytes, want %d at most", stage.what, at, n, largest, most)
		}
	}
	if err := w.check(); err != nil {
		t.Error(fmt.Errorf("at the end: %w", err))
	}
}
