package queue

import (
	"fmt"
	"testing"
)

// furnish puts n jobs into the tube that u uses, of all three states and several priorities.
func (w *world) furnish(u *user, n int) {
	for i := range n {
		w.lastID++
		w.bodies[w.lastID] = "x"
		op := Op{Kind: Put, ID: w.lastID, Pri: uint32(i % 7), TTR: 600, Data: []byte("x"), Size: 1}
		if i%3 == 1 {
			op.Delay = uint32(100 + i%5)
		}
		u.apply(op)
		if i%3 == 2 {
			u.apply(Op{Kind: ReserveJob, ID: w.lastID})
			u.apply(Op{Kind: Bury, ID: w.lastID, Pri: uint32(i % 7)})
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

func TestTruncate(t *testing.T) {
	runScripts(t, []script{
		{"all states but one", `
			a truncate none -> no
			a truncate default -> 0
			a put 5 0 60 -> 1
			a put 5 10 60 -> 2
			a put 5 0 60 -> 3
			a put 5 0 60 -> 4
			a reserve-job 3 -> 3
			a bury 3 1
			b poll -> 1
			c truncate default -> 3
			b release 1 5 0
			c truncate default -> 1
			c totals -> ready=0 delayed=0 buried=0 reserved=0`},
		{"a tube that ends with its last job", `
			a use t
			a put 5 0 60 -> 1
			a use default
			b truncate t -> 1
			b truncate t -> no`},
		{"a paused tube", `
			a put 5 0 60 -> 1
			a pause default 10
			b reserve -> waiting
			c truncate default -> 1
			a put 5 0 60 -> 2
			+10s => b:2`},
	})
}

// In a queue of the queue service, consumers lose what they have, of all groups, as by its own
// truncate; workers do not.
func TestTruncateQueue(t *testing.T) {
	newWorld(t).run(`
		a put 5 0 60 -> 1
		a put 5 0 60 -> 2
		w poll -> 1
		g.c sub 1 => g.c:2
		h.d sub 5 => h.d:1 h.d:2
		a put 5 0 60 -> 3 => h.d:3
		b truncate default -> 2
		w touch 1
		h.d commit 1
		b totals -> ready=0 reserved=1
		w delete 1
		a put 5 0 60 -> 4 => g.c:4 h.d:4`)
}
