package router

import (
	"testing"

	"beanfield/shard/queue"
	"beanfield/storage"
	"beanfield/storage/pebblestore/powercut"
)

// newSafeRun is a router over a disk that forces every turn, without a model.
func newSafeRun(t *testing.T) *restartRun {
	run := &restartRun{disk: powercut.NewDisk(), mode: storage.Always}
	if err := run.open(3); err != nil {
		t.Fatal(err)
	}
	return run
}

// guest joins a client that the test drives by itself.
func (run *restartRun) guest(t *testing.T, name string) *restartClient {
	c := &restartClient{run: run, name: name, notify: make(chan struct{}, 1)}
	c.session.Init(run.router, c, &run.waits)
	if err := c.complete(c.session.Open()); err != nil {
		t.Fatal(err)
	}
	return c
}

// do runs operations on one shard and returns them answered.
func (c *restartClient) do(t *testing.T, i int, ops ...queue.Op) []queue.Op {
	t.Helper()
	b := &queue.Batch{Ops: ops}
	for b.Next < len(ops) {
		if err := c.complete(c.session.Submit(i, b, true)); err != nil {
			t.Fatal(err)
		}
	}
	return ops
}

func (run *restartRun) close(t *testing.T, clients ...*restartClient) {
	for _, c := range clients {
		if err := c.complete(c.session.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if err := run.router.Close(); err != nil {
		t.Fatal(err)
	}
}
