package pebblestore

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2"
)

// fault remembers the first error after which a database must not be used any
// more. Pebble reports such errors by calling its logger's Fatalf, or by a
// panic, and cannot go on after either: its locks may be held and its manifest
// half written. So the goroutine that met the error is parked and never resumes,
// all goroutines that wait for the database are told through dead, and the database
// is abandoned, not closed. What it had made durable stays durable.
type fault struct {
	once sync.Once
	dead chan struct{} // closed when err is set
	err  error
	then func(error) // told once, if not nil
}

func newFault(then func(error)) *fault {
	return &fault{dead: make(chan struct{}), then: then}
}

func (f *fault) fail(err error) {
	f.once.Do(func() {
		f.err = err
		close(f.dead)
		if f.then != nil {
			f.then(err)
		}
	})
}

// Err is the error, or nil while there is none.
func (f *fault) Err() error {
	select {
	case <-f.dead:
		return f.err
	default:
		return nil
	}
}

// guard runs fn, which calls Pebble, and returns when it does, or when the
// database has failed: fn may then never return.
func (f *fault) guard(fn func() error) error {
	done := make(chan error, 1)
	go func() {
		defer f.recover()
		done <- fn()
	}()
	select {
	case err := <-done:
		// A call can succeed although Pebble met a fault during it.
		if fatal := f.Err(); fatal != nil {
			return fatal
		}
		return err
	case <-f.dead:
		return f.err
	}
}

// recover is deferred by goroutines that call Pebble, which panics when a log
// file cannot be closed or created.
func (f *fault) recover() {
	if p := recover(); p != nil {
		f.fail(fmt.Errorf("storage: panic: %v", p))
	}
}

// reporter passes on what Pebble reports. It is a pebble.Logger.
type reporter struct {
	fault       *fault
	log         *slog.Logger
	compactions *scheduler
}

func (r reporter) Infof(format string, args ...any) {
	if r.log.Enabled(context.Background(), slog.LevelDebug) {
		r.log.Debug(fmt.Sprintf(format, args...))
	}
}

func (r reporter) Errorf(format string, args ...any) {
	r.log.Error(fmt.Sprintf(format, args...))
}

// Fatalf does not return: see fault.
func (r reporter) Fatalf(format string, args ...any) {
	err := fmt.Errorf(format, args...)
	r.log.Error("storage failed", "error", err)
	r.fault.fail(fmt.Errorf("storage: %w", err))
	select {}
}

// retryPause slows down what Pebble repeats at once, without end: a flush or a
// compaction on a full disk, and the reading of a table's statistics. A compaction
// that cannot read its tables is delayed by the scheduler instead: Pebble holds its lock
// during this pause, and writes that need another memtable wait for that lock.
const retryPause = 100 * time.Millisecond

// listener is told of errors in the background. Flushes and compactions are
// repeated until they work, so on a full disk they only wait for space. What they
// cannot read stays where it is: nothing new depends on it. Any other error means
// that the disk cannot be trusted.
func (r reporter) listener() *pebble.EventListener {
	var failures, damage atomic.Uint64
	return &pebble.EventListener{
		BackgroundError: func(err error) {
			what := "storage: the disk is full: what tidies it is repeated"
			if failedToRead(err) {
				what = "storage: tables that cannot be read are not tidied"
			} else if !errors.Is(err, syscall.ENOSPC) {
				r.log.Error("storage: background work failed", "error", err.Error())
				r.fault.fail(fmt.Errorf("storage: %w", err))
				select {}
			}
			// To report each would fill the log, and maybe another disk.
			if n := failures.Add(1); n&(n-1) == 0 {
				r.log.Error(what, "times", n, "error", err.Error())
			}
			if !r.compactions.restsFor(err) {
				time.Sleep(retryPause)
			}
		},
		CompactionEnd: func(info pebble.CompactionInfo) { r.compactions.compacted(info.Err) },
		DataCorruption: func(info pebble.DataCorruptionInfo) {
			// The reader gets the error too, and decides what it means.
			if n := damage.Add(1); n&(n-1) == 0 {
				r.log.Warn("storage: a file is damaged", "file", info.Path, "times", n, "error", info.Details.Error())
			}
		},
		DiskSlow: func(info pebble.DiskSlowInfo) {
			r.log.Warn("storage: disk is slow", "path", info.Path, "for", info.Duration)
		},
		WriteStallBegin: func(info pebble.WriteStallBeginInfo) {
			r.log.Info("storage: writes wait for compactions", "reason", info.Reason)
		},
	}
}
