package queue

import (
	"testing"
)

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
	op := Op{Kind: DeleteSeveral, Several: new(Several)}
	for id := uint64(1); id <= 3; id++ {
		a.apply(Op{Kind: Put, TTR: 600})
		op.Several.IDs = append(op.Several.IDs, id)
	}
	b.apply(Op{Kind: ReserveJob, ID: 2})
	batch := &Batch{Client: &b.client, Ops: []Op{op}, Authorizer: func(k Kind, _ string) bool {
		if k != Delete {
			t.Errorf("asked about %v", k)
		}
		return false
	}}
	w.s.Run(w.now, batch)
	if got := batch.Ops[0]; got.Status != OK || got.Count != 1 || got.Several.Apart != 0 || got.Several.Refused != 2 {
		t.Errorf("%+v", got)
	}
}
