package router

import (
	"testing"

	"beanfield/shard/queue"
	"beanfield/storage"
	"beanfield/storage/must"
	"beanfield/storage/pebblestore/powercut"
)

// newSafeRun is a router over a disk that forces every turn, without a model.
func newSafeRun(t *testing.T) *restartRun {
	run := &restartRun{disk: powercut.NewDisk(), mode: storage.Always}
	must.Do(t, run.open(3))
	return run
}

// driven joins a client that the test drives by itself.
func (run *restartRun) driven(t *testing.T, name string) *restartClient {
	c := &restartClient{run: run, name: name, notify: make(chan struct{}, 1)}
	c.session.Init(run.router, c, &run.waits)
	must.Do(t, c.complete(c.session.Open()))
	return c
}

// do runs operations on one shard and returns them answered.
func (c *restartClient) do(t *testing.T, i int, ops ...queue.Op) []queue.Op {
	t.Helper()
	b := &queue.Batch{Ops: ops}
	for b.Next < len(ops) {
		must.Do(t, c.complete(c.session.Submit(i, b, true)))
	}
	return ops
}

func (run *restartRun) close(t *testing.T, clients ...*restartClient) {
	for _, c := range clients {
		must.Do(t, c.complete(c.session.Close()))
	}
	must.Do(t, run.router.Close())
}
