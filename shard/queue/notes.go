package queue

import (
	"cmp"
	"encoding/binary"
	"slices"

	"beanfield/shard/queue/cells"
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
	if t := s.tubes[tube]; t != nil && t.service != nil && t.service.recorded {
		s.logQueue(t.service)
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
func (s *State) keepPolicies(_ *Batch, op *Op) Status {
	if s.logFull() {
		return NoRoom
	}
	var text []byte // none
	if len(op.Data) > 0 {
		text = op.Data
	}
	s.noteOn("", storage.NotePolicy, "", text)
	return OK
}

// Tick is what an operation for a schedule says of it.
type Tick struct {
	Schedule string // its name
	At       int64  // the tick: seconds of the wall clock
	Rule     uint64 // tells one rule for its ticks from another
	Forget   bool   // NoteTick: there is no such schedule in this tube any more
}

// putTick puts the job of a tick, unless this or a later one of the schedule has been put (SK1). Job
// and note are logged in one turn. It answers how many jobs it has put.
func (s *State) putTick(_ *Batch, op *Op) Status {
	if last, ok := s.lastTick(op); ok && last >= op.Options.Tick.At && op.phase == 0 {
		return OK
	}
	status := s.putNamed(nil, op)
	if status == OK {
		op.Count = 1
		s.noteTick(op)
	}
	return status
}

// markTick notes a tick without a job, or forgets the schedule.
func (s *State) markTick(_ *Batch, op *Op) Status {
	last, ok := s.lastTick(op)
	switch tick := op.Options.Tick; {
	case s.logFull():
		return NoRoom
	case tick.Forget:
		s.noteOn(op.Tube, storage.NoteTick, tick.Schedule, nil)
	case !ok || last <= tick.At:
		s.noteTick(op)
	}
	return OK
}

func (s *State) lastTick(op *Op) (at int64, ok bool) {
	value := s.noteFor(op.Tube, storage.NoteTick, op.Options.Tick.Schedule)
	if len(value) < 8 {
		return 0, false
	}
	return int64(binary.BigEndian.Uint64(value)), true
}

func (s *State) noteTick(op *Op) {
	tick := op.Options.Tick
	value := binary.BigEndian.AppendUint64(nil, uint64(tick.At))
	s.noteOn(op.Tube, storage.NoteTick, tick.Schedule, binary.BigEndian.AppendUint64(value, tick.Rule))
}

// Ticks calls fn with the last tick of each schedule, and its tube.
func (s *State) Ticks(fn func(tube string, t Tick)) {
	s.Notes(storage.NoteTick, func(tube, name string, value []byte) {
		t := Tick{Schedule: name}
		if len(value) >= 16 { // otherwise a program has written it that is not known here
			t.At, t.Rule = int64(binary.BigEndian.Uint64(value)), binary.BigEndian.Uint64(value[8:])
		}
		fn(tube, t)
	})
}

// Take gives a put a copy of a body that others keep.
func (op *Op) Take(body []byte) {
	if op.Size = uint32(len(body)); len(body) > cells.SmallMost {
		op.Parts = [][]byte{slices.Clone(body)}
	} else {
		op.Data = body
	}
}
