package queue

import (
	"errors"

	"beanfield/storage"
)

// The log writes a large body before its job is put, which may take seconds. A
// put that has one is applied twice: first it begins, takes its id and ends with
// Staging. The goroutine that runs the queue gives the body to the log, calls Staged,
// and applies the put again.

// How far a put with a large body has come.
const (
	staged   = iota + 1 // the log has the body
	admitted            // it has none to stage, and room is being made in its tube
	claimed             // it has none to stage, its id and its place
	placed              // it has its place among the server's, and nothing else yet (policy_room.go)
	noPlace             // the log had no room
	lost                // it has failed
)

// unstage ends a put whose body the log has, because the tube has filled up or the queue has ended
// meanwhile. Only a record of the job leads the log to the body.
func (s *State) unstage(t *tube, op *Op) {
	s.record = storage.Job{ID: op.ID, Tube: t.name, State: storage.Ready, Size: op.Size}
	s.Log.Put(&s.record)
	s.Log.Delete(&s.record)
	s.turnAway(op, op.Status)
}

// Staged notes how the log fared with the body of a put.
func (op *Op) Staged(err error) {
	switch {
	case err == nil:
		op.phase = staged
	case errors.Is(err, storage.ErrNoSpace):
		op.phase = noPlace
	default:
		op.phase = lost
	}
}

// accept begins a put. It reports false if the put ends here, because the directory
// takes no jobs or the log has no room, or if the log must have the body first.
func (s *State) accept(op *Op) bool {
	switch op.phase {
	case staged, admitted, claimed:
		return true
	case noPlace:
		return s.turnAway(op, NoRoom)
	case lost:
		return s.turnAway(op, Failed)
	}
	var ok bool
	if op.ID, ok = s.Directory.JobBorn(op.ID); !ok {
		op.Status = Refused
		return false
	}
	if !s.Durable {
		return true
	}
	if !s.Log.Room(int(op.Size)) {
		return s.turnAway(op, NoRoom)
	}
	if op.Size > storage.LargeBody {
		op.Status = Staging
		return false
	}
	return true
}

// turnAway ends a put, and its id, without a job.
func (s *State) turnAway(op *Op, why Status) bool {
	op.Status = why
	s.Directory.JobGone(op.ID)
	return false
}

// put makes a job in the tube that it names, or else in the one that the client uses.
func (s *State) put(c *Client, op *Op) {
	if op.Tube == "" {
		s.putInto(c, c.used, op, op.tags())
		return
	}
	t := s.tubeNamed([]byte(op.Tube))
	t.using++ // until it has the job
	s.putInto(c, t, op, op.tags())
	t.using--
	s.letGo(t)
}

// tags are those that a put gives its job.
func (op *Op) tags() Tags {
	if op.Options == nil {
		return nil
	}
	return op.Options.Tags
}

// delay is how long a put or a release delays the job, in nanoseconds. op.Delay is that in seconds, rounded up.
func (op *Op) delay() int64 {
	if op.Options != nil {
		return op.Options.Delay
	}
	return int64(op.Delay) * second
}

// putInto makes a job in a tube. c is who may wait for room.
func (s *State) putInto(c *Client, t *tube, op *Op, tags Tags) {
	if op.Options != nil && s.known(t, op) {
		return
	}
	delay := op.delay()
	limited := bounded(t, op) || s.quota != nil
	if limited && op.phase == 0 && !s.mayEnter(c, t, op) || !s.accept(op) {
		return
	}
	away := s.overBudget(op.Size)
	if limited && !s.enter(c, t, op, away) {
		return
	}
	slot := s.jobs.Alloc()
	s.jobPos.Cover(slot)
	j := s.job(slot)
	*j = newJob(op.ID, s.now+s.Epoch, t.slot)
	j.size, j.pri, j.ttr = op.Size, op.Pri, op.TTR
	s.keepBody(slot, away, op.Data, op.Parts)
	s.index.insert(&s.jobs, slot)
	if len(tags) > 0 { // an item's
		s.setTags(slot, tags)
	}
	if op.Options != nil {
		s.agree(slot, op)
	}
	t.total++
	t.gains(j)
	t.newest = max(t.newest, op.ID)
	s.totals.Total++
	op.Status = OK
	if delay > 0 {
		s.rareOf(j).delay = op.Delay
		s.makeDelayed(slot, s.now+delay)
	}
	if s.Durable {
		s.logPut(slot, op)
	}
	if t.service != nil {
		t.service.jobBorn(s, slot)
	}
	if delay == 0 {
		s.makeReady(slot)
	}
}
