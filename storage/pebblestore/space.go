package pebblestore

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"sync"
	"sync/atomic"

	"beanfield/storage"
	"beanfield/storage/pebblestore/directory"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// space watches the disk, so that jobs are refused before Pebble, which cannot
// go on after a failed write to its log, meets a full one. Between two looks
// what is accepted is counted. The disk is used up in this order:
//
//   - Puts stop at the reserve.
//   - Updates, by which workers give jobs back, go on until half the size of the
//     ballast is left.
//   - Deletes are always accepted: they are what frees space.
//
// The ballast is a part of the reserve. When something else fills the disk to the
// last byte, it is removed, and the write that failed is repeated.
type space struct {
	fs      vfs.FS // without the ballast's wrapper
	path    string
	ballast string
	size    int64 // of the ballast, 0 for none
	reserve int64
	log     *slog.Logger

	left     atomic.Int64 // bytes that puts may use until the next look
	updates  atomic.Int64 // bytes that updates may use
	promised atomic.Int64 // bytes of large bodies that are accepted and not yet written
	wanted   atomic.Bool  // a put was refused
	low      atomic.Bool  // puts are refused, or soon will be

	mu      sync.Mutex
	held    bool  // the ballast is there
	refused level // what is refused; the log says it once
}

// level is how much is refused for want of space.
type level uint8

const (
	nothing level = iota
	puts
	putsAndUpdates
)

// lowPart is how much of the reserve must be free besides before a disk is low.
const lowPart = 8

// amplification is how many bytes on disk an accepted byte may need for a while:
// in the log, in a table, and in the table that a compaction makes of that.
const amplification = 3

func newSpace(o Options, d *directory.Dir) *space {
	s := &space{fs: d.FS, path: d.Path, ballast: d.Join(directory.BallastName), log: o.Logger}
	s.fit(o)
	return s
}

// fit takes the sizes from the options.
func (s *space) fit(o Options) {
	s.size = max(0, o.Ballast)
	s.reserve = o.reserve()
}

// take accepts a put of n bytes, or says no, and then takes nothing.
func (s *space) take(n int) bool {
	if withdraw(&s.left, amplification*int64(n)+updateSize) {
		return true
	}
	s.wanted.Store(true)
	return false
}

// takeUpdate accepts an update, or says no, and then takes nothing. It counts against puts too.
func (s *space) takeUpdate() bool {
	if !withdraw(&s.updates, updateSize) {
		return false
	}
	s.left.Add(-updateSize)
	return true
}

// withdraw takes n bytes if something is left then. What does not fit is not even taken for a
// moment: others would be refused meanwhile.
func withdraw(from *atomic.Int64, n int64) bool {
	for {
		left := from.Load()
		if left <= n {
			return false
		}
		if from.CompareAndSwap(left, left-n) {
			return true
		}
	}
}

// short says whether there is too little for puts, or was for one since the last call.
func (s *space) short() bool { return s.wanted.Swap(false) || s.left.Load() <= 0 }

// look measures the disk.
func (s *space) look() {
	s.mu.Lock()
	defer s.mu.Unlock()
	free, err := s.free()
	if errors.Is(err, vfs.ErrUnsupported) {
		s.left.Store(math.MaxInt64 / 2)
		s.updates.Store(math.MaxInt64 / 2)
		return
	}
	if err != nil {
		s.log.Error("cannot tell how much disk space is left", "error", err)
		return
	}
	if !s.held && s.size > 0 && free >= 2*s.size {
		s.held = s.fill() == nil
	} else if s.held {
		free += s.size
	}
	s.grant(free)
}

// grant shares out what is free, with the ballast.
func (s *space) grant(free int64) {
	left, updates := free-s.reserve-s.promised.Load(), free-s.size/2
	s.left.Store(left)
	s.updates.Store(updates)
	s.low.Store(free-s.reserve <= s.reserve/lowPart) // without what is promised, which ends with a term
	refused := nothing
	switch {
	case updates <= 0:
		refused = putsAndUpdates
	case left <= 0:
		refused = puts
	}
	if refused == s.refused {
		return
	}
	s.refused = refused
	switch refused {
	case nothing:
		s.log.Info("disk space has returned: jobs are accepted", "free", free)
	case puts:
		s.log.Error("disk space is low: no jobs are accepted", "free", free, "min_free", s.reserve)
	case putsAndUpdates:
		s.log.Error("the disk is almost full: jobs can be deleted, but not put, released or buried", "free", free)
	}
}

// free is how much space the file system has for us. One that cannot say, such as a
// file system in memory, has no limit.
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
	return directory.Error(s.path, storage.ErrNoSpace,
		"a second copy of the jobs needs about %d bytes; %d are free, %d of them reserved", bytes, free, s.reserve)
}

// fill makes the ballast.
func (s *space) fill() error {
	f, err := s.fs.Create(s.ballast, directory.Category)
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
		s.updates.Store(0)
		return
	}
	s.held = false
	s.updates.Store(s.size / 2)
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
