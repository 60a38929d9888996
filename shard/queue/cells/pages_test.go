package cells

import "testing"

// A list in pages is what a slice would be, and gives back what it does not need.
func TestPages(t *testing.T) {
	var p Pages[int]
	var model []int
	push := func(n int) {
		for range n {
			p.Push(len(model))
			model = append(model, len(model))
		}
	}
	push(3*ChunkLen + 5)
	p.Set(ChunkLen, -1)
	model[ChunkLen] = -1
	for i, want := range model {
		if got := p.Get(uint32(i)); got != want {
			t.Fatalf("%d is at %d, want %d", got, i, want)
		}
	}
	for n := len(model) - 1; n >= 0; n-- {
		if got := p.Pop(); got != model[n] || p.N != uint32(n) {
			t.Fatalf("pop takes %d and leaves %d, want %d and %d", got, p.N, model[n], n)
		}
		model = model[:n]
		if n == 2*ChunkLen && len(p.chunks) > 4 || n == 0 && len(p.chunks) > 2 {
			t.Errorf("with %d values it keeps %d chunks", n, len(p.chunks))
		}
	}
	push(2) // into a chunk that was in use before
	if p.Get(0) != 0 || p.Get(1) != 1 {
		t.Errorf("it holds %d and %d, want 0 and 1", p.Get(0), p.Get(1))
	}
}
