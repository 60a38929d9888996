package queue

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
	var r row
	var p positions
	in := map[uint32]entry{}
	full, early := 0, 0
	last := entry{}
	for step := range 60_000 {
		slot := uint32(1 + rnd.IntN(4*rowMost))
		p.cover(slot)
		leave := 2 + 4*(step/6000%2) // of nine steps
		e := entry{uint64(step - rnd.IntN(2)*rnd.IntN(4)), rnd.Uint32N(9), slot}
		if _, there := in[slot]; there || rnd.IntN(9) < leave {
			for slot = range in {
				r.remove(p.get(slot))
				delete(in, slot)
				break
			}
		} else if before := r.n; r.push(p, e) {
			if before > 0 && e.before(last) {
				t.Fatalf("%+v is taken after %+v", e, last)
			}
			in[slot], last = e, e
		} else if e.before(last) {
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

func checkRow(t *testing.T, r *row, p positions, want map[uint32]entry) {
	t.Helper()
	in := map[uint32]entry{}
	n, err := r.check(p, func(e entry) error {
		in[e.slot] = e
		return nil
	})
	if err != nil || n != len(want) || !maps.Equal(in, want) {
		t.Fatalf("a row has %d entries, want %d: %v", n, len(want), err)
	}
}

// Items whose times pass go to others in the order of their deadlines, whether they stand
// in a consumer's row or not.
func TestDeadlinesOutOfOrder(t *testing.T) {
	f := newPushField(0, 0)
	c := &Client{}
	f.apply(c, Op{Kind: Use, Data: []byte("tube0")})
	f.watchAll("tube0", 1, 100)
	before := f.id
	for _, ttr := range []uint32{5, 7, 7, 3, 9, 4} {
		f.id++
		f.apply(c, Op{Kind: Put, ID: f.id, TTR: ttr})
	}
	f.endTurn()
	holder := f.s.tubes["tube0"].service.first.users["0"]
	if holder.row.n != 4 || holder.client.ttrs.n != 2 {
		t.Fatalf("%d deadlines in the row, %d in the heap", holder.row.n, holder.client.ttrs.n)
	}
	for _, nth := range []uint64{4, 6, 1, 2, 3, 5} {
		want := before + nth
		e := holder.client.first()
		if got := f.s.jobs.at(e.slot).id(); got != want {
			t.Errorf("the next deadline is that of item %d, want %d", got, want)
		}
		if at := f.s.Next(); at != int64(e.major) {
			t.Errorf("the shard wakes at %d, the deadline is %d", at, e.major)
		}
		f.ask(&Ask{What: AskCommit, Queue: "tube0", Group: "g", User: "0", Limits: &f.limits, Indexes: []uint64{want}})
		f.endTurn()
		if err := f.s.Check(); err != nil {
			t.Fatal(err)
		}
	}
}
