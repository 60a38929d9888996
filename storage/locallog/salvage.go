package locallog

import (
	"errors"
	"fmt"

	"beanfield/storage"
	"beanfield/storage/turns"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Salvage calls fn for all turns behind a place that can be read, in order, also for those
// behind a gap, with the number of their last record. It tells what is missing, with
// the place in a file if it is known (at is -1 if not). If nothing is missing it tells
// nothing, and gives what Read gives. It changes nothing. See threads.go for what it believes.
func Salvage(fs vfs.FS, dir string, from turns.Place, fn func(number uint64, b []byte) error, damaged func(file string,
	at int64, why string)) error {
	s := &salvage{slot: -1, fn: fn, told: func(file string, at int64, why string) {}}
	if damaged != nil {
		s.told = damaged
	}
	f := &found{fs: fs, dir: dir, from: from, unreadable: s.tell}
	err := look(f)
	if err == nil {
		s.found, f.unreadable = f, func(string, int64, string) {} // it has been told
		_, _, err = f.sound()
		if err == nil || errors.Is(err, storage.ErrCorrupt) {
			return s.give(err)
		}
	}
	if errors.Is(err, storage.ErrCorrupt) {
		s.tell(dir, -1, err.Error())
		return nil
	}
	return err
}

// salvage is one under way.
type salvage struct {
	*found
	fn      func(number uint64, b []byte) error
	told    func(file string, at int64, why string)
	telling bool // something has been told

	slot    int // whose content it is
	content []byte
	parts   []byte // of turns that are not whole yet
	whole   bool   // the parts are there from the beginning
}

func (s *salvage) tell(file string, at int64, why string) {
	s.telling = true
	s.told(file, at, why)
}

// give gives what can be read of a log that has been found damaged, or sound if refused is nil.
func (s *salvage) give(refused error) error {
	all, last := s.believed(), s.from.Number
	var before *run
	for _, t := range all {
		if t.first() > last+1 {
			s.missing(before, &t[0], last+1, t.first()-1)
		}
		for i := range t {
			before = &t[i]
			if err := s.giveRun(before); err != nil {
				return err
			}
		}
		last = max(last, t.last().Number)
	}
	if claim := s.claim(); last < claim {
		s.missing(before, nil, last+1, claim)
	}
	if refused != nil && !s.telling {
		s.tell(s.dir, -1, refused.Error()) // what is missing is before the place
	}
	return nil
}

// missing tells that records are missing between two runs.
func (s *salvage) missing(before, behind *run, from, to uint64) {
	why := fmt.Sprintf("records %d to %d of the log cannot be read", from, to)
	if from == to {
		why = fmt.Sprintf("record %d of the log cannot be read", from)
	}
	if len(s.parts) > 0 {
		why += ", which go on with turns that are lost too"
	}
	s.parts, s.whole = s.parts[:0], false
	switch {
	case behind != nil && behind.at > 0 && (before == nil || before.slot != behind.slot):
		s.tell(s.names[behind.slot], 0, why)
	case before != nil && before.end+turns.Overhead <= s.sizes[before.slot]:
		s.tell(s.names[before.slot], before.end, why)
	default:
		s.tell(s.dir, -1, why)
	}
}

// giveRun gives the turns in a run.
func (s *salvage) giveRun(r *run) error {
	if s.slot != r.slot {
		content, err := s.found.content(r.slot)
		if err != nil {
			return err
		}
		s.slot, s.content = r.slot, content
	}
	for at := r.at; at < r.end; {
		rec, _, n, err := turns.Decode(s.content[at:])
		if err != nil {
			return fmt.Errorf("storage: %s: %w: it has changed while it was read", s.names[r.slot], storage.ErrCorrupt)
		}
		if at += aligned(int64(n)); rec.Number <= s.from.Number {
			continue
		}
		if !rec.Rest {
			s.parts, s.whole = s.parts[:0], true
		} else if !s.whole {
			s.tell(s.names[r.slot], at-aligned(int64(n)),
				fmt.Sprintf("record %d of the log goes on with turns that are lost", rec.Number))
			continue
		}
		b := rec.Turns
		if rec.Rest || rec.More {
			s.parts = append(s.parts, rec.Turns...)
			b = s.parts
		}
		if rec.More {
			continue
		}
		if err := s.fn(rec.Number, b); err != nil {
			return err
		}
		s.parts, s.whole = s.parts[:0], false
	}
	return nil
}
