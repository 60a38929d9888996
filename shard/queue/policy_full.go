package queue

import "beanfield/shard/queue/policy"

// A policy bounds how many jobs a tube has, and how large they are together. A put beyond
// that is refused, or ready jobs are dropped for it. What comes otherwise, as dead letters of
// another tube do, is not refused, and what is there already when a reload lowers a bound stays
// until the next put.
//
// A queue has another bound, on how long it and its rear queue are together, for the items that are put
// over the queue service (Limits.MaxLength). A put asks both bounds before it takes an id, and again when
// it has one. Whatever it is refused or drops for, it ends here, and is counted alike.

// roomFor says whether a tube has room for so much more, if need be instead of ready jobs: OK or NoRoom, or More while
// it does not know all of those.
func (s *State) roomFor(t *tube, jobs int, bytes int64) Status {
	switch p := t.policy; {
	case p == nil || !p.Over(t.count+jobs, t.bytes+bytes):
		return OK
	case p.victims == nil || p.Over(jobs, bytes):
		return NoRoom
	case !s.ranked(t):
		return More
	case p.Over(t.count+jobs-int(p.victims.N), t.bytes+bytes-p.victims.Size):
		return NoRoom
	}
	return OK
}

// overfull says that the tube has no room for another job beside those that it has.
func (t *tube) overfull(size uint32) bool {
	return t.policy != nil && t.policy.Over(t.count+1, t.bytes+int64(size))
}

// nextOut is the job that a tube drops next for another one; 0 if it has room. An item may find its queue too long:
// then one goes, whatever the tube has room for. NoRoom: there would be none, whatever it drops, so it drops nothing.
// More: it does not know yet.
func (s *State) nextOut(t *tube, size uint32, item bool) (slot uint32, status Status) {
	if status = s.roomFor(t, 1, int64(size)); status != OK {
		return 0, status
	}
	if item {
		slot, status = t.service.nextOut(s)
	}
	if slot == 0 && status == OK && t.overfull(size) {
		slot = t.policy.victims.Top().Slot
	}
	return slot, status
}

// makeRoom drops jobs of a full tube until there is room for one more. It answers More if there are more of them than a
// turn can end. Somebody else may take those that are left meanwhile, so then there may be no room after all.
func (s *State) makeRoom(t *tube, size uint32, item bool) Status {
	for dropped := 0; ; dropped++ {
		slot, status := s.nextOut(t, size, item && dropped == 0) // one out, one in
		if status != OK || slot == 0 {
			return status
		}
		if dropped > 0 && s.spent() { // one at least, whatever this turn has done before
			return More
		}
		s.spend(ending)
		s.did(t, policy.ActionDrop)
		t.using++ // it must not end with its last job
		s.drop(slot)
		t.using--
	}
}

// admits says whether a tube takes a job from another tube, for which it may drop jobs of its own, if that makes
// enough room. One that has no room even so refuses what a client moves, and takes a dead letter as it is.
// More: it has still to find out which are to go, or there are more of them than a turn can end.
func (s *State) admits(t *tube, size uint32, why Cause) Status {
	status := s.makeRoom(t, size, false)
	if status == NoRoom && why != ForMove && s.takes(t, size) {
		return OK
	}
	return status
}

// The jobs of a whole server may be bounded, whatever shards and tubes they are in. All shards share one
// Quota for that: each counts its jobs there, and a put claims its place before it is made. Only puts are
// refused. Jobs that were there before the quota, jobs that move, and dead letters are counted, too, and may
// exceed it. A job that goes to another shard counts twice while it has copies in both.
//
// Claims are exact, so that never more is admitted than may be, however many shards are run side by side. The
// price is that all shards write to one place in memory. So a server without limits has no Quota, which
// costs each put a look at a nil pointer, and no job anything.

