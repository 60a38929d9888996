package queue

import (
	"fmt"
	"testing"
)

// furnish puts n jobs into the tube that u uses, of all three states and several priorities.
func (w *world) furnish(u *user, n int) {
	for i := range n {
		w.dir.Last++
		w.bodies[w.dir.Last] = "x"
		op := Op{Kind: Put, ID: w.dir.Last, Pri: uint32(i % 7), TTR: 600, Data: []byte("x"), Size: 1}
		if i%3 == 1 {
			op.Delay = uint32(100 + i%5)
		}
		u.apply(op)
		if i%3 == 2 {
			u.apply(Op{Kind: ReserveJob, ID: w.dir.Last})
			u.apply(Op{Kind: Bury, ID: w.dir.Last, Pri: uint32(i % 7)})
		}
	}
}

// A truncate ends the jobs that were there when it came, and no other, whatever neighbours put, take
// and kick between its turns, and however much that is. Its turns end no more jobs than their share.
func TestTruncateBetweenOthers(t *testing.T) {
	for _, meanwhile := range []int{0, 1, 50, Slice * moving} { // the last ones are more than a turn looks at
		t.Run(fmt.Sprint(meanwhile), func(t *testing.T) {
			w := newWorld(t)
			w.s.LeastPurge = 1 << 30 // one by one
			a, b := w.user("a"), w.user("b")
			const n = 3000
			w.furnish(a, n)
			other := w.user("c")
			other.apply(Op{Kind: Use, Data: []byte("other")})
			w.furnish(other, 100)
			batch := batchOf(nil, Op{Kind: Truncate, Data: []byte("default")})
			put, kept, turns := 0, 0, 1
			for ; !w.s.Run(w.now, batch); turns++ {
				if turns < 4 {
					w.furnish(b, meanwhile)
					put += meanwhile
				}
				if b.apply(Op{Kind: Reserve, Poll: true}); turns < 4 {
					a.apply(Op{Kind: Kick, Limit: 3})
				}
				w.s.Tick(w.now)
			}
			for _, u := range []*user{a, b} {
				for u.client.held.N > 0 {
					id := w.s.jobs.At(u.client.held.Head).id()
					if id <= n {
						kept++
					}
					u.apply(Op{Kind: Release, ID: id, Pri: 1})
				}
			}
			if got := int(batch.Ops[0].Count); got != n-kept {
				t.Errorf("%d jobs have been ended, want %d", got, n-kept)
			}
			if got := w.s.tubes["default"].jobs(); got != put+kept {
				t.Errorf("%d jobs are left, want %d new ones and %d that were taken", got, put, kept)
			}
			if got := w.s.tubes["other"].jobs(); got != 100 {
				t.Errorf("%d jobs are left of the other tube", got)
			}
			if least := n / (Slice * moving / ending); turns < least || turns > 2*least+w.s.jobs.Chunks() {
				t.Errorf("%d jobs have taken %d turns", n, turns)
			}
			if err := w.s.Check(); err != nil {
				t.Error(err)
			}
		})
	}
}
