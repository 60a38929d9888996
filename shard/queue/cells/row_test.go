package cells

import (
	"maps"
	"math/rand/v2"
	"testing"
)

// TestRow compares a row with a plain set, while it grows to its limit and shrinks to
// nothing several times. Of the entries it refuses only those that come too early, and
// those for which there is no room.
func TestRow(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 3))
	var r Row
	var p Positions
	in := map[uint32]Entry{}
	full, early := 0, 0
	last := Entry{}
	for step := range 60_000 {
		slot := uint32(1 + rnd.IntN(4*rowMost))
		p.Cover(slot)
		leave := 2 + 4*(step/6000%2) // of nine steps
		e := Entry{uint64(step - rnd.IntN(2)*rnd.IntN(4)), rnd.Uint32N(9), slot}
		if _, there := in[slot]; there || rnd.IntN(9) < leave {
			for slot = range in {
				r.Remove(p.Get(slot))
				delete(in, slot)
				break
			}
		} else if before := r.N; r.Push(p, e) {
			if before > 0 && e.Before(last) {
				t.Fatalf("%+v is taken after %+v", e, last)
			}
			in[slot], last = e, e
		} else if e.Before(last) {
			early++
		} else if full++; before != rowMost {
			t.Fatalf("%+v is refused after %+v, with %d places taken", e, last, before)
		}
		if step%16 == 0 {
			checkRow(t, &r, p, in)
		}
	}
	if full == 0 || early == 0 {
		t.Errorf("%d entries found no room, %d came too early", full, early)
	}
}

func checkRow(t *testing.T, r *Row, p Positions, want map[uint32]Entry) {
	t.Helper()
	in := map[uint32]Entry{}
	n, err := r.Check(p, func(e Entry) error {
		in[e.Slot] = e
		return nil
	})
	if err != nil || n != len(want) || !maps.Equal(in, want) {
		t.Fatalf("a row has %d entries, want %d: %v", n, len(want), err)
	}
}
