package locallog

import (
	"errors"
	"fmt"

	"beanfield/storage"
	"beanfield/storage/turns"
)

// Copy appends a record that is kept elsewhere, as it is encoded there, and returns where its
// turns are. It must be the next one. Readers are given it at once. With storage.ErrNoSpace
// nothing was written, and there is room again after a Trim, or when the disk has some. Data is
// not kept.
func (l *Log) Copy(r turns.Record, data []byte, hash uint64) (at turns.At, err error) {
	if !l.o.Elsewhere || !l.place.Takes(&r) {
		return 0, fmt.Errorf("storage: record %d does not follow record %d of the log in %s", r.Number, l.place.Number,
			l.o.Dir)
	}
	n := int64(len(data))
	parts, err := l.chosen(max(l.o.Slot, n), func() ([]*slot, error) { return l.chooseFor(r.Rest, n) })
	if err != nil {
		return 0, err
	}
	if at, err = l.put(parts[0], r, data, hash); err != nil {
		return 0, l.fail(err)
	}
	l.mu.Lock()
	l.synced = r.Number
	l.mu.Unlock()
	return at, nil
}

// chooseFor chooses the slot for a record, or none, if one has to be made. A part that goes on with turns begins a
// slot, so that whoever reads a place in them knows where they go on. Turns that are not whole yet, and in the oldest
// slot already, get more than there are: the store can free none.
func (l *Log) chooseFor(rest bool, n int64) ([]*slot, error) {
	if s := l.current(); s != nil && !rest && n <= s.size-s.end {
		return []*slot{s}, nil
	}
	if len(l.used) >= l.o.Slots && l.used[0].last <= l.behind.Number {
		return nil, l.noSpace()
	}
	for _, s := range l.slots {
		if s.free() && s.size >= n {
			return []*slot{s}, nil
		}
	}
	return nil, nil
}

// Unfinished returns the parts of turns whose last part is still to come, and where they begin.
func (l *Log) Unfinished() (parts []byte, start turns.At, err error) {
	if l.behind.Number == l.place.Number {
		return nil, 0, nil
	}
	r := &Reader{log: l, place: l.behind}
	if _, _, _, ok, err := r.Next(); err != nil || ok {
		return nil, 0, errors.Join(fmt.Errorf("storage: %s: %w: parts of turns", l.o.Dir, storage.ErrCorrupt), err)
	}
	return r.parts, r.start, nil
}
