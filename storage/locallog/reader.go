package locallog

import (
	"fmt"

	"beanfield/storage"
	"beanfield/storage/turns"
)

// Reader reads what is durable, from where the store stood when the log was opened. One
// goroutine at a time may use it.
type Reader struct {
	log   *Log
	place turns.Place
	slot  *slot
	at    int64
	buf   []byte
	// Parts of turns whose last part has not been read.
	parts []byte
	part  turns.Record // the last of them; no part if its More is not set
}

// Reader returns a reader.
func (l *Log) Reader() *Reader { return &Reader{log: l, place: l.from} }

// Next returns the next turns and the place behind them. If ok is false without an error,
// there is nothing more to read until the next Sync; the place is one to go on from and to
// trim up to nevertheless, since void parts may be before it. The turns are valid until the
// next call.
func (r *Reader) Next() (b []byte, behind turns.Place, ok bool, err error) {
	for {
		ok, err = r.seek()
		if err != nil || !ok {
			return nil, r.place, false, err
		}
		rec, err := r.read()
		if err != nil {
			return nil, r.place, false, err
		}
		before := r.part
		r.part = rec
		if !before.More || before.Epoch != rec.Epoch {
			r.parts = r.parts[:0]
			if !rec.More {
				return rec.Turns, r.place, true, nil
			}
		}
		if r.parts = append(r.parts, rec.Turns...); !rec.More {
			return r.parts, r.place, true, nil
		}
	}
}

// seek goes to where the next record is, if it is durable.
func (r *Reader) seek() (ok bool, err error) {
	l, want := r.log, r.place.Number+1
	l.mu.Lock()
	defer l.mu.Unlock()
	if want > l.synced {
		return false, nil
	}
	if r.slot != nil && want <= r.slot.last && want > r.slot.first {
		return true, nil
	}
	for _, s := range l.slots {
		if !s.free() && s.first <= want && want <= s.last {
			r.slot, r.at = s, 0
			return true, nil
		}
	}
	return false, fmt.Errorf("storage: the log in %s has no record %d any more", l.o.Dir, want)
}

// read reads the record at which the reader is. Those that the store has already are
// stepped over.
func (r *Reader) read() (turns.Record, error) {
	for {
		rec, hash, err := r.record()
		if err != nil {
			return rec, err
		}
		if rec.Origin == r.place.Origin && rec.Number <= r.place.Number {
			continue
		}
		if !r.place.Takes(&rec) {
			return rec, fmt.Errorf("storage: %s: %w: record %d is not what follows", r.slot.name, storage.ErrCorrupt, r.place.Number+1)
		}
		r.place.Number, r.place.Hash = rec.Number, hash
		return rec, nil
	}
}

// record reads one record, and goes on behind it.
func (r *Reader) record() (turns.Record, uint64, error) {
	n := turns.Overhead
	for {
		if cap(r.buf) < n {
			r.buf = make([]byte, n, 2*n)
		}
		r.buf = r.buf[:n]
		if _, err := r.slot.file.ReadAt(r.buf, r.at); err != nil {
			return turns.Record{}, 0, fmt.Errorf("storage: %s: %w", r.slot.name, err)
		}
		length, err := turns.Length(r.buf)
		if err == nil && length > n && r.at+int64(length) <= r.slot.size {
			n = length
			continue
		}
		rec, hash, length, err := turns.Decode(r.buf)
		if err != nil {
			return rec, 0, fmt.Errorf("storage: %s: %w: record %d cannot be read", r.slot.name, storage.ErrCorrupt, r.place.Number+1)
		}
		r.at += aligned(int64(length))
		return rec, hash, nil
	}
}
