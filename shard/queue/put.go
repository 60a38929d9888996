package queue

import (
	"errors"

	"beanfield/storage"
)

// The log writes a large body before its job is put, which may take seconds. A
// put that has one is applied twice: first it begins, takes its id and ends with
// Staging. The goroutine that runs the queue gives the body to the log, calls Staged,
// and applies the put again.

// How far a put has come (Op.phase).
const (
	staged   = iota + 1 // the log has its large body
	admitted            // it has none to stage, and room is being made in its tube
	claimed             // it has none to stage, its id and its place
	placed              // it has its place among the server's, and nothing else yet (policy_room.go)
	unstaged            // the log has not taken its body: it has failed, for the reason in Op.Status
)

// Staged notes how the log fared with the body of a put.
func (op *Op) Staged(err error) {
	switch {
	case err == nil:
		op.phase = staged
	case errors.Is(err, storage.ErrNoSpace):
		op.phase, op.Status = unstaged, NoRoom
	default:
		op.phase, op.Status = unstaged, Failed
	}
}

// accept begins a put. It answers OK unless the put ends here, because the directory
// takes no jobs or the log has no room, or if the log must have the body first.
func (s *State) accept(t *tube, op *Op) Status {
	switch op.phase {
	case staged, admitted, claimed:
		return OK
	case unstaged:
		return s.endPut(t, op, op.Status)
	}
	var ok bool
	if op.ID, ok = s.Directory.JobBorn(op.ID); !ok {
		return Refused
	}
	if s.Durable && !s.Log.Room(int(op.Size)) {
		return s.endPut(t, op, NoRoom)
	}
	if s.Durable && op.Size > storage.LargeBody {
		return Staging
	}
	return OK
}

// endPut ends a put without a job, and its id. If the log has the body already, only a record of the job leads it
// there.
func (s *State) endPut(t *tube, op *Op, why Status) Status {
	if op.phase == staged {
		s.logNothing(storage.Job{ID: op.ID, Tube: t.name, State: storage.Ready, Size: op.Size})
	}
	if op.ID != 0 {
		s.Directory.JobGone(op.ID)
	}
	return why
}

// put makes a job in the tube that it names, or else in the one that the client uses.
func (s *State) put(b *Batch, op *Op) Status {
	if op.Tube == "" {
		return s.putInto(b.Client, b.Client.used, op, op.tags())
	}
	return s.putNamed(b.Client, op)
}

func (s *State) putNamed(c *Client, op *Op) Status {
	t := s.tubeNamed([]byte(op.Tube))
	t.using++ // until it has the job
	status := s.putInto(c, t, op, op.tags())
	t.using--
	s.letGo(t)
	return status
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
func (s *State) putInto(c *Client, t *tube, op *Op, tags Tags) Status {
	if op.Options != nil && op.Options.keyed() && op.phase != unstaged {
		if ref, status := s.holder(t, op.Options); ref != 0 {
			id := s.extra.keys.At(ref).id()
			s.endPut(t, op, status)
			op.ID = id
			return status
		}
	}
	away, limited := s.overBudget(op.Size), t.policy != nil || s.quota != nil || op.Kind == Service
	if limited && op.phase == 0 {
		if status := s.mayEnter(c, t, op); status != OK {
			return status
		}
	}
	if status := s.accept(t, op); status != OK {
		return status
	}
	if limited {
		if status := s.enter(c, t, op, away); status != OK {
			return status
		}
	}
	s.makeJob(t, op, tags, away)
	return OK
}

// makeJob makes the job of a put.
func (s *State) makeJob(t *tube, op *Op, tags Tags, away bool) {
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
	delay := op.delay()
	if delay > 0 {
		s.rareOf(j).delay = op.Delay
		s.makeDelayed(slot, s.now+delay)
	}
	if s.Durable {
		s.logPut(slot, op)
	}
	if t.service != nil {
		t.service.index.add(s, slot)
	}
	if delay == 0 {
		s.makeReady(slot)
	}
}
