package locallog

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"

	"beanfield/storage"
	"beanfield/storage/turns"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Open opens the log in a directory, or begins it there, for a store that stands at a
// durable place: the log goes on behind it. If a record is missing that had been durable, it fails
// with storage.ErrCorrupt, and changes nothing.
func Open(o Options, from turns.Place) (*Log, error) {
	l := &Log{o: o, from: from, place: from, synced: from.Number}
	if o.Slot < 2*turns.Overhead || o.Slots < 1 {
		return nil, fmt.Errorf("storage: a log of %d slots of %d bytes cannot hold anything", o.Slots, o.Slot)
	}
	err := l.open()
	if err != nil {
		return nil, l.closeFiles(err)
	}
	return l, nil
}

func (l *Log) open() error {
	names, err := l.slotNames()
	if err != nil {
		return err
	}
	var all []run
	for i, name := range names {
		s, content, err := l.openSlot(name)
		if err != nil {
			return err
		}
		l.slots = append(l.slots, s)
		all = append(all, runsOf(i, content, l.from.Origin)...)
	}
	l.chain(all)
	claim, err := l.claimed(all)
	if err != nil {
		return err
	}
	if l.place.Number < claim {
		return fmt.Errorf("storage: %s: %w: record %d cannot be read, and the log had been synced up to record %d",
			l.o.Dir, storage.ErrCorrupt, l.place.Number+1, claim)
	}
	if err := l.refill(); err != nil {
		return err
	}
	if err := l.openMark(); err != nil {
		return err
	}
	if err := l.adopt(all, claim); err != nil {
		return err
	}
	return l.Sync()
}

// adopt has the records written once more that nobody has called durable. A killed process
// may have left them to the system alone, and whoever reads them from here on relies on
// them. A sync may even have failed before: then the system takes what it has for clean, and
// would not write it again.
func (l *Log) adopt(all []run, claim uint64) error {
	for _, r := range all {
		s := l.slots[r.slot]
		if s.free() || r.first().at != 0 {
			continue
		}
		l.dirty = append(l.dirty, s)
		for _, f := range r.records {
			if f.number <= claim {
				continue
			}
			b := make([]byte, min(f.end, s.size)-f.at)
			if _, err := s.file.ReadAt(b, f.at); err != nil {
				return fmt.Errorf("storage: %s: %w", s.name, err)
			}
			if _, err := s.file.WriteAt(b, f.at); err != nil {
				return fmt.Errorf("storage: %s: %w", s.name, err)
			}
		}
	}
	return nil
}

// run is a row of records that chain, one directly behind the other.
type run struct {
	slot    int
	records []found
}

// found is a record, as it was found in a slot.
type found struct {
	at, end int64
	number  uint64
	before  uint64
	hash    uint64
	synced  uint64
}

func (r run) first() found { return r.records[0] }
func (r run) last() found  { return r.records[len(r.records)-1] }

// runsOf finds all records of this log in a slot, also what is left of its earlier uses.
func runsOf(slot int, content []byte, origin uint64) (all []run) {
	for at := turns.Find(content, origin, 0, align); at >= 0; at = turns.Find(content, origin, at, align) {
		one := run{slot: slot}
		for {
			r, hash, n, err := turns.Decode(content[at:])
			if err != nil || r.Origin != origin {
				break
			}
			f := found{at: int64(at), number: r.Number, before: r.Before, hash: hash, synced: r.Synced}
			if len(one.records) > 0 && (f.number != one.last().number+1 || f.before != one.last().hash) {
				break
			}
			f.end = aligned(int64(at + n))
			at = int(min(f.end, int64(len(content))))
			one.records = append(one.records, f)
		}
		all = append(all, one)
	}
	return all
}

// chain follows the records from where the store stands as far as they can be read, and
// takes over the slots in which they are.
func (l *Log) chain(all []run) {
	begins := slices.DeleteFunc(slices.Clone(all), func(r run) bool { return r.first().at != 0 })
	slices.SortFunc(begins, func(a, b run) int { return cmp.Compare(a.first().number, b.first().number) })
	for _, r := range begins {
		if !r.follows(l.place) {
			continue // left of an earlier use of the slot, or behind a gap
		}
		l.place.Number, l.place.Hash = r.last().number, r.last().hash
		l.current = l.slots[r.slot]
		l.current.first, l.current.last, l.current.end = r.first().number, r.last().number, r.last().end
	}
}

// follows says whether the record at a place is in a run, or the one that comes after it.
func (r run) follows(p turns.Place) bool {
	return slices.ContainsFunc(r.records, func(f found) bool {
		return f.number == p.Number && f.hash == p.Hash || f.number == p.Number+1 && f.before == p.Hash
	})
}

// claimed returns the highest number of which anything says that it had been synced.
func (l *Log) claimed(all []run) (uint64, error) {
	most, err := readMark(l.o.FS, l.o.Dir, l.from.Origin)
	for _, r := range all {
		for _, f := range r.records {
			most = max(most, f.synced)
		}
	}
	return most, err
}

// openSlot opens a slot and reads it.
func (l *Log) openSlot(name string) (*slot, []byte, error) {
	f, err := l.o.FS.OpenReadWrite(l.o.FS.PathJoin(l.o.Dir, name), vfs.WriteCategoryUnspecified)
	if err != nil {
		return nil, nil, fmt.Errorf("storage: %w", err)
	}
	s := &slot{name: l.o.FS.PathJoin(l.o.Dir, name), file: f}
	content, err := io.ReadAll(io.NewSectionReader(f, 0, 1<<62))
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("storage: %s: %w", s.name, err), f.Close())
	}
	s.size = int64(len(content))
	return s, content, nil
}
