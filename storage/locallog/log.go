package locallog

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"beanfield/storage"
	"beanfield/storage/turns"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Options configure a log. All fields are needed.
type Options struct {
	FS  vfs.FS
	Dir string // is this log's alone
	// Slot is how long a slot is, and Slots how many there may be: together they bound
	// what may be waiting for the store. A slot that was made with another length is used as
	// it is, but a free one is made longer if it is too short.
	Slot  int64
	Slots int
	// Epoch is a number that no opening of this log has had before: a random one.
	Epoch uint64
	// Elsewhere says that the log is a copy of one that is kept elsewhere: see Copy. What is
	// missing here is read there again, so nothing that a crash took makes it a damaged log.
	Elsewhere bool
}

// Log is a log in files of this machine. See doc.go for who may call what.
type Log struct {
	o    Options
	from turns.Place // where the store stood when the log was opened

	// The owner's.
	place turns.Place // of the last record that was appended
	buf   []byte
	dirty []*slot // were written to, and not synced
	mark  vfs.File

	making sync.Mutex // held while slots are made or removed; taken before mu

	mu     sync.Mutex
	err    error       // the first one: nothing is appended after it
	slots  []*slot     // all of them
	used   []*slot     // those in use, in the order of their sequences, which are dense
	seq    uint32      // of the last use of a slot
	behind turns.Place // of the last whole turns
	synced uint64
}

// Place is that of the last record.
func (l *Log) Place() turns.Place { return l.place }

// Append writes the turns, in one record if they fit into one. It returns the number of the
// last, and where the turns begin. They are durable after a Sync. With storage.ErrNoSpace
// nothing was written, and there is room again after a Trim: a log that is all free takes
// turns of any length, as long as the disk has room. After any other error the log takes
// nothing more.
func (l *Log) Append(b []byte) (number uint64, at turns.At, err error) {
	parts, err := l.plan(int64(len(b)))
	if err != nil {
		return 0, 0, err
	}
	for i, s := range parts {
		n := min(int64(len(b)), s.room())
		start, err := l.write(s, turns.Record{Rest: i > 0, More: i < len(parts)-1, Turns: b[:n]})
		if err != nil {
			return 0, 0, l.fail(err)
		}
		if i == 0 {
			at = start
		}
		b = b[n:]
	}
	return l.place.Number, at, nil
}

// fail notes the first error.
func (l *Log) fail(err error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil {
		l.err = err
	}
	return err
}

// plan says into which slots n bytes of turns go, and makes slots if they are needed.
func (l *Log) plan(n int64) ([]*slot, error) {
	length := l.o.Slot
	if l.longer(n) {
		length = n + turns.Overhead
	}
	return l.chosen(length, func() ([]*slot, error) { return l.choose(n) })
}

// chosen has slots chosen, under the lock, and keeps them from Trim until they have been written to. If
// none are, one of a length is made, and the choice is made again.
func (l *Log) chosen(length int64, choose func() ([]*slot, error)) ([]*slot, error) {
	for tries := 0; ; tries++ {
		l.mu.Lock()
		parts, err := []*slot(nil), l.err
		if err == nil {
			parts, err = choose()
		}
		for _, s := range parts {
			s.busy = true
		}
		l.mu.Unlock()
		if parts != nil || err != nil {
			return parts, err
		}
		if tries == 0 { // Prepare may make one meanwhile, and Trim free some
			l.making.Lock()
			defer l.making.Unlock()
			continue
		}
		if err := l.grow(length); err != nil {
			return nil, err
		}
	}
}

// longer says whether turns are longer than the whole log. They get a slot of their own.
func (l *Log) longer(n int64) bool {
	return n > int64(l.o.Slots)*(&slot{size: l.o.Slot}).room()
}

