package queue

import "testing"

// Operations that belong to no client work without one.
func TestWithoutClient(t *testing.T) {
	w := newWorld(t)
	w.run("a put 5 0 60 -> 1\n a put 5 0 60 -> 2\n a put 5 9 60 -> 3\n b poll -> 1")
	for _, c := range []struct {
		op   Op
		want Status
	}{
		{Op{Kind: Peek, ID: 1}, OK},
		{Op{Kind: Delete, ID: 1}, NotFound},
		{Op{Kind: Delete, ID: 2}, OK},
		{Op{Kind: KickJob, ID: 3}, OK},
		{Op{Kind: StatsJob, ID: 3}, OK},
		{Op{Kind: StatsTube, Data: []byte("default")}, OK},
		{Op{Kind: Totals}, OK},
		{Op{Kind: Touch, ID: 1}, NotFound},
		{Op{Kind: Release, ID: 1}, NotFound},
		{Op{Kind: Bury, ID: 1}, NotFound},
		{Op{Kind: Pause, Data: []byte("default")}, OK},
	} {
		b := &Batch{Ops: []Op{c.op}}
		w.s.Apply(w.now, b, &b.Ops[0])
		if b.Ops[0].Status != c.want || b.Soonest != 0 {
			t.Errorf("operation %d of nobody: %v, soonest %d", c.op.Kind, b.Ops[0].Status, b.Soonest)
		}
	}
}

func TestUnknownOperationPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("an operation that does not exist is a programmer's mistake")
		}
	}()
	newWorld(t).s.Apply(1, &Batch{}, &Op{})
}

func TestStateNames(t *testing.T) {
	for state, want := range map[JobState]string{
		Ready: "ready", Delayed: "delayed", Reserved: "reserved", Buried: "buried", 0: "invalid",
	} {
		if state.String() != want {
			t.Errorf("state %d is called %q", state, state)
		}
	}
}
