package locallog

import (
	"errors"
	"fmt"
	"slices"
	"syscall"

	"beanfield/storage"
	"beanfield/storage/turns"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// slot is a file that holds records one after the other, from its beginning.
type slot struct {
	name string
	file vfs.File
	size int64

	// Under the log's mutex. A free slot has no numbers, whatever is still in it.
	seq         uint32 // of its use
	first, last uint64
	behind      turns.Place // of the last whole turns in it, or before it
	end         int64       // where the last record ends, with the padding after it
	tail        int64       // where the turns of the last record end
	more        bool        // and go on in the slot with the next sequence
	busy        bool        // the owner is writing to it, and alone may change the rest
	dirty       bool        // it has been written to, and not synced
}

func (s *slot) free() bool { return s.first == 0 }

// Records begin at multiples of align.
const align = 8

func aligned(n int64) int64 { return (n + align - 1) &^ (align - 1) }

// room is how many bytes of turns a slot has room for behind its last record.
func (s *slot) room() int64 { return s.size - s.end - turns.Overhead }

// slotSuffix ends the name of a slot; what comes before is its number.
const slotSuffix = ".turns"

func slotName(i int) string { return fmt.Sprintf("%04d%s", i, slotSuffix) }

// mostTimes is how many times longer than the others a free slot may be that stays.
const mostTimes = 8

// Prepare makes a slot if none is free and there may be more, so that Append need not. It
// removes free slots that are beyond Options.Slots, or much too long. Any goroutine may call it.
func (l *Log) Prepare() error {
	l.making.Lock()
	defer l.making.Unlock()
	l.mu.Lock()
	var surplus []*slot
	for i := len(l.slots) - 1; i >= 0; i-- {
		s := l.slots[i]
		if (len(l.slots) > l.o.Slots || s.size > mostTimes*l.o.Slot) && s.free() && !s.busy && !s.dirty {
			surplus = append(surplus, s)
			l.slots = slices.Delete(l.slots, i, i+1)
		}
	}
	enough := len(l.slots) >= l.o.Slots || slices.ContainsFunc(l.slots, (*slot).free)
	err := l.err
	l.mu.Unlock()
	for _, s := range surplus {
		err = errors.Join(err, s.file.Close(), l.o.FS.Remove(s.name))
	}
	if err != nil || enough {
		return err
	}
	return l.grow(l.o.Slot)
}

// grow makes one more slot. It is written full of zeros and synced, so that no later sync
// has to change the file's length or where its blocks are. The caller holds making.
func (l *Log) grow(length int64) error {
	l.mu.Lock()
	s := new(slot)
	taken := func(other *slot) bool { return other.name == s.name }
	for i := 0; i == 0 || slices.ContainsFunc(l.slots, taken); i++ {
		s.name = l.o.FS.PathJoin(l.o.Dir, slotName(i))
	}
	l.mu.Unlock()
	var err error
	if s.file, err = l.o.FS.OpenReadWrite(s.name, vfs.WriteCategoryUnspecified); err == nil {
		if err = l.fill(s, length); err == nil {
			err = syncDir(l.o.FS, l.o.Dir)
		}
		if err != nil {
			err = errors.Join(err, s.file.Close(), l.o.FS.Remove(s.name))
		}
	}
	if errors.Is(err, syscall.ENOSPC) {
		return fmt.Errorf("storage: %s: %w: %w", s.name, storage.ErrNoSpace, err)
	}
	if err != nil {
		return l.fail(fmt.Errorf("storage: %w", err))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.slots = append(l.slots, s)
	return nil
}

// fill writes zeros from where a slot ends to where it should.
func (l *Log) fill(s *slot, length int64) error {
	zeros := make([]byte, min(length, 1<<20))
	for s.size < length {
		n := min(int64(len(zeros)), length-s.size)
		if _, err := s.file.WriteAt(zeros[:n], s.size); err != nil {
			return fmt.Errorf("storage: %s: %w", s.name, err)
		}
		s.size += n
	}
	if err := s.file.Sync(); err != nil {
		return fmt.Errorf("storage: %s: sync: %w", s.name, err)
	}
	return nil
}

// syncDir makes the names in a directory durable.
func syncDir(fs vfs.FS, name string) error {
	dir, err := fs.OpenDir(name)
	if err != nil {
		return fmt.Errorf("storage: %w", err)
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// refill finishes slots that a crash, or the end of the process, left unfinished, or that
// were made shorter. If there is no room for that, they are not used.
func (l *Log) refill() error {
	for i := 0; i < len(l.slots); i++ {
		s := l.slots[i]
		if !s.free() || s.size >= l.o.Slot {
			continue
		}
		switch err := l.fill(s, l.o.Slot); {
		case errors.Is(err, syscall.ENOSPC):
			l.slots = slices.Delete(l.slots, i, i+1)
			i--
			if err := s.file.Close(); err != nil {
				return fmt.Errorf("storage: %w", err)
			}
		case err != nil:
			return err
		}
	}
	return syncDir(l.o.FS, l.o.Dir)
}

// closeFiles closes what has been opened, and returns the error with those of closing.
func (l *Log) closeFiles(err error) error {
	for _, s := range l.slots {
		err = errors.Join(err, s.file.Close())
	}
	if l.mark != nil {
		err = errors.Join(err, l.mark.Close())
	}
	l.slots, l.used, l.mark = nil, nil, nil
	return err
}
