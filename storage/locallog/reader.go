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

	slot *slot
	seq  uint32
	next uint64 // the number of the record at
	at   int64

	buf  []byte // what is in the slot from here:
	base int64

	parts []byte // of turns whose last part has not been read
	start turns.At
}

// readAhead is how much a reader reads at once, if there is as much.
const readAhead = 64 << 10

// Reader returns a reader.
func (l *Log) Reader() *Reader { return &Reader{log: l, place: l.from} }

// Place is where the reader is.
func (r *Reader) Place() turns.Place { return r.place }

// SkipTo has the reader go on behind a place, without reading what is before.
func (r *Reader) SkipTo(behind turns.Place) { *r = Reader{log: r.log, place: behind, buf: r.buf[:0]} }

// Next returns the next turns, where they are, and the place behind them. If ok is false
// without an error, there is nothing more to read until the next Sync; the place is one to
// go on from and to trim up to nevertheless, since void parts may be before it. The turns
// are valid until the next call. After ErrGone, SkipTo says where to go on.
func (r *Reader) Next() (b []byte, at turns.At, behind turns.Place, ok bool, err error) {
	for {
		ok, err = r.seek()
		if err != nil || !ok {
			return nil, 0, r.place, false, err
		}
		rec, at, err := r.read()
		if err != nil {
			return nil, 0, r.place, false, err
		}
		if !rec.Rest {
			r.parts, r.start = r.parts[:0], at // parts without a last one are void
			if !rec.More {
				return rec.Turns, at, r.place, true, nil
			}
		}
		if r.parts = append(r.parts, rec.Turns...); !rec.More {
			return r.parts, r.start, r.place, true, nil
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
	if r.slot != nil && l.inUse(r.seq) == r.slot && want <= r.slot.last {
		return true, nil
	}
	for _, s := range l.used {
		if s.first <= want && want <= s.last {
			r.slot, r.seq, r.next, r.at = s, s.seq, s.first, 0
			r.buf, r.base = r.buf[:0], 0
			return true, nil
		}
	}
	return false, fmt.Errorf("%w: record %d of the log in %s", ErrGone, want, l.o.Dir)
}

// read reads the next record. Those before it in its slot are stepped over.
func (r *Reader) read() (rec turns.Record, at turns.At, err error) {
	for {
		rec, hash, n, err := r.record()
		if err != nil {
			return rec, 0, err
		}
		start := r.at + turns.Head
		stepping := r.next <= r.place.Number
		if rec.Number != r.next || !stepping && !r.place.Takes(&rec) {
			return rec, 0, r.unreadable()
		}
		r.at, r.next = r.at+aligned(n), r.next+1
		if !stepping {
			r.place.Number, r.place.Hash = rec.Number, hash
			return rec, turns.NewAt(r.seq, start), nil
		}
	}
}

// unreadable says why the next record cannot be read.
func (r *Reader) unreadable() error {
	if !r.log.has(r.slot, r.seq) {
		return fmt.Errorf("%w: record %d of the log in %s", ErrGone, r.next, r.log.o.Dir)
	}
	return fmt.Errorf("storage: %s: %w: record %d cannot be read", r.slot.name, storage.ErrCorrupt, r.next)
}

// record decodes the record at which the reader is.
func (r *Reader) record() (rec turns.Record, hash uint64, n int64, err error) {
	b, err := r.peek(turns.Overhead)
	if length, none := turns.Length(b); err == nil && none == nil {
		b, err = r.peek(int64(length))
	}
	if err != nil {
		return rec, 0, 0, err
	}
	rec, hash, length, err := turns.Decode(b)
	if err != nil {
		return rec, 0, 0, r.unreadable()
	}
	return rec, hash, int64(length), nil
}

// peek returns what is in the slot where the reader is, up to n bytes. It reads no further
// than records reach: what is behind them may be written at the same time.
func (r *Reader) peek(n int64) ([]byte, error) {
	if have := r.base + int64(len(r.buf)); have < r.at+n {
		l := r.log
		l.mu.Lock()
		end := min(r.slot.end, r.slot.size)
		gone := l.inUse(r.seq) != r.slot
		l.mu.Unlock()
		if gone {
			return nil, r.unreadable()
		}
		length := min(max(n, readAhead), end-r.at)
		if length <= have-r.at {
			return r.buf[r.at-r.base:], nil // there is no more
		}
		if int64(cap(r.buf)) < length {
			r.buf = make([]byte, length)
		}
		r.buf, r.base = r.buf[:length], r.at
		if _, err := r.slot.file.ReadAt(r.buf, r.at); err != nil {
			r.buf = r.buf[:0]
			if !l.has(r.slot, r.seq) {
				return nil, r.unreadable()
			}
			return nil, fmt.Errorf("storage: %s: %w", r.slot.name, err)
		}
	}
	return r.buf[r.at-r.base:][:min(n, int64(len(r.buf))-(r.at-r.base))], nil
}
