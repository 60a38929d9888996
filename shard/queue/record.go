package queue

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"

	"beanfield/storage"
)

// What the log is told (L1): put, delete, and every change of state,
// priority, delay or counters that must outlive the process.

// logFull says that the log has no room even for updates.
func (s *State) logFull() bool { return s.Durable && !s.Log.RoomToUpdate() }

func (s *State) logPut(slot uint32, op *Op) {
	s.describe(slot)
	if op.Options != nil {
		s.describeKeys(slot, op.Options)
	}
	if s.record.Size > storage.LargeBody {
		s.Log.Put(&s.record) // its body is staged
		return
	}
	parts := op.Parts
	if len(parts) == 0 {
		s.part[0] = op.Data
		parts = s.part[:] // a slice made for the call would be garbage
	}
	s.Log.Put(&s.record, parts...)
	s.part[0] = nil
}

// logNothing has the log forget what it has staged for a job.
func (s *State) logNothing(r storage.Job) {
	s.record = r
	s.Log.Put(&s.record)
	s.Log.Delete(&s.record)
}

func (s *State) logUpdate(slot uint32) {
	if s.Durable {
		s.describe(slot)
		s.Log.Update(&s.record)
		s.job(slot).place |= flagUpdated
	}
}

// logQuarantine logs a job that has been buried because its body cannot be read.
func (s *State) logQuarantine(slot uint32) {
	if s.Durable {
		s.describe(slot)
		s.Log.Quarantine(&s.record)
		s.job(slot).place |= flagUpdated
	}
}

func (s *State) logDelete(slot uint32) {
	if s.Durable {
		s.describe(slot)
		s.Log.Delete(&s.record)
	}
}

// describe fills the scratch record from a job. One that a client holds is ready in the
// log, because that is what it becomes when the client has gone. So if a view commits a job
// that was reserved by its id, the log forgets that it was delayed or buried before.
func (s *State) describe(slot uint32) {
	j := s.job(slot)
	s.record = storage.Job{
		ID: j.id(), Tube: s.tubeOf(j).name, State: storage.Ready,
		Pri: j.pri, TTR: j.ttr, Size: j.size, Created: j.created(),
		Updated: j.place&flagUpdated != 0,
	}
	if v := s.tubeOf(j).service; v != nil {
		s.describeDone(v, slot)
	}
	if j.state() == Passed {
		s.record.State = storage.Passed
	}
	if j.rare != 0 {
		s.describeRare(slot)
	}
	if s.extra != nil {
		s.describeOptions(slot)
	}
	if j.place&flagRoute != 0 {
		s.recordItemOf().Route = s.routeRecord(slot)
	}
	if len(s.yard.purging) > 0 {
		s.describeSince(slot)
	}
}

// describeRare fills in what a job has gathered.
func (s *State) describeRare(slot uint32) {
	j := s.job(slot)
	t := s.rare(j)
	if t.item != 0 {
		s.describeItem(t.item)
	}
	r := &s.record
	r.Delay, r.Counters = t.delay, t.Counters
	state := j.state()
	if j.onItsWay() {
		state = s.routeAt(slot).will
	}
	switch state {
	case Delayed:
		r.State, r.Deadline = storage.Delayed, t.key+s.Epoch
	case Buried:
		r.State, r.BuryRank = storage.Buried, uint64(t.key)
	}
}

// Restore puts a job back that the log has replayed. Buried jobs must come in
// the order of their rank. Restored must be called after the last one.
func (s *State) Restore(now int64, r *storage.Job, body []byte) {
	s.now = now
	if r.State == storage.Spent {
		s.restoreSpent(r)
		return
	}
	if s.restored && !s.overtakes(r) || s.restoreEnded(r) {
		return
	}
	t := s.tubeNamed([]byte(r.Tube))
	slot := s.settleIn(t, r)
	j := s.job(slot)
	if r.Damaged {
		j.place |= flagAway // who tries again is to read it from the log
		s.outside += int64(j.size)
	} else {
		s.keepBody(slot, s.overBudget(j.size), body, nil)
	}
	s.enters(slot)
	s.fileRestored(slot)
	s.restoreOptions(slot, r.Item)
	if r.Item != nil && r.Item.Route != nil && r.Item.Route.To != "" && !r.Damaged {
		s.restoreLeaving(t, slot, r)
		return
	}
	if y := s.routeAt(slot); y != nil {
		s.setTarget(y, "")
	}
	if t.service != nil {
		t.service.index.add(s, slot)
	}
	switch {
	case r.Damaged && r.State != storage.Buried:
		s.makeBuried(slot)
	case r.State == storage.Delayed:
		// A delay may have ended before this shard's clock begins.
		s.makeDelayed(slot, max(1, r.Deadline-s.Epoch))
	case r.State == storage.Buried:
		s.makeBuried(slot)
		s.buryRank = max(s.buryRank, r.BuryRank)
		s.rare(s.job(slot)).key = int64(r.BuryRank)
	case r.State == storage.Passed:
		s.restorePassed(slot)
	default:
		s.restoring = true
		s.makeReady(slot)
		s.restoring = false
	}
	if t.service != nil && r.State != storage.Delayed {
		t.service.jobJoins(s, slot)
	}
	if r.Damaged {
		s.markQuarantined(slot)
	}
}

