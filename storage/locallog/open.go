package locallog

import (
	"fmt"

	"beanfield/storage/turns"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// maxSlot is how long a slot may be: its offsets must fit into an At.
const maxSlot = 1 << 30

// Open opens the log in a directory for a store that stands at a durable place: the log goes
// on behind it. If a record is missing that had been durable, it fails with
// storage.ErrCorrupt, and changes nothing.
func Open(o Options, from turns.Place) (*Log, error) {
	if o.Slot < 2*turns.Overhead || o.Slot > maxSlot || o.Slots < 1 {
		return nil, fmt.Errorf("storage: a log cannot have %d slots of %d bytes", o.Slots, o.Slot)
	}
	l := &Log{o: o, from: from}
	if err := l.open(); err != nil {
		return nil, l.closeFiles(err)
	}
	return l, nil
}

func (l *Log) open() error {
	f := &found{fs: l.o.FS, dir: l.o.Dir, from: l.from}
	if l.o.Elsewhere {
		if err := Create(l.o, l.from); err != nil {
			return err
		}
	}
	if err := look(f); err != nil {
		return err
	}
	row, place, err := f.sound()
	if l.o.Elsewhere {
		row, place = f.chain()
	} else if err != nil {
		return err
	}
	for i, name := range f.names {
		file, err := f.fs.OpenReadWrite(name, vfs.WriteCategoryUnspecified)
		if err != nil {
			return fmt.Errorf("storage: %w", err)
		}
		l.slots = append(l.slots, &slot{name: name, file: file, size: f.sizes[i]})
	}
	l.takeOver(row, place)
	if err := l.refill(); err != nil {
		return err
	}
	if l.mark, err = openMark(l.o); err != nil {
		return err
	}
	if !l.o.Elsewhere {
		if err := l.adopt(f.claim()); err != nil {
			return err
		}
	}
	if err := l.Sync(); err != nil {
		return err
	}
	l.synced = place.Number
	if l.o.Elsewhere {
		return l.whole()
	}
	return nil
}

// whole finds out up to where a copy has whole turns: the parts at its end may go on.
func (l *Log) whole() error {
	l.behind = l.from
	for _, s := range l.used {
		s.behind = l.from
	}
	for r := l.Reader(); ; {
		_, _, behind, ok, err := r.Next()
		if err != nil || !ok {
			return err
		}
		l.behind = behind
		for _, s := range l.used {
			if s.last >= behind.Number {
				s.behind = behind
			}
		}
	}
}

// takeOver takes the slots into use that the log is in.
func (l *Log) takeOver(row []run, place turns.Place) {
	l.place, l.behind = place, l.from
	for i, r := range row {
		s := l.slots[r.slot]
		l.use(s)
		s.first, s.last, s.end, s.tail, s.more = r.first, r.last.Number, r.end, r.tail, r.more
		if goesOn := r.more && i+1 < len(row) && row[i+1].rest; !goesOn {
			l.behind = r.last // of whole turns, or of parts that are void
		}
		s.behind = l.behind
	}
	l.synced = l.from.Number
}

// adopt has the records written once more that nobody has called durable. A killed process
// may have left them to the system alone, and whoever reads them from here on relies on
// them. A sync may even have failed before: then the system takes what it has for clean, and
// would not write it again.
func (l *Log) adopt(claim uint64) error {
	for _, s := range l.used {
		if s.last <= claim {
			continue
		}
		s.dirty, l.dirty = true, append(l.dirty, s)
		end := min(s.end, s.size)
		b := make([]byte, min(end, 1<<20))
		for at := int64(0); at < end; at += int64(len(b)) {
			b = b[:min(int64(len(b)), end-at)]
			if _, err := s.file.ReadAt(b, at); err != nil {
				return fmt.Errorf("storage: %s: %w", s.name, err)
			}
			if _, err := s.file.WriteAt(b, at); err != nil {
				return fmt.Errorf("storage: %s: %w", s.name, err)
			}
		}
	}
	return nil
}

// view opens a log to read it only.
func view(fs vfs.FS, dir string, from turns.Place) (*Log, error) {
	l := &Log{o: Options{FS: fs, Dir: dir}, from: from}
	f := &found{fs: fs, dir: dir, from: from}
	if err := look(f); err != nil {
		return nil, err
	}
	row, place, err := f.sound()
	if err != nil {
		return nil, err
	}
	for i, r := range row {
		name := f.names[r.slot]
		file, err := fs.Open(name)
		if err != nil {
			return nil, l.closeFiles(fmt.Errorf("storage: %w", err))
		}
		l.slots = append(l.slots, &slot{name: name, file: file, size: f.sizes[r.slot]})
		row[i].slot = i
	}
	l.takeOver(row, place)
	l.synced = place.Number
	return l, nil
}

// Read calls fn for all turns behind a place, and returns the last place. It refuses what
// Open refuses, and changes nothing.
func Read(fs vfs.FS, dir string, from turns.Place, fn func(b []byte, at turns.At, behind turns.Place) error) (
	turns.Place, error) {
	l, err := view(fs, dir, from)
	if err != nil {
		return from, err
	}
	r := l.Reader()
	for {
		b, at, behind, ok, err := r.Next()
		if err == nil && ok {
			err = fn(b, at, behind)
		}
		if err != nil || !ok {
			return behind, l.closeFiles(err)
		}
	}
}
