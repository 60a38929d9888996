package database

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2"
)

// reporter passes on what Pebble reports. It is a pebble.Logger.
type reporter struct {
	fault       *Fault
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
	r.fault.Fail(fmt.Errorf("storage: %w", err))
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
			if FailedToRead(err) {
				what = "storage: tables that cannot be read are not tidied"
			} else if !errors.Is(err, syscall.ENOSPC) {
				r.log.Error("storage: background work failed", "error", err.Error())
				r.fault.Fail(fmt.Errorf("storage: %w", err))
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
