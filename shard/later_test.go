package shard

import (
	"testing"
	"testing/synctest"

	"beanfield/shard/queue"
	"beanfield/storage"
)

// lateLog counts the turns that it commits at once, and those that are to be pushed.
type lateLog struct {
	storage.Log
	now, later int
}

func (l *lateLog) Commit(storage.Ack) bool {
	l.now++
	return true
}

func (l *lateLog) CommitLater(storage.Ack) bool {
	l.later++
	return true
}

func (l *lateLog) Push(bool) {}

// C3 of package beanstalk: a submitter who pushes the log does so for all turns that it runs, its own and those of
// others. The shard's goroutine and other submitters push nothing: the log must hear of theirs.
func TestTurnsOfThoseWhoPush(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, true)
		b.sh.Close()
		log := &lateLog{Log: b.log}
		b.sh = New(queue.NewState(queue.Config{Directory: b.dir, Log: log, Durable: true, Pinned: "default"}), b.now)
		defer b.sh.Close()
		batch := func(later bool) *queue.Batch {
			return &queue.Batch{Ops: []queue.Op{{Kind: queue.Totals}}, Later: later, Done: unheard{}}
		}
		leave := func(other *queue.Batch) { b.sh.mail.Push(other, linkOf(other)) }
		for name, c := range map[string]struct {
			run        func()
			now, later int
		}{
			"in place":               {func() { b.sh.Submit(batch(false)) }, 1, 0},
			"in place, pushes":       {func() { b.sh.Submit(batch(true)) }, 0, 1},
			"with another's":         {func() { leave(batch(true)); b.sh.Submit(batch(false)) }, 1, 0},
			"with another's, pushes": {func() { leave(batch(false)); b.sh.Submit(batch(true)) }, 0, 1},
			"by the goroutine": {func() { b.sh.Submit(batch(true)); b.sh.proceed(batch(true)); synctest.Wait() },
				1, 1},
		} {
			log.now, log.later = 0, 0
			if c.run(); log.now != c.now || log.later != c.later {
				t.Errorf("%s: %d turns committed at once, %d later; want %d, %d", name, log.now, log.later, c.now,
					c.later)
			}
		}
	})
}
