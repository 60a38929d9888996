package queue

import (
	"testing"
)

// severalByID does something to several jobs at once, of which the client holds some. Jobs of one
// tube only are delayed together.
func (x *machine) severalByID() {
	c, u := x.client()
	if u == nil {
		return
	}
	op := Op{
		Kind: choose(x, "kind", DeleteSeveral, ReleaseSeveral, BurySeveral, TouchSeveral), Pri: choose[uint32](x, "pri",
			0, 1, 1023, 1024),
	}
	if ttr := choose[int64](x, "ttr", 0, 0, 1000, 5000, 750); ttr > 0 && op.Kind != ReleaseSeveral {
		op.Options = &Options{TTR: ttr * millisecond}
	}
	tubes := map[string]bool{}
	for range x.pick(8, "how many") {
		id := x.held(c)
		if j := x.m.Job(id); j != nil {
			tubes[j.Tube] = true
		}
		op.Data = AppendID(op.Data, id)
	}
	if len(tubes) == 1 && op.Kind == ReleaseSeveral {
		for tube := range tubes {
			x.atTube(tube)
		}
		op.Options = &Options{Delay: choose[int64](x, "delay", 0, 0, 1000, 2000, 1250) * millisecond}
		op.Delay = uint32((op.Options.Delay + second - 1) / second)
	}
	if x.m.Clients[c].Waiting > 0 {
		return
	}
	x.do(c, u, op, "")
}

// touchTTR is the time for which a touch is; 0: the job's own.
func (op *Op) touchTTR() int64 {
	if op.Options == nil {
		return 0
	}
	return op.Options.TTR
}

// What the client has no right on is counted apart.
func TestSeveralDenied(t *testing.T) {
	w := newWorld(t)
	a, b := w.user("a"), w.user("b")
	op := Op{Kind: DeleteSeveral}
	for id := uint64(1); id <= 3; id++ {
		a.apply(Op{Kind: Put, TTR: 600})
		op.Data = AppendID(op.Data, id)
	}
	b.apply(Op{Kind: ReserveJob, ID: 2})
	batch := &Batch{Client: &b.client, Ops: []Op{op}, Authorizer: func(k Kind, _ string) bool {
		if k != Delete {
			t.Errorf("asked about %v", k)
		}
		return false
	}}
	w.s.Run(w.now, batch)
	if got := batch.Ops[0]; got.Status != OK || got.Count != 1 || got.To != 0 || got.Size != 2 {
		t.Errorf("%+v", got)
	}
}
