package queue

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
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
	return b
}

// putTogether runs the word put-all: puts as putSaying reads them, with a / between them, together. The answer has the
// ids, or is what all of them are answered.
func (u *user) putTogether(args []string) string {
	u.w.t.Helper()
	var puts []Op
	for args := range strings.SplitSeq(strings.Join(args, " "), "/") {
		puts = append(puts, putSaying("body", strings.Fields(args)))
		u.w.bodies[u.w.dir.Last+uint64(len(puts))] = string(puts[len(puts)-1].Data)
	}
	b := u.putAll(puts...)
	var ids []string
	for i := range puts {
		if p := &b.Ops[1+i]; p.Status != OK {
			return saidTo(p)
		}
		ids = append(ids, fmt.Sprint(b.Ops[1+i].ID))
	}
	return strings.Join(ids, " ")
}

// putAll puts some jobs together in both, and compares.
func (x *machine) putAll() {
	c, u := x.client()
	if u == nil || len(x.m.Jobs) > 30 {
		return
	}
	x.forget()
	one, named := "", x.pick(2, "options") == 0
	if named { // what ends at times of its own is all in one tube
		one = choose(x, "tube", machineTubes...)
		if x.atTube(one); x.m.Clients[c].Waiting > 0 {
			return
		}
	}
	x.forget()
	var puts []Op
	from := x.w.dir.Last + 1
	for i := range uint64(x.pick(5, "how many")) {
		op := Op{Kind: Put, Pri: choose[uint32](x, "pri", 0, 1, 1023, 1024), TTR: choose[uint32](x, "ttr", 1, 2, 3, 10)}
		op.Tube = cmp.Or(one, choose(x, "tube", machineTubes...))
		if u := x.m.Clients[c].Used; u != "" && (one == "" || u == one) && x.pick(3, "used") == 0 {
			op.Tube = ""
		}
		body := x.body(from + i)
		if named {
			body = x.w.bodies[from] // nobody knows yet which ids there will be
			x.w.bodies[from+i] = body
			x.options(&op)
		}
		op.Data, op.Size = []byte(body), uint32(len(body))
		puts = append(puts, op)
	}
	b := u.putAll(slices.Clone(puts)...)
	var jobs []*naive.Job
	for i, op := range puts {
		got := &b.Ops[1+i]
		j := &naive.Job{Tube: cmp.Or(op.Tube, x.m.Clients[c].Used), Body: string(op.Data), Pri: op.Pri, Delay: op.Delay,
			TTR: op.TTR, Said: saidOf(op.Options)}
		if op.Options != nil {
			j.Tags = wordsOf(op.Options.Tags)
		}
		jobs = append(jobs, j)
		if got.Data != nil {
			x.w.t.Fatalf("B1: put %d still has its body", i)
		}
	}
	x.sync()
	want := statusOf[x.m.PutAll(jobs, from)]
	for i := range b.Ops {
		got := &b.Ops[i]
		if got.Status != want || i > 0 && (want == OK || want == Exists) && got.ID != jobs[i-1].ID {
			x.w.t.Fatalf("client %d: put %d of %d together is answered %v %d, want %v", c, i, len(puts), got.Status,
				got.ID, want)
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
