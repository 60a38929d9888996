package queue

import (
	"encoding/binary"
	"slices"

	"beanfield/shard/queue/cells"
	"beanfield/storage"
)

// Tick is what an operation for a schedule says of it.
type Tick struct {
	Schedule string // its name
	At       int64  // the tick: seconds of the wall clock
	Rule     uint64 // tells one rule for its ticks from another
	Forget   bool   // NoteTick: there is no such schedule in this tube any more
}

// putTick puts the job of a tick, unless this or a later one of the schedule has been put (SK1). Job
// and note are logged in one turn. It answers how many jobs it has put.
func (s *State) putTick(op *Op) {
	if last, ok := s.lastTick(op); ok && last >= op.Tick.At && op.phase == 0 {
		op.Status = OK
		return
	}
	if s.put(nil, op); op.Status == OK {
		op.Count = 1
		s.noteTick(op)
	}
}

// markTick notes a tick without a job, or forgets the schedule.
func (s *State) markTick(op *Op) {
	last, ok := s.lastTick(op)
	switch {
	case s.logFull():
		op.Status = NoRoom
		return
	case op.Tick.Forget:
		s.noteOn(op.Tube, storage.NoteTick, op.Tick.Schedule, nil)
	case !ok || last <= op.Tick.At:
		s.noteTick(op)
	}
	op.Status = OK
}

func (s *State) lastTick(op *Op) (at int64, ok bool) {
	value := s.noteFor(op.Tube, storage.NoteTick, op.Tick.Schedule)
	if len(value) < 8 {
		return 0, false
	}
	return int64(binary.BigEndian.Uint64(value)), true
}

func (s *State) noteTick(op *Op) {
	value := binary.BigEndian.AppendUint64(nil, uint64(op.Tick.At))
	s.noteOn(op.Tube, storage.NoteTick, op.Tick.Schedule, binary.BigEndian.AppendUint64(value, op.Tick.Rule))
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
