package shard

import (
	"errors"
	"testing"

	"beanfield/shard/queue"
	"beanfield/shard/queue/queuetest"
)

// doneFunc is told of a batch on the goroutine that completes it.
type doneFunc func(*queue.Batch)

func (f doneFunc) Complete(b *queue.Batch) { f(b) }

// The directory forgets a deleted job when the delete is committed, before
// anybody is answered, and not at all when the log has failed (L1).
func TestDirectoryForgetsAfterTheCommit(t *testing.T) {
	for _, fault := range []error{nil, errors.New("the disk is gone")} {
		dir, log := queuetest.NewDirectory(t), queuetest.NewLog()
		sh := New(queue.NewState(queue.Config{Directory: dir, Log: log, Durable: true, Pinned: "default"}),
			func() int64 { return 1 })
		c := newCaller(sh)
		c.ask(sh, putOp(1, "x"), putOp(2, "y"))
		log.Slow = true
		answered := false
		done := doneFunc(func(*queue.Batch) {
			answered = true
			if want := fault == nil; dir.Gone[1] != want || dir.Gone[2] != want {
				t.Errorf("after a commit with error %v these are forgotten: %v", fault, dir.Gone)
			}
		})
		if sh.Submit(&queue.Batch{Client: &c.Client, Ops: []queue.Op{{Kind: queue.Delete, ID: 1},
			{Kind: queue.Delete, ID: 2}}, Done: done}) {
			t.Fatal("answered without the log")
		}
		if len(dir.Gone) != 0 {
			t.Errorf("before the commit these are forgotten: %v", dir.Gone)
		}
		if log.Release(fault); !answered {
			t.Error("not answered")
		}
		sh.Close()
	}
}
