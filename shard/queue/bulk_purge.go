package queue

import (
	"cmp"
	"slices"

	"beanfield/shard/queue/cells"
	"beanfield/storage"
)

// What the log has of a purge is one note (storage.Purge), in the turn of the purge. It makes all jobs in the
// grave end at once in the log too: a replay that finds their records puts them into a grave again, where
// no client sees them, and goes on deleting. In the turn that deletes the last of them, the note goes.
//
// The note says which jobs are meant by their ids: all up to the newest one. So what it spares must be told
// apart. Jobs that somebody held, that were arriving from another shard, or that were in other states, are listed in
// the note. Whatever is recorded later, because such a job is released, or comes from elsewhere with a low id, or
// because a put took its id before the purge and has its body only now, has the number of the purge in its record
// (Item.Since).
//
// A later purge of the same tube means all jobs that an earlier one means and that have not been deleted yet,
// so its note takes the place of the other one.

// purging is what the log has of the purges of a tube, and how many graves are still to be emptied.
type purging struct {
	number   uint64 // of the last
	last     uint64 // the highest id that any of them means
	graves   int
	restored *grave           // of the jobs that a replay has found ended
	notes    []*storage.Purge // that are in the log
}

// purge ends all jobs of a tube that nobody holds, or those that are in some states, at once. It reports false if they
// are to be ended one by one: they are few, or too many are spared, or the log has no room for the note, or what a
// queue's groups have to do with them is much.
func (s *State) purge(t *tube, op *Op) bool {
	of := op.States
	n := t.countOf(of)
	if n < cmp.Or(s.LeastPurge, usualPurge) {
		return false
	}
	spared, ok := s.spared(t, of)
	if !ok || t.service != nil && !t.service.purges(len(spared)) || s.Durable && !s.notePurge(t, spared) {
		return false
	}
	s.spend(moving * (1 + len(spared)/passing))
	t.using++
	s.inter(t, of, spared)
	t.using--
	s.letGo(t)
	op.Count = uint32(n)
	return true
}

// notePurge logs a purge. It reports false if it cannot.
func (s *State) notePurge(t *tube, spared []uint32) bool {
	if !s.Log.RoomToUpdate() {
		return false
	}
	n := &storage.Purge{Number: s.yard.numbers + 1, Last: t.newest}
	if p := s.yard.purging[t.name]; p != nil {
		n.Last = max(n.Last, p.last)
	}
	for _, slot := range spared {
		n.Spared = append(n.Spared, s.job(slot).id())
	}
	slices.Sort(n.Spared)
	name, value := n.Note()
	if len(value) > storage.MaxNote {
		return false
	}
	p := s.purgingOf(t.name)
	old := p.notes
	p.number, p.last, p.notes = n.Number, n.Last, []*storage.Purge{n}
	s.yard.numbers = n.Number
	for _, o := range old {
		was, _ := o.Note()
		s.forgetPurge(t.name, was)
	}
	s.noteOn(t.name, storage.NotePurge, name, value)
	return true
}

// forgetPurge forgets the note of a purge. The log is told by the noteOn that follows.
func (s *State) forgetPurge(tube, name string) {
	s.notes[tube] = slices.DeleteFunc(s.notes[tube], func(n storage.Note) bool {
		return n.Kind == storage.NotePurge && n.Name == name
	})
}

func (s *State) purgingOf(tube string) *purging {
	if s.yard.purging == nil {
		s.yard.purging = map[string]*purging{}
	}
	p := s.yard.purging[tube]
	if p == nil {
		p = &purging{}
		s.yard.purging[tube] = p
	}
	return p
}

// unnotePurges removes the notes of purges of a tube, because the log has no record any more of a job that
// they mean.
func (s *State) unnotePurges(tube string) {
	notes := s.yard.purging[tube].notes
	delete(s.yard.purging, tube)
	for i, n := range notes {
		name, _ := n.Note()
		if i < len(notes)-1 {
			s.forgetPurge(tube, name)
		} else {
			s.noteOn(tube, storage.NotePurge, name, nil)
		}
	}
}

// describeSince adds to the scratch record that a job has not ended, if a note might say that it has.
func (s *State) describeSince(slot uint32) {
	if p := s.yard.purging[s.record.Tube]; p != nil && s.job(slot).id() <= p.last {
		s.recordItemOf().Since = p.number
	}
}

// restorePurges takes in the notes of a tube. They come before jobs.
func (s *State) restorePurges(q *storage.Queue) {
	var found storage.Purges
	found.Add(q)
	for _, n := range found[q.Tube] {
		p := s.purgingOf(q.Tube)
		p.number, p.last = max(p.number, n.Number), max(p.last, n.Last)
		p.notes = append(p.notes, n)
		s.yard.numbers = max(s.yard.numbers, n.Number)
	}
}

