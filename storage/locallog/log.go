package locallog

import (
	"errors"
	"fmt"
	"sync"

	"beanfield/storage"
	"beanfield/storage/turns"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Options configure a log. All fields are needed.
type Options struct {
	FS  vfs.FS
	Dir string // exists, and is this log's alone
	// Slot is how long a slot is, and Slots how many there may be: together they bound
	// what may be waiting for the store. A longer slot, made with another length, stays as it is.
	Slot  int64
	Slots int
	// Epoch is a number that no opening of this log has had before: a random one.
	Epoch uint64
}

// Log is a log in files of this machine. Append, Sync, Place and Close are the owner's: one
// goroutine at a time. A Reader and Trim may be another's, until Close.
type Log struct {
	o    Options
	from turns.Place // where the store stood when the log was opened

	// The owner's.
	place turns.Place // of the last record that was appended
	buf   []byte
	dirty []*slot // were written to, and not synced
	mark  vfs.File
	err   error // the first one: nothing is appended after it

	mu      sync.Mutex
	slots   []*slot
	current *slot // where the next record goes, if it fits; nil for none
	synced  uint64
}

// slot is a file that holds records one after the other, from its beginning.
type slot struct {
	name string
	file vfs.File
	size int64

	// Under the log's mutex. A free slot has no numbers, whatever is still in it.
	first, last uint64
	end         int64 // where the last record ends, with the padding after it
	busy        bool  // the owner is writing to it, and alone may change the rest
}

func (s *slot) free() bool { return s.first == 0 }

// Records begin at multiples of align.
const align = 8

func aligned(n int64) int64 { return (n + align - 1) &^ (align - 1) }

// room is how many bytes of turns a slot has room for behind its last record.
func (s *slot) room() int64 { return min(s.size-s.end-turns.Overhead, turns.MaxTurns) }

// Place is that of the last record.
func (l *Log) Place() turns.Place { return l.place }

// Append writes the turns, in one record if they fit into one, and returns the number of the
// last. They are durable after a Sync. With storage.ErrNoSpace nothing was written, and
// there is room again after a Trim, unless the turns are longer than the whole log. After any
// other error the log takes nothing more.
func (l *Log) Append(b []byte) (number uint64, err error) {
	if l.err != nil {
		return 0, l.err
	}
	parts, err := l.plan(int64(len(b)))
	if err != nil {
		if !errors.Is(err, storage.ErrNoSpace) {
			l.err = err
		}
		return 0, err
	}
	for i, p := range parts {
		n := min(int64(len(b)), p.room())
		if err := l.write(p, b[:n], i < len(parts)-1); err != nil {
			l.err = err
			return 0, err
		}
		b = b[n:]
	}
	return l.place.Number, nil
}

// plan says into which slots n bytes of turns go, and keeps them from Trim until they have
// been written to. If all slots have one length, turns that fit into one are not cut.
func (l *Log) plan(n int64) (parts []*slot, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.current != nil && n <= l.current.room() {
		l.current.busy = true
		return []*slot{l.current}, nil
	}
	for _, s := range l.slots {
		if s.free() && n > 0 {
			parts = append(parts, s)
			n -= s.room()
		}
	}
	most := int64(max(0, l.o.Slots-len(l.slots)))
	if n > most*(&slot{size: l.o.Slot}).room() {
		return nil, fmt.Errorf("storage: the log in %s: %w until the store has caught up", l.o.Dir, storage.ErrNoSpace)
	}
	for n > 0 {
		l.mu.Unlock() // making a slot takes long, and only the owner does it
		s, err := l.grow()
		l.mu.Lock()
		if err != nil {
			return nil, err
		}
		l.slots = append(l.slots, s)
		parts = append(parts, s)
		n -= s.room()
	}
	for _, s := range parts {
		s.busy = true
	}
	return parts, nil
}

// write writes one record. Nobody reads it before it has been synced.
func (l *Log) write(s *slot, b []byte, more bool) error {
	r := turns.Record{
		Origin: l.place.Origin, Epoch: l.o.Epoch, Number: l.place.Number + 1, Before: l.place.Hash,
		Synced: l.synced, More: more, Turns: b,
	}
	var hash uint64
	l.buf, hash = turns.Append(l.buf[:0], r)
	if _, err := s.file.WriteAt(l.buf, s.end); err != nil {
		return fmt.Errorf("storage: %s: %w", s.name, err)
	}
	l.place.Number, l.place.Hash = r.Number, hash
	l.mu.Lock()
	defer l.mu.Unlock()
	if s.first == 0 {
		s.first = r.Number
	}
	s.last, s.end, s.busy = r.Number, s.end+aligned(int64(len(l.buf))), false
	l.current = s
	if n := len(l.dirty); n == 0 || l.dirty[n-1] != s {
		l.dirty = append(l.dirty, s)
	}
	return nil
}

// Sync makes all that was appended durable. What failed once is never tried again: the
// kernel may have dropped the pages and call them clean.
func (l *Log) Sync() error {
	if l.err != nil || len(l.dirty) == 0 {
		return l.err
	}
	for _, s := range l.dirty {
		if err := s.file.SyncData(); err != nil {
			l.err = fmt.Errorf("storage: %s: sync: %w", s.name, err)
			return l.err
		}
	}
	l.dirty = l.dirty[:0]
	if l.err = l.writeMark(l.place.Number); l.err != nil {
		return l.err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.synced = l.place.Number
	return nil
}

// Trim frees the slots all of whose records have numbers up to this one: the store has made
// their turns durable.
func (l *Log) Trim(upTo uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.slots {
		if s.free() || s.busy || s.last > upTo {
			continue
		}
		s.first, s.last, s.end = 0, 0, 0
		if s == l.current {
			l.current = nil
		}
	}
}

// Close syncs the log and its mark, and closes its files.
func (l *Log) Close() error {
	err := l.Sync()
	if err == nil {
		err = l.mark.Sync()
	}
	return l.closeFiles(err)
}
