package fold

import (
	"bytes"
	"fmt"
	"sync"

	"beanfield/storage"
	"beanfield/storage/turns"
)

// Window is the net effect of turns. Any goroutine may call its methods, but Absorb is called
// for one turn after the other, and only one share is under way at a time.
type Window struct {
	mu      sync.Mutex
	records table
	updates table
	queues  map[string]entry
	members entry    // the newest that a cluster says of its nodes; without a length there is none
	newest  []byte   // its value, also after a share has had it
	live    slots    // how many entries are in each slot
	upTo    turns.At // behind all that was absorbed
	highest uint64   // of all ids
	pieces  int      // parts of bodies that no share has had
}

// NewWindow returns a window for a store that has recorded this highest id.
func NewWindow(highest uint64) *Window {
	return &Window{queues: map[string]entry{}, highest: highest}
}

// atOnce is how many operations are looked at before others have their turn.
const atOnce = 512

// each calls fn for each operation of turns, under the lock.
func (w *Window) each(b []byte, at turns.At, fn func(op turns.Op, e entry)) error {
	for len(b) > 0 {
		w.mu.Lock()
		for i := 0; i < atOnce && len(b) > 0; i++ {
			op, n, err := turns.NextOp(b)
			if err != nil {
				w.mu.Unlock()
				return fmt.Errorf("%w: %w", storage.ErrCorrupt, err)
			}
			fn(op, entry{id: op.ID, at: at, n: uint32(n)})
			b, at = b[n:], at+turns.At(n)
		}
		w.mu.Unlock()
	}
	return nil
}

// Absorb takes note of turns that were appended to the log.
func (w *Window) Absorb(b []byte, at turns.At) error { return w.each(b, at, w.absorb) }

func (w *Window) absorb(op turns.Op, e entry) {
	w.upTo = e.at + turns.At(e.n)
	switch op.Kind {
	case turns.Put:
		e.what = set
		w.records.put(e)
		w.count(e, 1)
		w.highest = max(w.highest, storage.IDOf(op.ID))
	case turns.Update:
		e.what = set
		w.replace(&w.updates, e)
	case turns.Delete:
		w.end(op, e)
	case turns.Raise:
		w.highest = max(w.highest, op.ID)
	case turns.Piece:
		// If its job is never put, the id is not given again: the body's end would be that job's.
		w.highest = max(w.highest, storage.IDOf(op.ID))
		w.pieces++
		w.count(e, 1)
	case turns.Members:
		if w.members.n > 0 {
			w.count(w.members, -1)
		}
		w.members, w.newest = e, bytes.Clone(op.Value)
		w.count(e, 1)
	default:
		if old, ok := w.queues[string(op.Name)]; ok {
			w.count(old, -1)
		}
		w.queues[string(op.Name)] = e
		w.count(e, 1)
	}
}

// replace has an entry take the place of the one before.
func (w *Window) replace(t *table, e entry) {
	if old := t.find(e.id); old != nil {
		w.count(*old, -1)
		*old = e
	} else {
		t.put(e)
	}
	w.count(e, 1)
}

// end notes the end of a job. If its record is only here, it vanishes, and then the store has
// no update of it either.
func (w *Window) end(op turns.Op, e entry) {
	if op.Updated {
		if old := w.updates.find(op.ID); old != nil {
			w.count(*old, -1)
			w.updates.remove(op.ID)
		}
	}
	old := w.records.find(op.ID)
	if old == nil || old.what&moving != 0 {
		e.what |= gone
		if op.Updated {
			e.what |= updated
		}
	}
	if op.Large {
		e.what |= large
	}
	switch {
	case e.what != 0:
		w.replace(&w.records, e)
	case old != nil:
		w.count(*old, -1)
		w.records.remove(op.ID)
	}
}

func (w *Window) count(e entry, by int) { w.live.add(e.at.Seq(), by) }

// Members is what the turns have said last of a cluster's nodes; nil if nothing.
func (w *Window) Members() []byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.newest
}

// Find says where the operation is that put a job, and how long it is.
func (w *Window) Find(id uint64) (at turns.At, n int, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if e := w.records.find(id); e != nil && e.what&set != 0 {
		return e.at, int(e.n), true
	}
	return 0, 0, false
}

// Value is where the newest value of something is.
type Value struct {
	At    turns.At
	N     int
	Known bool // in the log; otherwise the store has it, if anything has
}

// Job says where the record of a job and its newest update are, and whether the job has ended.
func (w *Window) Job(id uint64) (record, update Value, ended bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if e := w.records.find(id); e != nil {
		if e.what&set == 0 {
			return record, update, true
		}
		record = Value{e.at, int(e.n), true}
	}
	if e := w.updates.find(id); e != nil {
		update = Value{e.at, int(e.n), true}
	}
	return record, update, false
}

// Pieces says whether there are parts of bodies.
func (w *Window) Pieces() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.pieces > 0
}

// Left says how many operations in a slot still count.
func (w *Window) Left(seq uint32) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.live.left(seq)
}

// Highest is the highest id of a job that anybody has put, or of which a part of the body has come.
func (w *Window) Highest() uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.highest
}
