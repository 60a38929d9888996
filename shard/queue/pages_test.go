package queue

import (
	"fmt"
	"runtime/debug"
	"runtime/metrics"
	"testing"
)

// A list in pages is what a slice would be, and gives back what it does not need.
func TestPages(t *testing.T) {
	var p pages[int]
	var model []int
	push := func(n int) {
		for range n {
			p.push(len(model))
			model = append(model, len(model))
		}
	}
	push(3*chunkLen + 5)
	p.set(chunkLen, -1)
	model[chunkLen] = -1
	for i, want := range model {
		if got := p.get(uint32(i)); got != want {
			t.Fatalf("%d is at %d, want %d", got, i, want)
		}
	}
	for n := len(model) - 1; n >= 0; n-- {
		if got := p.pop(); got != model[n] || p.n != uint32(n) {
			t.Fatalf("pop takes %d and leaves %d, want %d and %d", got, p.n, model[n], n)
		}
		model = model[:n]
		if n == 2*chunkLen && len(p.chunks) > 4 || n == 0 && len(p.chunks) > 2 {
			t.Errorf("with %d values it keeps %d chunks", n, len(p.chunks))
		}
	}
	push(2) // into a chunk that was in use before
	if p.get(0) != 0 || p.get(1) != 1 {
		t.Errorf("it holds %d and %d, want 0 and 1", p.get(0), p.get(1))
	}
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
