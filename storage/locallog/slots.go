package locallog

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"

	"beanfield/storage"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// slotSuffix ends the name of a slot; what comes before is its number.
const slotSuffix = ".turns"

func slotName(i int) string { return fmt.Sprintf("%04d%s", i, slotSuffix) }

// slotNames lists the slots of the directory, in a fixed order.
func (l *Log) slotNames() ([]string, error) {
	names, err := l.o.FS.List(l.o.Dir)
	if err != nil {
		return nil, fmt.Errorf("storage: %w", err)
	}
	names = slices.DeleteFunc(names, func(name string) bool { return !strings.HasSuffix(name, slotSuffix) })
	slices.Sort(names)
	return names, nil
}

// grow makes one more slot. It is written full of zeros and synced, so that no later sync
// has to change the file's length or where its blocks are.
func (l *Log) grow() (*slot, error) {
	i := 0
	for slices.ContainsFunc(l.slots, func(s *slot) bool { return l.o.FS.PathBase(s.name) == slotName(i) }) {
		i++
	}
	name := l.o.FS.PathJoin(l.o.Dir, slotName(i))
	f, err := l.o.FS.OpenReadWrite(name, vfs.WriteCategoryUnspecified)
	if err != nil {
		return nil, fmt.Errorf("storage: %w", err)
	}
	s := &slot{name: name, file: f}
	err = l.fill(s)
	if err == nil {
		err = l.syncDir()
	}
	if err != nil {
		if errors.Is(err, syscall.ENOSPC) {
			err = fmt.Errorf("%w: %w", storage.ErrNoSpace, err)
		}
		return nil, errors.Join(err, f.Close(), l.o.FS.Remove(name))
	}
	return s, nil
}

// fill writes zeros from where a slot ends to where it should.
func (l *Log) fill(s *slot) error {
	zeros := make([]byte, min(l.o.Slot, 1<<20))
	for s.size < l.o.Slot {
		n := min(int64(len(zeros)), l.o.Slot-s.size)
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

// syncDir makes the names of the slots durable.
func (l *Log) syncDir() error {
	dir, err := l.o.FS.OpenDir(l.o.Dir)
	if err != nil {
		return fmt.Errorf("storage: %w", err)
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// refill finishes slots that a crash, or the end of the process, left unfinished.
func (l *Log) refill() error {
	for _, s := range l.slots {
		if s.size >= l.o.Slot {
			continue
		}
		if err := l.fill(s); err != nil {
			return err
		}
	}
	return l.syncDir()
}

// closeFiles closes what has been opened, and returns the error with those of closing.
func (l *Log) closeFiles(err error) error {
	for _, s := range l.slots {
		err = errors.Join(err, s.file.Close())
	}
	if l.mark != nil {
		err = errors.Join(err, l.mark.Close())
	}
	return err
}
