package pebblestore

import (
	"errors"
	"math/rand"
	"testing"

	"beanfield/storage"
	"beanfield/storage/effort"
	"beanfield/storage/pebblestore/powercut"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// scenario puts, updates, deletes, flushes, compacts, closes, moves to another
// number of shards and goes on there. It stops at the first error.
type scenario struct {
	t   *testing.T
	fs  vfs.FS
	led *ledger
	h   *history
	// turns that a successful Close covered, whatever became of their acks
	closed int
}

func (sc *scenario) run() error {
	for _, shards := range []int{1, 3} {
		s := noTicks(small(sc.fs, storage.Always))
		logs, err := s.Open(shards, func(string) int { return 0 })
		if err != nil {
			return err
		}
		err = sc.work(logs[0].(*shardLog))
		if closing := s.Close(); closing != nil && err == nil {
			err = closing
		}
		if err != nil {
			return err
		}
		sc.closed = sc.h.turns()
	}
	return nil
}

func (sc *scenario) work(l *shardLog) error {
	if err := l.Replay(func(*storage.Job, []byte) error { return nil }); err != nil {
		return err
	}
	for round := range 3 {
		for range 3 {
			sc.h.turn(l)
			w := make(committed, 1)
			n := sc.h.turns()
			l.Commit(w)
			if err := <-w; err != nil {
				return sc.stopped(l)
			}
			turn{sc.led, n}.Committed(nil)
		}
		if err := l.fault.Guard(l.db.Flush); err != nil {
			return err
		}
		if round == 1 {
			l.compact()
			l.compactIfDue(0)
		}
	}
	return nil
}

// stopped checks that a log that has failed once never says yes again.
func (sc *scenario) stopped(l *shardLog) error {
	failure := l.Stats().Err
	if failure == nil {
		sc.t.Errorf("a commit failed, Stats does not say so")
	}
	if l.Room(1) {
		sc.t.Errorf("a commit failed, there is still room")
	}
	for range 3 {
		w := make(committed, 1)
		if l.Commit(w) {
			sc.t.Errorf("a commit failed, and one after it succeeded at once")
		} else if err := <-w; !errors.Is(err, failure) {
			sc.t.Errorf("a commit failed with %v, and one after it with %v", failure, err)
		}
	}
	return failure
}

// L1 and L2 with a disk that fails at any operation: every acknowledged turn is
// there, no turn is there that was not begun.
func TestErrorAtEveryOperation(t *testing.T) {
	t.Parallel()
	step := int64(1)
	if effort.Brief() {
		step = 37
	}
	everyOperation(t, step, func(b *breaking) error {
		base := &powercut.Mem{MemFS: vfs.NewCrashableMem()}
		sc := &scenario{t: t, fs: errorfs.Wrap(base, b), led: &ledger{t: t}, h: newHistory(rand.New(rand.NewSource(7)))}
		sc.h.moved = true
		err := sc.run()
		after(t, sc, base)
		return err
	})
}

func after(t *testing.T, sc *scenario, base *powercut.Mem) {
	t.Helper()
	acked, _ := sc.led.count()
	fs := base.Clone(vfs.CrashCloneCfg{})
	s := noTicks(small(fs, storage.Always))
	logs, err := s.Open(2, func(string) int { return 1 })
	if err != nil {
		t.Errorf("open afterwards: %v", err)
		return
	}
	a, b := look(t, logs[0]), look(t, logs[1])
	sc.h.find(t, max(acked, sc.closed), sight{append(a.jobs, b.jobs...), append(a.queues, b.queues...),
		max(a.maxID, b.maxID)})
	if err := s.Close(); err != nil {
		t.Errorf("close afterwards: %v", err)
	}
}