// SetQuota has the jobs of this shard, those that are there and those that come, count for a quota; nil for none.
// It is called between two turns.
func (s *State) SetQuota(q policy.Quota) {
	switch {
	case q == s.quota:
		return
	case s.quota != nil:
		s.quota.Add(s.amount().Neg())
		s.quota.Wait(-s.inLines())
	}
	if s.quota = q; q != nil {
		q.Add(s.amount())
		q.Wait(s.inLines())
	}
	s.RoomAgain()
}

// amount is what all jobs of the shard are (QT1). Those in graves have ended, and only their memory is still in use.
func (s *State) amount() policy.Amount {
	a := policy.AmountOf(s.jobs.Used(), s.inside+s.outside, s.inside)
	a[policy.BoundJobs] -= int64(s.yard.jobs)
	a[policy.BoundBytes] -= s.yard.bytes
	return a
}

// costs is what a job is.
func (j *job) costs() policy.Amount { return policy.AmountOfJob(j.size, j.away()) }

// remains is what a job in a grave still is.
func (j *job) remains() policy.Amount {
	return policy.Amount{policy.BoundMemory: j.costs()[policy.BoundMemory]}
}

// hasRoom says that a put has a chance. One that would have to drop jobs may have none before the tube knows all of
// those (policy_room.go).
func (s *State) hasRoom(t *tube, op *Op) bool {
	return s.roomFor(t, 1, int64(op.Size)) == OK && s.quotaFits(op)
}

// quotaFits says so as far as the server's limits go.
func (s *State) quotaFits(op *Op) bool { return s.quota == nil || s.quota.Fits(s.amountOf(op)) }

// amountOf is what a put would add to the jobs of the server.
func (s *State) amountOf(op *Op) policy.Amount {
	return policy.AmountOfJob(op.Size, s.overBudget(op.Size))
}

// mayEnter ends a put that cannot have room, before anything is done for it, or has it wait behind others.
func (s *State) mayEnter(c *Client, t *tube, op *Op) Status {
	_, status := s.nextOut(t, op.Size, op.Kind == Service)
	if status != NoRoom && (t.line == nil || !s.mayWait(c, op)) && s.quotaFits(op) {
		return OK
	}
	return s.waitOrRefuse(c, t, op, status == NoRoom)
}

// enter makes a place for a put that has been accepted, or ends it. away says that its body will not be in memory. The
// server's limits come first: a full tube drops no job for a put that they refuse.
func (s *State) enter(c *Client, t *tube, op *Op, away bool) Status {
	q, amount := s.quota, policy.AmountOfJob(op.Size, away)
	switch {
	case q == nil:
	case op.phase == placed:
		op.phase = admitted
	case op.phase == claimed: // for a body in memory
		if away {
			q.Add(policy.Amount{policy.BoundMemory: -int64(op.Size)})
		}
	case !q.Claim(amount):
		return s.waitOrRefuse(c, t, op, false)
	}
	status := s.makeRoom(t, op.Size, op.Kind == Service)
	if status == OK {
		return OK
	}
	if q != nil {
		q.Add(amount.Neg())
	}
	if status == NoRoom {
		return s.waitOrRefuse(c, t, op, true)
	}
	if op.phase == 0 {
		op.phase = admitted
	}
	return More
}

// waitOrRefuse is for a put for which there is no room now, in its tube if that is full, or else in the server.
func (s *State) waitOrRefuse(c *Client, t *tube, op *Op, full bool) Status {
	switch {
	case s.mayWait(c, op):
		s.queueUp(c, t, op)
		return Waiting
	case full:
		s.did(t, policy.ActionRefuse)
	default:
		s.quota.Refuse(s.amountOf(op))
	}
	if op.Kind == Service {
		return s.endPut(t, op, TooLong)
	}
	return s.endPut(t, op, NoRoom)
}

// enters counts a job that has not come by a put, and leaves takes one away that has ended.
func (s *State) enters(slot uint32) {
	if s.quota != nil {
		s.quota.Add(s.job(slot).costs())
	}
}

func (s *State) leaves(slot uint32) {
	if s.quota != nil {
		s.quota.Add(s.job(slot).costs().Neg())
	}
}