// restoreEnded puts a job into a grave if a purge has ended it, and reports whether that was so.
func (s *State) restoreEnded(r *storage.Job) bool {
	if r.Item != nil {
		s.yard.numbers = max(s.yard.numbers, r.Item.Since)
	}
	p := s.yard.purging[r.Tube]
	if p == nil || !slices.ContainsFunc(p.notes, func(n *storage.Purge) bool { return n.Ended(r) }) {
		return false
	}
	if p.restored == nil {
		t := s.tubeNamed([]byte(r.Tube))
		p.restored = &grave{of: t}
		if s.dig(p.restored); t.service == nil { // otherwise the log has the queue, which may still get its items
			s.letGo(t)
		}
	}
	g := p.restored
	slot := s.newRecord(g.of, r)
	j := s.job(slot)
	j.place |= flagAway // nobody will ask for its body
	s.outside += int64(j.size)
	s.yard.bytes += int64(j.size)
	if s.quota != nil {
		s.quota.Add(j.remains())
	}
	s.fileRestored(slot)
	s.restoreOptions(slot, s.whatRemains(r.Item))
	j.setState(Ready)
	g.ready.Push(s.jobPos, cells.Entry{Major: s.keyOf(slot), Slot: slot})
	s.yard.jobs++
	return true
}

// whatRemains is what still matters of a job that a purge has ended: what its delete must know, and keys whose
// windows go on.
func (s *State) whatRemains(i *storage.Item) *storage.Item {
	if i == nil {
		return nil
	}
	left := &storage.Item{Tags: i.Tags, Route: i.Route, Moved: i.Moved}
	if k := i.Keys; k != nil {
		keys := *k
		if s.queueTime(k.KeyUntil) <= s.now {
			keys.Key = nil
		}
		left.Keys = &keys
	}
	return left
}

// unrestoreEnded takes back what was restored of a job that a purge has ended, before there are clients.
func (s *State) unrestoreEnded(slot uint32) {
	g := s.yard.purging[s.tubeFor(slot).name].restored
	g.ready.Remove(s.jobPos, s.jobPos.Get(slot))
	s.yard.jobs--
	s.discarding = true
	s.forgetInterred(slot)
	s.discarding = false
	s.Gone = s.Gone[:0]
}

// truncate ends the jobs of a tube that are ready, delayed or buried when it comes, or are in some of these states.
// Mostly it does that at once (bulk_purge.go), and if there are few it ends them one by one in one turn. Otherwise
// that takes several turns: ids grow, so those that are put meanwhile are above the newest id of that moment, and
// stay.
//
// The jobs are found by going through the records of the shard: a job stays in the record that it has. The
// few last ones are found through the tube.

// How a truncate finds jobs (Op.phase). Several.at is how far it has come with records or items.
const (
	inTube    = iota + 1
	inRecords // all of the shard
	inItems   // in the item index of a queue
)

func (s *State) truncate(_ *Batch, op *Op) Status {
	t := s.tubes[op.Tube]
	if op.phase == 0 {
		if t = s.tubes[string(op.Data)]; t == nil {
			return NotFound
		}
		op.Tube, op.phase = t.name, inTube
		last := t.newest
		if s.purge(t, op) && (t.service == nil || !t.service.holds()) {
			return OK
		}
		op.several().last = last
		t = s.tubes[op.Tube]
	}
	if t == nil {
		return OK // its last job has gone
	}
	t.using++
	var done bool
	if t.few(op) {
		s.atOnce(func() { done = s.endUpTo(t, op) })
	} else {
		done = s.endUpTo(t, op)
	}
	t.using--
	s.letGo(t)
	if !done {
		return More
	}
	return OK
}

// few says that a truncate has so little left to do that one turn can do it. So the log has all of it or nothing.
func (t *tube) few(op *Op) bool {
	if t.service != nil {
		return t.service.few()
	}
	return t.countOf(op.States) < usualPurge
}

// endUpTo ends as many jobs as a turn can. It reports false if there are more.
func (s *State) endUpTo(t *tube, op *Op) bool {
	v := op.Several
	if t.service != nil {
		if op.phase != inItems {
			op.phase, v.at = inItems, 0
		}
		return t.service.truncate(s, op)
	}
	if t.few(op) {
		for _, slot := range s.idle(t, op.States.Has, nil) {
			s.endOld(slot, op)
		}
		return true
	}
	if op.phase != inRecords {
		op.phase, v.at = inRecords, 1 // slot 0 is no job
	}
	v.at = uint64(s.records(uint32(v.at), func(slot uint32) bool {
		j := s.job(slot)
		if j.tube() == t.slot && j.state() != Reserved && !j.onItsWay() && op.States.Has(j.state()) {
			s.endOld(slot, op)
		}
		return true
	}))
	return v.at == 0
}

// endOld ends a job if it was there when the operation came.
func (s *State) endOld(slot uint32, op *Op) {
	if s.job(slot).id() > op.Several.last {
		s.spend(looking)
		return
	}
	s.spend(ending)
	s.endForAll(slot)
	op.Count++
}
