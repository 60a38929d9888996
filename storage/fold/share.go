package fold

import (
	"bytes"
	"cmp"
	"slices"

	"beanfield/storage/pace"
	"beanfield/storage/turns"
)

// Share is what a store gets at once: the net effect of turns up to a place. Each list has one
// entry for a job, in the order of their ids.
type Share struct {
	Place   turns.Place
	Highest uint64 // of all ids, also of turns behind the place
	Records []Change
	Updates []Change
	Bodies  []uint64 // jobs whose bodies are kept apart, and to be removed
	Pieces  []Piece  // parts of such bodies, in the order of ids and numbers; none of those in Bodies
	Queues  []Change // in the order of their names
	Members *Change  // what a cluster says of its nodes; nil if nothing new

	window *Window
	upTo   turns.At // behind all that had been absorbed when it began
	room   []byte   // for values
	pieces []entry  // all that it was given
}

// Memory for values is taken in rooms, each twice as large as the one before.
const (
	firstRoom = 1 << 10
	lastRoom  = 256 << 10
)

// Change sets a value, or removes it.
type Change struct {
	ID    uint64 // of a job
	Name  []byte // of a queue
	Value []byte // nil for one that is removed
	at    turns.At
}

// Piece is a part of a body.
type Piece struct {
	ID, N uint64
	Value []byte
}

// NewShare begins a share. It may be of turns that the window has absorbed before, and of no
// others.
func (w *Window) NewShare() *Share {
	w.mu.Lock()
	defer w.mu.Unlock()
	return &Share{window: w, upTo: w.upTo}
}

// Expect makes room for the jobs that the next turns to be collected have changed: at most so many.
func (s *Share) Expect(n int) { s.Records = slices.Grow(s.Records, n) }

// Collect takes from turns what counts. They must come in order, from the oldest that the
// window has; those of a slot in which nothing counts may be left out. The turns are the
// caller's again when it returns.
func (s *Share) Collect(b []byte, at turns.At) error {
	w := s.window
	if at+turns.At(len(b)) > s.upTo {
		panic("FO1, FO2: a share of turns that had not been absorbed when it began")
	}
	return w.each(b, at, func(op turns.Op, e entry) {
		switch op.Kind {
		case turns.Put, turns.Delete:
			if found := w.records.find(op.ID); found != nil && found.at == e.at {
				s.record(op, found)
			}
		case turns.Update:
			if found := w.updates.find(op.ID); found != nil && found.at == e.at {
				found.what |= moving
				s.Updates = append(s.Updates, s.change(op, e))
			}
		case turns.Piece:
			s.pieces = append(s.pieces, e)
			s.Pieces = append(s.Pieces, Piece{op.ID, op.N, bytes.Clone(op.Value)})
		case turns.SetQueue, turns.DropQueue:
			if found, ok := w.queues[string(op.Name)]; ok && found.at == e.at {
				c := s.change(op, e)
				c.Name = bytes.Clone(op.Name)
				s.Queues = append(s.Queues, c)
			}
		case turns.Members:
			if w.members.n > 0 && w.members.at == e.at {
				c := s.change(op, e)
				s.Members = &c
			}
		}
	})
}

func (s *Share) record(op turns.Op, e *entry) {
	if e.what&(set|gone) != 0 {
		s.Records = append(s.Records, s.change(op, *e))
	}
	if e.what&updated != 0 {
		s.Updates = append(s.Updates, s.change(op, *e))
	}
	if e.what&large != 0 {
		s.Bodies = append(s.Bodies, op.ID)
	}
	e.what |= moving
}

func (s *Share) change(op turns.Op, e entry) Change {
	c := Change{ID: op.ID, at: e.at}
	if op.Kind == turns.Delete || op.Kind == turns.DropQueue {
		return c
	}
	if n := len(op.Value); s.room == nil || cap(s.room)-len(s.room) < n {
		s.room = make([]byte, 0, max(n, firstRoom, min(2*cap(s.room), lastRoom)))
	}
	start := len(s.room)
	s.room = append(s.room, op.Value...)
	c.Value = s.room[start:len(s.room):len(s.room)] // never nil
	return c
}

// comparisons is how many a sort makes before it asks whether others should have their turn: a share of a full log
// has some hundred thousand changes.
const comparisons = 1 << 12

// Seal ends the collecting: these were all turns up to a place. The store may have the share
// when all that the window has absorbed by then is durable (FO1).
func (s *Share) Seal(place turns.Place) {
	s.Place, s.Highest = place, s.window.Highest()
	made, work := 0, pace.Begin()
	byID := func(a, b Change) int {
		if made++; made%comparisons == 0 {
			work.Step()
		}
		return cmp.Compare(a.ID, b.ID)
	}
	slices.SortFunc(s.Records, byID)
	slices.SortFunc(s.Updates, byID)
	slices.Sort(s.Bodies)
	s.Pieces = slices.DeleteFunc(s.Pieces, func(p Piece) bool {
		_, ended := slices.BinarySearch(s.Bodies, p.ID)
		return ended
	})
	slices.SortFunc(s.Pieces, func(a, b Piece) int { return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.N, b.N)) })
	slices.SortFunc(s.Queues, func(a, b Change) int { return bytes.Compare(a.Name, b.Name) })
}

// Done is called when the store has the share.
func (s *Share) Done() {
	s.forget(s.Records, &s.window.records)
	s.forget(s.Updates, &s.window.updates)
	w := s.window
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, id := range s.Bodies {
		w.forget(&w.records, id)
	}
	for _, e := range s.pieces {
		w.count(e, -1)
	}
	w.pieces -= len(s.pieces)
	for _, c := range s.Queues {
		if e := w.queues[string(c.Name)]; e.at == c.at {
			delete(w.queues, string(c.Name))
			w.count(e, -1)
		}
	}
	if c := s.Members; c != nil && w.members.at == c.at {
		w.count(w.members, -1)
		w.members = entry{}
	}
	w.records.spare()
	w.updates.spare()
}

func (s *Share) forget(changes []Change, t *table) {
	w, work := s.window, pace.Begin()
	for part := range slices.Chunk(changes, atOnce) {
		w.mu.Lock()
		for _, c := range part {
			w.forget(t, c.ID)
		}
		w.mu.Unlock()
		work.Step()
	}
}

// forget removes what has been moved, unless something newer has taken its place.
func (w *Window) forget(t *table, id uint64) {
	if e := t.find(id); e != nil && e.what&moving != 0 {
		w.count(*e, -1)
		t.remove(id)
	}
}
