package shard

import (
	"errors"
	"testing"
)

// doneFunc is told of a batch on the goroutine that completes it.
type doneFunc func(*Batch)

func (f doneFunc) Complete(b *Batch) { f(b) }

// The directory forgets a deleted job when the delete is committed, before
// anybody is answered, and not at all when the log has failed (L1).
func TestDirectoryForgetsAfterTheCommit(t *testing.T) {
	for _, fault := range []error{nil, errors.New("the disk is gone")} {
		dir, log := newFakeDirectory(t), newFakeLog()
		sh := New(NewState(Config{Directory: dir, Log: log, Durable: true, Pinned: "default"}), func() int64 { return 1 })
		c := newCaller()
		c.enter(sh)
		c.ask(sh, putOp(1, "x"), putOp(2, "y"))
		log.slow = true
		answered := false
		done := doneFunc(func(*Batch) {
			answered = true
			if want := fault == nil; dir.gone[1] != want || dir.gone[2] != want {
				t.Errorf("after a commit with error %v these are forgotten: %v", fault, dir.gone)
			}
		})
		if sh.Submit(&Batch{Client: &c.Client, Ops: []Op{{Kind: Delete, ID: 1}, {Kind: Delete, ID: 2}}, Done: done}) {
			t.Fatal("answered without the log")
		}
		if len(dir.gone) != 0 {
			t.Errorf("before the commit these are forgotten: %v", dir.gone)
		}
		if log.release(fault); !answered {
			t.Error("not answered")
		}
		sh.Close()
	}
}