// choose chooses the slots. If it
// returns none, more have to be made. If all slots have one length, turns that fit into one
// are not cut.
func (l *Log) choose(n int64) (parts []*slot, err error) {
	if s := l.current(); s != nil && n <= s.room() {
		return []*slot{s}, nil
	}
	longer := l.longer(n)
	if longer && len(l.used) > 0 {
		return nil, l.noSpace()
	}
	for _, s := range l.slots {
		if !s.free() || longer && s.room() < n {
			continue
		}
		parts = append(parts, s)
		if n -= s.room(); n <= 0 {
			break
		}
	}
	need, lacks := len(parts), n > 0 || len(parts) == 0
	if lacks {
		room := (&slot{size: l.o.Slot}).room()
		need += int(max(1, (n+room-1)/room))
	}
	switch {
	case len(l.used) > 0 && need > l.o.Slots-len(l.used):
		return nil, l.noSpace()
	case lacks:
		return nil, nil
	}
	return parts, nil
}

func (l *Log) noSpace() error {
	return fmt.Errorf("storage: the log in %s: %w until the store has caught up", l.o.Dir, storage.ErrNoSpace)
}

// current is the slot that was written to last, if it is still in use.
func (l *Log) current() *slot {
	if len(l.used) == 0 {
		return nil
	}
	return l.used[len(l.used)-1]
}

// write writes one record, and returns where its turns are.
func (l *Log) write(s *slot, r turns.Record) (turns.At, error) {
	r.Origin, r.Epoch, r.Number, r.Before = l.place.Origin, l.o.Epoch, l.place.Number+1, l.place.Hash
	r.Synced = l.synced // only the owner changes it
	var hash uint64
	l.buf, hash = turns.Append(l.buf[:0], r)
	return l.put(s, r, l.buf, hash)
}

// put writes an encoded record, and returns where its turns are.
func (l *Log) put(s *slot, r turns.Record, data []byte, hash uint64) (turns.At, error) {
	start := s.end + turns.Head
	if _, err := s.file.WriteAt(data, s.end); err != nil {
		return 0, fmt.Errorf("storage: %s: %w", s.name, err)
	}
	l.place.Number, l.place.Hash = r.Number, hash
	l.mu.Lock()
	defer l.mu.Unlock()
	if s.first == 0 {
		l.use(s)
		s.first = r.Number
	}
	s.last, s.end, s.busy = r.Number, s.end+aligned(int64(len(data))), false
	s.tail, s.more = start+int64(len(r.Turns)), r.More
	if !r.More {
		l.behind = l.place
	}
	s.behind = l.behind
	if !s.dirty {
		s.dirty, l.dirty = true, append(l.dirty, s)
	}
	return turns.NewAt(s.seq, start), nil
}

// use takes a slot into use.
func (l *Log) use(s *slot) {
	l.seq++
	s.seq = l.seq
	l.used = append(l.used, s)
}

// Sync makes all that was appended durable. What failed once is never tried again: the
// kernel may have dropped the pages and call them clean.
func (l *Log) Sync() error {
	l.mu.Lock()
	err := l.err
	l.mu.Unlock()
	if err != nil || len(l.dirty) == 0 {
		return err
	}
	for _, s := range l.dirty {
		if err := s.file.SyncData(); err != nil {
			return l.fail(fmt.Errorf("storage: %s: sync: %w", s.name, err))
		}
	}
	if err := l.writeMark(); err != nil {
		return l.fail(err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.dirty {
		s.dirty = false
	}
	l.dirty, l.synced = l.dirty[:0], l.place.Number
	return nil
}

// Trim frees the slots all of whose records have numbers up to this one: the store has made
// their turns durable.
func (l *Log) Trim(upTo uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.used) > 0 && !l.used[0].busy && l.used[0].last <= upTo {
		s := l.used[0]
		s.first, s.last, s.end = 0, 0, 0
		l.used = slices.Delete(l.used, 0, 1)
	}
}

// Close syncs the log and its mark, and closes its files. Closing it again does nothing.
func (l *Log) Close() error {
	if l.mark == nil {
		return nil
	}
	err := l.Sync()
	if err == nil {
		err = l.mark.Sync()
	}
	l.fail(errClosed)
	return l.closeFiles(err)
}

var errClosed = errors.New("storage: the log has been closed")
