package router

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
)

func (t *tubes) all() []string { return t.snapshot().all() }

func (n Names) all() []string { return slices.Concat(n.Chunks...) }

// Tubes are listed in the order of their creation, but when one ends the last takes its place.
func TestTubesAgainstAModel(t *testing.T) {
	for seed := range uint64(50) {
		rnd := rand.New(rand.NewPCG(seed, 0))
		var list tubes
		var model []string
		for step := range 500 {
			name := fmt.Sprint(rnd.IntN(20))
			if i := slices.Index(model, name); i < 0 {
				list.add(name)
				model = append(model, name)
			} else {
				list.remove(name)
				model[i] = model[len(model)-1]
				model = model[:len(model)-1]
			}
			if got := list.all(); !slices.Equal(got, model) || list.count() != len(model) {
				t.Fatalf("seed %d, step %d: got %v, want %v", seed, step, got, model)
			}
		}
	}
}

func TestTubesConcurrently(t *testing.T) {
	var list tubes
	var all sync.WaitGroup
	for w := range 8 {
		all.Go(func() {
			for i := range 300 {
				name := fmt.Sprint(w, " ", i%10)
				list.add(name)
				if !slices.Contains(list.all(), name) {
					t.Errorf("%s is not in the list", name)
				}
				list.remove(name)
			}
		})
	}
	all.Wait()
	if list.count() != 0 || len(list.set.place) != 0 {
		t.Errorf("%d tubes and %d places are left", list.count(), len(list.set.place))
	}
}

// R1: however many claim at once, each wait has one winner.
func TestGateHasOneWinner(t *testing.T) {
	g := gate{waits: new(atomic.Int64)}
	for range 2000 {
		ticket := g.arm()
		var wins [4]bool
		var all sync.WaitGroup
		for i := range wins {
			all.Go(func() { wins[i] = g.claim(ticket) })
		}
		all.Wait()
		n := 0
		for _, won := range wins {
			if won {
				n++
			}
		}
		if n != 1 {
			t.Fatalf("%d winners", n)
		}
	}
}
