package pebblestore

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"sync"
	"sync/atomic"

	"beanfield/storage"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// space watches the disk, so that jobs are refused before Pebble, which cannot
// go on after a failed write to its log, meets a full one. Between two looks
// what is accepted is counted. Deletes are not asked: they live on the reserve.
//
// When something else fills the disk to the last byte, the ballast is removed,
// and the write that failed is repeated.
type space struct {
	fs      vfs.FS // without the ballast's wrapper
	path    string
	ballast string
	size    int64 // of the ballast, 0 for none
	reserve int64
	log     *slog.Logger

	left     atomic.Int64 // bytes that may be accepted until the next look
	promised atomic.Int64 // bytes of large bodies that are accepted and not yet written

	mu   sync.Mutex
	held bool // the ballast is there
	low  bool // for the log: say it once
}

// amplification is how many bytes on disk an accepted byte may need for a while:
// in the log, in a table, and in the table that a compaction makes of that.
const amplification = 3

func newSpace(o Options, d *directory) *space {
	return &space{
		fs: d.fs, path: d.path, ballast: d.join(ballastName), log: o.Logger,
		size: max(0, o.Ballast), reserve: max(0, o.MinFree),
	}
}

// take accepts n bytes, or says no.
func (s *space) take(n int) bool {
	if s.left.Load() <= 0 {
		return false
	}
	return s.left.Add(-amplification*int64(n)-updateSize) > 0
}

// look measures the disk.
func (s *space) look() {
	s.mu.Lock()
	defer s.mu.Unlock()
	free, err := s.free()
	if errors.Is(err, vfs.ErrUnsupported) {
		s.left.Store(math.MaxInt64 / 2)
		return
	}
	if err != nil {
		s.log.Error("cannot tell how much disk space is left", "error", err)
		return
	}
	if !s.held && s.size > 0 && free > s.reserve+s.size {
		s.held = s.fill() == nil
		free -= s.size
	}
	left := free - s.reserve - s.promised.Load()
	if s.size > 0 && !s.held {
		left = 0
	}
	if low := left <= 0; low != s.low {
		s.low = low
		if low {
			s.log.Error("disk space is low: no jobs are accepted", "free", free, "min_free", s.reserve)
		} else {
			s.log.Info("disk space has returned: jobs are accepted", "free", free)
		}
	}
	s.left.Store(left)
}

// free is what the file system has for us. A file system that cannot tell, as
// one in memory, has no limit.
func (s *space) free() (int64, error) {
	usage, err := s.fs.GetDiskUsage(s.path)
	if err != nil {
		return 0, err
	}
	return int64(min(usage.AvailBytes, math.MaxInt64)), nil
}

// need refuses a second copy of jobs that takes more than there is.
func (s *space) need(bytes int64) error {
	free, err := s.free()
	if err != nil || free-s.reserve >= bytes {
		return nil
	}
	return dirError(s.path, storage.ErrNoSpace, "a second copy of the jobs needs about %d bytes; %d are free, %d of them reserved", bytes, free, s.reserve)
}

// fill makes the ballast.
func (s *space) fill() error {
	f, err := s.fs.Create(s.ballast, category)
	if err != nil {
		return err
	}
	if err := errors.Join(f.Preallocate(0, s.size), f.Close()); err != nil {
		return errors.Join(err, s.fs.Remove(s.ballast))
	}
	return nil
}

// drop gives the ballast up. Pebble's file system calls it when a write has met
// a full disk, and then repeats the write.
func (s *space) drop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left.Store(0)
	if !s.held {
		return
	}
	s.held = false
	err := s.fs.Remove(s.ballast)
	s.log.Error("disk is full: the ballast is given up", "bytes", s.size, "error", fmt.Sprint(err))
}

// wrap makes writes that meet a full disk call drop.
func (s *space) wrap() vfs.FS {
	if s.size == 0 {
		return s.fs
	}
	return vfs.OnDiskFull(s.fs, s.drop)
}
