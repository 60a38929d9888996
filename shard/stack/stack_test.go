package stack

import (
	"runtime"
	"sync"
	"testing"
)

// thing is what these tests push.
type thing struct {
	below   *thing
	from, n int
}

func link(v *thing) **thing { return &v.below }

func TestOrder(t *testing.T) {
	var m Stack[thing]
	if !m.Empty() || m.TakeInOrder(link) != nil {
		t.Fatal("a new stack is not empty")
	}
	for n := range 50 {
		things := make([]thing, n)
		for i := range things {
			m.Push(&things[i], link(&things[i]))
		}
		if m.Empty() != (n == 0) {
			t.Fatalf("empty is %v with %d things", m.Empty(), n)
		}
		i := 0
		for b := m.TakeInOrder(link); b != nil; b = b.below {
			if b != &things[i] {
				t.Fatalf("thing %d of %d is out of order", i, n)
			}
			i++
		}
		if i != n || !m.Empty() {
			t.Fatalf("%d of %d things, empty is %v", i, n, m.Empty())
		}
	}
}

// Many push, one takes: all that they push comes once, and what one pusher has pushed
// comes in its order.
func TestConcurrently(t *testing.T) {
	const pushers, each = 4, 5000
	var m Stack[thing]
	var wg sync.WaitGroup
	for p := range pushers {
		wg.Go(func() {
			for i := range each {
				v := &thing{from: p, n: i}
				m.Push(v, &v.below)
				if i%64 == 0 {
					runtime.Gosched()
				}
			}
		})
	}
	next := make([]int, pushers)
	for got := 0; got < pushers*each; {
		b := m.TakeInOrder(link)
		if b == nil {
			runtime.Gosched()
		}
		for ; b != nil; b = b.below {
			if b.n != next[b.from] {
				t.Fatalf("pusher %d: thing %d, want %d", b.from, b.n, next[b.from])
			}
			next[b.from]++
			got++
		}
	}
	wg.Wait()
	if !m.Empty() {
		t.Error("more came out than went in")
	}
}
