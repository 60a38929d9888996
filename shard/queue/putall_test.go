package queue

import (
	"fmt"
	"slices"
	"testing"

	"beanfield/shard/queue/naive"
)

// putAll runs puts together, turn after turn if it takes several, and says how each was answered.
func (u *user) putAll(puts ...Op) *Batch {
	u.w.t.Helper()
	b := &Batch{Client: &u.client, Ops: append([]Op{{Kind: PutAll, Limit: uint32(len(puts))}}, puts...)}
	u.w.s.renew()
	for !u.w.s.Run(u.w.now, b) {
		for i := range puts {
			if b.Next != 0 || b.Ops[1+i].Status != OK || b.Ops[1+i].ID != 0 {
				u.w.t.Fatalf("put %d has begun, and not all are done", i)
			}
		}
		u.w.s.Tick(u.w.now)
	}
	u.w.lastID = u.w.dir.Last
	return b
}

// putAll puts some jobs together in both, and compares.
func (x *machine) putAll() {
	c, u := x.client()
	if u == nil || len(x.m.Jobs) > 30 {
		return
	}
	x.forget()
	var puts []Op
	for range x.pick(5, "how many") {
		op := Op{Kind: Put, Pri: choose[uint32](x, "pri", 0, 1, 1023, 1024), TTR: choose[uint32](x, "ttr", 1, 2, 3, 10)}
		if op.Tube = choose(x, "tube", machineTubes...); x.m.Clients[c].Used != "" && x.pick(3, "used") == 0 {
			op.Tube = ""
		}
		body := x.body(max(x.w.lastID, x.w.dir.Last) + 1 + uint64(len(puts)))
		op.Data, op.Size = []byte(body), uint32(len(body))
		puts = append(puts, op)
	}
	b := u.putAll(slices.Clone(puts)...)
	var jobs []*naive.Job
	for i, op := range puts {
		got := &b.Ops[1+i]
		if op.Tube == "" {
			op.Tube = x.m.Clients[c].Used
		}
		jobs = append(jobs, &naive.Job{ID: got.ID, Tube: op.Tube, Body: string(op.Data), Pri: op.Pri, TTR: op.TTR})
		if got.Data != nil {
			x.w.t.Fatalf("B1: put %d still has its body", i)
		}
	}
	x.sync()
	want := statusOf[x.m.PutAll(jobs)]
	for i := range b.Ops {
		if got := b.Ops[i].Status; got != want {
			x.w.t.Fatalf("client %d: put %d of %d together is answered %v, want %v", c, i, len(puts), got, want)
		}
	}
	if x.serves || x.m.Policies != nil || x.w.s.opening.N > 0 {
		x.tick()
	} else {
		x.compare()
	}
}

func putsOf(n, size int) (puts []Op) {
	for range n {
		puts = append(puts, Op{Kind: Put, Pri: 5, TTR: 60, Data: make([]byte, size), Size: uint32(size)})
	}
	return puts
}

// All are put, or none, whatever is in the way.
func TestPutAll(t *testing.T) {
	for name, c := range map[string]struct {
		before string
		n      int
		want   Status
		jobs   int // afterwards
	}{
		"there is room":                     {"a use default", 3, OK, 3},
		"none":                              {"a use default", 0, OK, 0},
		"the disk is full":                  {"log full", 3, NoRoom, 0},
		"the server drains":                 {"drain", 3, Refused, 0},
		"the tube has room for two more":    {"policy default jobs=3\na put 1 0 60 -> 1", 3, NoRoom, 1},
		"the tube has room for three more":  {"policy default jobs=4\na put 1 0 60 -> 1", 3, OK, 4},
		"too many bytes":                    {"policy default bytes=29", 3, NoRoom, 0},
		"older ones go":                     {"policy default jobs=4 full=oldest\na put 1 0 60 -> 1\na put 1 0 60 -> 2\na put 1 0 60 -> 3", 3, OK, 4},
		"not enough of the others may go":   {"policy default jobs=4 full=oldest\na put 1 9 60 -> 1\na put 1 9 60 -> 2\na put 1 0 60 -> 3", 3, NoRoom, 3},
		"more than the tube ever has":       {"policy default jobs=2 full=oldest", 3, NoRoom, 0},
		"of a tube where jobs must expire ": {"policy default jobs=9 expire=1s\na put 1 0 60 -> 1", 3, OK, 4},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.run(c.before)
			b := w.user("a").putAll(putsOf(c.n, 10)...)
			for i := range b.Ops {
				if got := b.Ops[i].Status; got != c.want {
					t.Errorf("put %d: %v, want %v", i, got, c.want)
				}
			}
			if got := w.s.tubes["default"].jobs(); got != c.jobs {
				t.Errorf("%d jobs, want %d", got, c.jobs)
			}
			if err := w.check(); err != nil {
				t.Error(err)
			}
		})
	}
}

// A batch of puts goes on behind those that are put together, and a failed log fails all of them.
func TestPutAllInABatch(t *testing.T) {
	w := newWorld(t)
	u := w.user("a")
	b := &Batch{Client: &u.client, Ops: append([]Op{{Kind: PutAll, Limit: 2}}, putsOf(3, 1)...)}
	if !w.s.Run(w.now, b) || b.Next != 4 {
		t.Fatalf("it ends at %d", b.Next)
	}
	for i, want := range []uint64{0, 1, 2, 3} {
		if b.Ops[i].ID != want {
			t.Errorf("operation %d: job %d, want %d", i, b.Ops[i].ID, want)
		}
	}
	b.Fail()
	for i := range b.Ops {
		if b.Ops[i].Status != Failed {
			t.Errorf("operation %d has not failed", i)
		}
	}
}

// While a tube's jobs are still being ranked, nothing is put; then all are, in one turn, although older jobs
// have to go for them.
func TestPutAllWaitsForTheRanking(t *testing.T) {
	for _, share := range []int{0, moving, 1000} {
		t.Run(fmt.Sprint(share), func(t *testing.T) {
			w := newManyWorld(t, 0, share)
			const n = 3 * Slice
			for range n {
				w.user("a").apply(putsOf(1, 1)[0])
			}
			w.lastID = n
			w.policy("default", []string{fmt.Sprintf("jobs=%d", n), "full=oldest"})
			b := w.user("a").putAll(putsOf(100, 1)...)
			if b.Ops[1].Status != OK || b.Ops[100].ID != n+100 {
				t.Errorf("%+v", b.Ops[100])
			}
			if got := w.s.tubes["default"].jobs(); got != n {
				t.Errorf("%d jobs, want %d", got, n)
			}
			if w.s.share >= 0 && share > 0 {
				t.Errorf("%d of the share is left", w.s.share)
			}
		})
	}
}
