//go:build linux

package load

import (
	"math/rand/v2"
	"testing"
)

func TestLedgerAgainstAMap(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	l, seen := NewLedger(), map[uint64]bool{}
	for range 200_000 {
		id := r.Uint64N(1 << 17)
		if r.IntN(100) == 0 {
			id += 1 << 50
		}
		if news := l.Mark(id); news == seen[id] {
			t.Fatalf("id %d: news %v, but seen %v", id, news, seen[id])
		}
		seen[id] = true
	}
}

func TestLedgerFullPage(t *testing.T) {
	l := NewLedger()
	const size = 1 << ledgerPageBits
	for id := range uint64(2 * size) {
		if !l.Mark(id) {
			t.Fatalf("id %d was not news", id)
		}
	}
	for _, id := range []uint64{0, 1, size - 1, size, 2*size - 1} {
		if l.Mark(id) {
			t.Errorf("id %d was news again", id)
		}
	}
	if !l.Mark(2 * size) {
		t.Error("the page after full ones is not empty")
	}
}
