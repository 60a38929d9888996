package router

import (
	"testing"

	"beanfield/shard/queue"
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
		queue.Op{Kind: queue.Put, ID: delayed, Delay: 1000, TTR: 60, Pri: 1},
		queue.Op{Kind: queue.Put, ID: buried, TTR: 60, Pri: 2},
		queue.Op{Kind: queue.Reserve, Poll: true},
		queue.Op{Kind: queue.Bury, ID: buried, Pri: 3},
	) {
		if op.Status != queue.OK {
			t.Fatalf("%s ends with %v", describeOp(&op), op.Status)
		}
	}
	run.placed(t, delayed, queue.Delayed, buried, queue.Buried)
	b.do(t, home, queue.Op{Kind: queue.ReserveJob, ID: delayed}, queue.Op{Kind: queue.ReserveJob, ID: buried})
	run.placed(t, delayed, queue.Reserved, buried, queue.Reserved)
	held := run.disk.Cut(0, nil)
	if err := b.complete(b.session.Close()); err != nil {
		t.Fatal(err)
	}
	run.placed(t, delayed, queue.Ready, buried, queue.Ready)
	left := run.disk.Cut(0, nil)
	run.close(t, a)
	for _, disk := range []*powercut.Disk{held, left, run.disk} {
		run.disk = disk
		if err := run.open(3); err != nil {
			t.Fatal(err)
		}
		run.placed(t, delayed, queue.Delayed, buried, queue.Buried)
		run.close(t)
	}
}

// placed holds where two jobs are against where they should be.
func (run *restartRun) placed(t *testing.T, first uint64, inFirst queue.JobState, second uint64, inSecond queue.JobState) {
	t.Helper()
	for id, want := range map[uint64]queue.JobState{first: inFirst, second: inSecond} {
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
