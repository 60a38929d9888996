package queue

import (
	"cmp"
	"slices"

	"beanfield/storage"
)

// The log keeps small notes beside what it keeps of a tube: what must outlive the process, belongs to
// a tube, and is no job, such as when a schedule has last put one. A tube need not exist to have
// notes. They are logged in the turn in which they change, together with whatever else that does.

// compareNotes orders the notes of a tube.
func compareNotes(a, b storage.Note) int {
	return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name))
}

// noteOn remembers a note of a tube, in place of the one of that kind and name; nil forgets it.
func (s *State) noteOn(tube string, kind storage.NoteKind, name string, value []byte) {
	notes := s.notes[tube]
	n := storage.Note{Kind: kind, Name: name, Value: slices.Clone(value)}
	i, found := slices.BinarySearchFunc(notes, n, compareNotes)
	switch {
	case found && value != nil:
		notes[i] = n
	case found:
		notes = slices.Delete(notes, i, i+1)
	case value != nil:
		notes = slices.Insert(notes, i, n)
	default:
		return
	}
	if s.notes[tube] = notes; len(notes) == 0 {
		delete(s.notes, tube)
	}
	s.logNotes(tube)
}

// forgetNote forgets a note of a tube. The log is told by the noteOn that follows.
func (s *State) forgetNote(tube string, kind storage.NoteKind, name string) {
	s.notes[tube] = slices.DeleteFunc(s.notes[tube], func(n storage.Note) bool {
		return n.Kind == kind && n.Name == name
	})
}

// noteFor finds a note of a tube; nil if there is none.
func (s *State) noteFor(tube string, kind storage.NoteKind, name string) []byte {
	notes := s.notes[tube]
	i, found := slices.BinarySearchFunc(notes, storage.Note{Kind: kind, Name: name}, compareNotes)
	if !found {
		return nil
	}
	return notes[i].Value
}

// Notes calls fn for each note of a kind, in no order. What it is given is valid during the call.
func (s *State) Notes(kind storage.NoteKind, fn func(tube, name string, value []byte)) {
	for tube, notes := range s.notes {
		for _, n := range notes {
			if n.Kind == kind {
				fn(tube, n.Name, n.Value)
			}
		}
	}
}

// logNotes records a tube's notes, together with what the queue service keeps of it.
func (s *State) logNotes(tube string) {
	if !s.Durable {
		return
	}
	if t := s.tubes[tube]; t != nil && t.service != nil && t.service.noted(s) {
		return
	}
	s.logNotesAlone(tube)
}

// logNotesAlone records the notes of a tube of which the queue service keeps nothing.
func (s *State) logNotesAlone(tube string) {
	if notes := s.notes[tube]; len(notes) > 0 {
		s.Log.PutQueue(&storage.Queue{Tube: tube, Notes: notes})
	} else {
		s.Log.DeleteQueue(tube)
	}
}

// keepPolicies keeps a text with policies for the next start, which is what its note is for: it changes
// no policy.
func (s *State) keepPolicies(op *Op) {
	if s.logFull() {
		op.Status = NoRoom
		return
	}
	op.Status = OK
	var text []byte // none
	if len(op.Data) > 0 {
		text = op.Data
	}
	s.noteOn("", storage.NotePolicy, "", text)
}
