package router

import (
	"testing"

	"beanfield/shard/queue"
	"beanfield/storage/must"
)

// L1 of what others have done: as long as a power cut can bring a deleted job
// back, nobody is told that there is none.
func TestNotFoundWaitsForTheDelete(t *testing.T) {
	run := newSafeRun(t)
	a, b := run.driven(t, "a"), run.driven(t, "b")
	home, id := a.session.UsedShard(), a.session.NewID()
	a.do(t, home, queue.Op{Kind: queue.Put, ID: id, TTR: 60})

	run.disk.Hold()
	first := &queue.Batch{Ops: []queue.Op{{Kind: queue.Delete, ID: id}}}
	second := &queue.Batch{Ops: []queue.Op{{Kind: queue.Delete, ID: id}}}
	early := a.session.Submit(home, first, true)
	if _, known := run.router.Owner(id); !known { // then connections say so at once
		run.disk.Release()
		t.Fatal("the directory has forgotten a job whose delete is not safe yet")
	}
	early = b.session.Submit(home, second, false) || early
	early = b.session.Resume() || early
	cut := run.disk.Cut(0, nil)
	run.disk.Release()
	if early {
		t.Fatal("somebody is answered before the delete is safe")
	}
	for _, c := range []*restartClient{a, b} {
		must.Do(t, c.await(c.session.Resume))
	}
	if first.Ops[0].Status != queue.OK || second.Ops[0].Status != queue.NotFound {
		t.Errorf("the deletes end with %v and %v", first.Ops[0].Status, second.Ops[0].Status)
	}
	if _, known := run.router.Owner(id); known {
		t.Error("R2: the directory still knows the job")
	}
	run.close(t, a, b)

	run.disk = cut
	must.Do(t, run.open(3))
	if _, known := run.router.Owner(id); !known {
		t.Error("the job is not back after a power cut: the test shows nothing")
	}
	run.close(t)
}
