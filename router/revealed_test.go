package router

import (
	"math/rand/v2"
	"testing"

	"beanfield/shard/queue"
	"beanfield/shard/queue/naive"
	"beanfield/storage"
	"beanfield/storage/must"
	"beanfield/storage/pebblestore/powercut"
)

// L1 of what others have done: as long as a power cut can bring a deleted job
// back, nobody is told that there is none.
func TestNotFoundWaitsForTheDelete(t *testing.T) {
	run := &restartRun{t: t, dice: rand.New(rand.NewPCG(1, 1)), disk: powercut.NewDisk(), mode: storage.Always,
		model: newRestartModel(3, nil, naive.New())}
	run.open(3)
	a, b := newClient(run.router), newClient(run.router)
	home, id := a.UsedShard(), a.put(0, 60)

	run.disk.Hold()
	first := &queue.Batch{Ops: []queue.Op{{Kind: queue.Delete, ID: id}}}
	second := &queue.Batch{Ops: []queue.Op{{Kind: queue.Delete, ID: id}}}
	early := a.Submit(home, first, true)
	if _, known := run.router.Owner(id); !known { // then connections say so at once
		run.disk.Release()
		t.Fatal("the directory has forgotten a job whose delete is not safe yet")
	}
	early = b.Submit(home, second, false) || early
	early = b.Resume() || early
	cut := run.disk.Cut(0, nil)
	run.disk.Release()
	if early {
		t.Fatal("somebody is answered before the delete is safe")
	}
	a.Finish(false)
	b.Finish(false)
	if first.Ops[0].Status != queue.OK || second.Ops[0].Status != queue.NotFound {
		t.Errorf("the deletes end with %v and %v", first.Ops[0].Status, second.Ops[0].Status)
	}
	if _, known := run.router.Owner(id); known {
		t.Error("R2: the directory still knows the job")
	}
	a.close()
	b.close()
	must.Do(t, run.router.Close())

	run.disk = cut
	run.open(3)
	if _, known := run.router.Owner(id); !known {
		t.Error("the job is not back after a power cut: the test shows nothing")
	}
	must.Do(t, run.router.Close())
}
