package locallog

import (
	"errors"
	"fmt"

	"beanfield/storage"
	"beanfield/storage/turns"
)

// Segment is a part of a log that is freed as a whole.
type Segment struct {
	Seq    uint32      // as in the turns.At of the turns in it
	First  uint64      // the number of the first record in it
	Behind turns.Place // of the last turns that end in it, or before it if none do
}

// ErrGone says that the store has had the turns, and the log has freed them.
var ErrGone = errors.New("storage: the log does not have these turns any more")

// Segments returns the slots in use, the oldest first. What a store has up to the Behind of
// one, Trim frees up to that one. It may not be durable yet.
func (l *Log) Segments() []Segment {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := make([]Segment, len(l.used))
	for i, s := range l.used {
		all[i] = Segment{Seq: s.seq, First: s.first, Behind: s.behind}
	}
	return all
}

// Used says how many slots are in use, and how many may be.
func (l *Log) Used() (slots, of int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.used), l.o.Slots
}

// Size is how many bytes the slots take, used or not.
func (l *Log) Size() (bytes int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.slots {
		bytes += s.size
	}
	return bytes
}

// Synced is the number of the last record that is known to be durable.
func (l *Log) Synced() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.synced
}

// inUse returns the slot with this sequence, or nil if it has been freed. The caller holds mu.
func (l *Log) inUse(seq uint32) *slot {
	if len(l.used) == 0 {
		return nil
	}
	if i := seq - l.used[0].seq; i < uint32(len(l.used)) {
		return l.used[i]
	}
	return nil
}

// has says whether a slot is still in the same use.
func (l *Log) has(s *slot, seq uint32) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.inUse(seq) == s
}

// ReadAt reads bytes of turns, also of those that are not synced yet. At At+n are those n
// bytes further on in the same turns, in whichever slot. The bytes are as the disk gives
// them: nothing but what they mean to the caller says that they are what was written.
func (l *Log) ReadAt(at turns.At, b []byte) error {
	seq, from := at.Seq(), at.Offset()
	for {
		l.mu.Lock()
		s := l.inUse(seq)
		if s == nil {
			l.mu.Unlock()
			return ErrGone
		}
		tail, more := s.tail, s.more
		l.mu.Unlock()
		if from >= tail && more {
			seq, from = seq+1, from-tail+turns.Head
			continue
		}
		n := min(int64(len(b)), tail-from)
		if n < int64(len(b)) && !more {
			return fmt.Errorf("storage: %s: %w: there are no %d bytes of turns at %d", s.name, storage.ErrCorrupt,
				len(b), from)
		}
		_, err := s.file.ReadAt(b[:n], from)
		if !l.has(s, seq) {
			return ErrGone
		}
		if err != nil {
			return fmt.Errorf("storage: %s: %w", s.name, err)
		}
		if b, from = b[n:], from+n; len(b) == 0 {
			return nil
		}
	}
}
