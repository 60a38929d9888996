package queue

import (
	"testing"
)

// newPurgeWorld makes one in which each truncate is a purge, and graves stay as they are.
func newPurgeWorld(t *testing.T) *world {
	w := newWorld(t)
	w.config.LeastPurge, w.config.PurgeShare = 1, -1
	w.s.LeastPurge, w.s.PurgeShare = 1, -1
	return w
}

// Of a job that a purge has ended, and whose record goes before there are clients, nothing is left.
func TestPurgedJobsGoFromAReplica(t *testing.T) {
	w := newPurgeWorld(t)
	w.run(`
		a put-with key=k for=9s -> 1
		a put 5 0 60 -> 2
		a put 5 0 60 -> 3
		b truncate default -> 3
		restart`)
	for id := uint64(1); id <= 3; id++ {
		w.s.Discard(id)
		delete(w.log.Jobs, id)
		if err := w.s.Check(); err != nil {
			t.Fatal(err)
		}
	}
	w.s.Settle(w.now)
	if w.s.AmendQueue("default", nil) {
		t.Error("a queue whose purge is over need not be made anew")
	}
	w.empty()
}

// A queue of which the log has only its next view's number keeps that over a restart amid a purge: a replay writes
// nothing.
func TestPurgeLeavesAQueueItsViews(t *testing.T) {
	w := newPurgeWorld(t)
	w.run(`
		a use mail
		a put 5 0 60 -> 1
		a put 5 0 60 -> 2
		b truncate mail -> 2
		g.a@mail sub 1
		h.a@mail sub 1
		g.a@mail item 1 -> 3 => g.a@mail:3 h.a@mail:3
		h.a@mail drop => h.a@mail:removed
		g.a@mail drop => g.a@mail:removed`)
	w.replay()
	if v, q := w.s.tubes["mail"].service, w.log.Queues["mail"]; v == nil || v.nextView != 1 || q.Next != 1 {
		t.Errorf("after a restart, the queue is %+v, in the log %+v", v, q)
	}
}
