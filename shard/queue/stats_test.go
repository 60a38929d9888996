package queue

import "testing"

func TestStats(t *testing.T) {
	runScripts(t, []script{
		{"a job's values through a life", `
			a use other
			a put 7 3 5 -> 1
			a stats-job 1 -> id=1 tube=other state=delayed pri=7 age=0 delay=3 ttr=5 left=3 reserves=0 timeouts=0 releases=0 buries=0 kicks=0
			+2998999998ns
			a stats-job 1 -> age=2
			+1000001ns
			a stats-job 1 -> left=0
			+1ns
			a stats-job 1 -> state=ready age=3 left=0 delay=3
			b reserve-job 1 -> 1
			a stats-job 1 -> state=reserved left=5 reserves=1
			+1ns
			a stats-job 1 -> left=4
			b bury 1 8
			a stats-job 1 -> state=buried pri=8 left=0 buries=1
			a kick 1 -> 1
			b reserve-job 1 -> 1
			b release 1 9 2
			+2s
			b reserve-job 1 -> 1
			+5s
			a stats-job 1 -> state=ready pri=9 age=10 delay=2 ttr=5 left=0 reserves=3 timeouts=1 releases=1 buries=1 kicks=1
			a stats-job 2 -> no`},
		{"time left is truncated towards zero, also below it", `
			a put 0 0 2 -> 1
			a put 0 2 2 -> 2
			b reserve-job 1 -> 1
			late 2500ms
			a stats-job 1 -> state=reserved left=0
			a stats-job 2 -> state=delayed left=0
			late 1s
			a stats-job 1 -> left=-1
			a stats-job 2 -> left=-1 age=3
			late 499999999ns
			a stats-job 1 -> left=-1
			late 1ns
			a stats-job 1 -> left=-2 age=4`},
	})
}

func TestTubeStats(t *testing.T) {
	runScripts(t, []script{
		{"a tube's values", `
			a use one
			a put 5 0 60 -> 1
			a put 5000 0 60 -> 2
			a put 5 9 60 -> 3
			a put 5 0 60 -> 4
			a put 5 0 60 -> 5
			b use one
			b watch one
			c watch one
			b reserve-job 4 -> 4
			b bury 4 1
			b reserve-job 5 -> 5
			a stats-tube one -> name=one urgent=1 ready=2 reserved=1 delayed=1 buried=1 total=5 using=2 watching=2 waiting=0 deletes=0 pauses=0 pause=0 left=0
			c poll -> 1
			c poll -> 2
			c wait -> waiting
			a delete 4
			a pause one 7
			+1500ms
			a stats-tube one -> urgent=0 ready=0 reserved=3 buried=0 waiting=1 deletes=1 pauses=1 pause=7 left=5
			a stats-tube two -> no
			a totals -> urgent=0 ready=0 reserved=3 delayed=1 buried=0 total=5 timeouts=0
			a use default
			a unuse
			+60s => c:3
			a totals -> timeouts=3 reserved=1 ready=3`},
	})
}

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