// fileRestored lets a job be found by its id, at the latest when the replay has ended.
func (s *State) fileRestored(slot uint32) {
	if s.restored {
		s.index.insert(&s.jobs, slot)
	} else {
		s.index.postpone(&s.jobs, slot)
	}
}

// Restored ends the replay, during which nobody looks for a job by its id: there are no
// clients yet. Jobs may still be restored, or discarded.
func (s *State) Restored() {
	s.index.file(&s.jobs)
	s.restored = true
	s.duplicates()
}

// AmendQueue takes in that what is kept of a tube has changed, before there are clients. It reports false if
// that is more than ticks of schedules: all tubes must be restored anew then.
func (s *State) AmendQueue(tube string, q *storage.Queue) bool {
	if q == nil {
		q = &storage.Queue{Tube: tube}
	}
	others := func(notes []storage.Note) []storage.Note {
		return slices.DeleteFunc(slices.Clone(notes), func(n storage.Note) bool { return n.Kind == storage.NoteTick })
	}
	t := s.tubes[tube]
	same := func(a, b storage.Note) bool { return compareNotes(a, b) == 0 && bytes.Equal(a.Value, b.Value) }
	if q.Served() || t != nil && t.service != nil || !slices.EqualFunc(others(q.Notes), others(s.notes[tube]), same) {
		return false
	}
	if s.notes[tube] = q.Notes; len(q.Notes) == 0 {
		delete(s.notes, tube)
	}
	return true
}

// Discard takes back what was restored of a copy of a job, before there are clients.
func (s *State) Discard(key uint64) {
	slot := s.slotOf(storage.IDOf(key))
	if slot == 0 || s.keyOf(slot) != key {
		s.discardSpent(key)
		s.travel.ghosts = slices.DeleteFunc(s.travel.ghosts, func(g storage.Job) bool { return g.Key() == key })
		return
	}
	s.unrestore(slot)
}

// restoreLeaving puts back a job that was leaving for another shard.
func (s *State) restoreLeaving(t *tube, slot uint32, r *storage.Job) {
	j, y := s.job(slot), s.routeAt(slot)
	t.loses(j)
	y.will, y.cause = Ready, cmp.Or(s.lastTrace(slot).Why, ForMove)
	s.rareOf(j).key = 0
	switch r.State {
	case storage.Delayed:
		y.will, s.rare(j).key = Delayed, max(1, r.Deadline-s.Epoch)
	case storage.Buried:
		y.will = Buried
	}
	s.makeLeaving(slot)
}

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
	notes, tick := s.notes[op.Tube], storage.Note{Kind: storage.NoteTick, Name: op.Options.Tick.Schedule}
	i, found := slices.BinarySearchFunc(notes, tick, compareNotes)
	if !found || len(notes[i].Value) < 8 {
		return 0, false
	}
	return int64(binary.BigEndian.Uint64(notes[i].Value)), true
}

func (s *State) noteTick(op *Op) {
	tick := op.Options.Tick
	value := binary.BigEndian.AppendUint64(nil, uint64(tick.At))
	s.noteOn(op.Tube, storage.NoteTick, tick.Schedule, binary.BigEndian.AppendUint64(value, tick.Rule))
}

// Ticks calls fn with the last tick of each schedule, and its tube.
func (s *State) Ticks(fn func(tube string, t Tick)) {
	for tube, notes := range s.notes {
		for _, n := range notes {
			if n.Kind != storage.NoteTick {
				continue
			}
			t := Tick{Schedule: n.Name}
			if len(n.Value) >= 16 { // otherwise a program has written it that is not known here
				t.At, t.Rule = int64(binary.BigEndian.Uint64(n.Value)), binary.BigEndian.Uint64(n.Value[8:])
			}
			fn(tube, t)
		}
	}
}
