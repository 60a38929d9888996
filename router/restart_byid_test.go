package router

import (
	"testing"

	"beanfield/shard"
	"beanfield/storage/pebblestore/powercut"
)

// A reserve is not logged, and neither is its end with the client's: a job that
// was taken by its id from the delayed or buried ones becomes ready when its
// holder leaves, and is after a restart where it was before, as in the reference.
func TestReserveJobIsForgottenByARestart(t *testing.T) {
	run := newSafeRun(t)
	a, b := run.guest(t, "a"), run.guest(t, "b")
	home, delayed, buried := a.session.UsedShard(), a.session.NewID(), a.session.NewID()
	for _, op := range a.do(t, home,
		shard.Op{Kind: shard.Put, ID: delayed, Delay: 1000, TTR: 60, Pri: 1},
		shard.Op{Kind: shard.Put, ID: buried, TTR: 60, Pri: 2},
		shard.Op{Kind: shard.Reserve, Poll: true},
		shard.Op{Kind: shard.Bury, ID: buried, Pri: 3},
	) {
		if op.Status != shard.OK {
			t.Fatalf("%s ends with %v", describeOp(&op), op.Status)
		}
	}
	run.placed(t, delayed, shard.Delayed, buried, shard.Buried)
	b.do(t, home, shard.Op{Kind: shard.ReserveJob, ID: delayed}, shard.Op{Kind: shard.ReserveJob, ID: buried})
	run.placed(t, delayed, shard.Reserved, buried, shard.Reserved)
	held := run.disk.Cut(0, nil)
	if err := b.complete(b.session.Close()); err != nil {
		t.Fatal(err)
	}
	run.placed(t, delayed, shard.Ready, buried, shard.Ready)
	left := run.disk.Cut(0, nil)
	run.close(t, a)
	for _, disk := range []*powercut.Disk{held, left, run.disk} {
		run.disk = disk
		if err := run.open(3); err != nil {
			t.Fatal(err)
		}
		run.placed(t, delayed, shard.Delayed, buried, shard.Buried)
		run.close(t)
	}
}

// placed holds where two jobs are against where they should be.
func (run *restartRun) placed(t *testing.T, first uint64, inFirst shard.JobState, second uint64, inSecond shard.JobState) {
	t.Helper()
	for id, want := range map[uint64]shard.JobState{first: inFirst, second: inSecond} {
		i, known := run.router.Owner(id)
		if !known {
			t.Fatalf("job %d is not there", id)
		}
		job, err := run.look(i, id)
		if err != nil {
			t.Fatal(err)
		}
		if job.info.State != want {
			t.Errorf("job %d is in state %v, want %v", id, job.info.State, want)
		}
	}
}
