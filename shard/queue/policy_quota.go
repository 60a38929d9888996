package queue

import "beanfield/shard/queue/policy"

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

// amountOf is what a put would add to the jobs of the server.
func (s *State) amountOf(op *Op) policy.Amount {
	return policy.AmountOfJob(op.Size, s.overBudget(op.Size))
}

// quotaFits says that a put has a chance, as far as the server's limits go.
func (s *State) quotaFits(op *Op) bool { return s.quota == nil || s.quota.Fits(s.amountOf(op)) }

// mayEnter ends a put that cannot have room, before anything is done for it.
func (s *State) mayEnter(c *Client, t *tube, op *Op) bool {
	full := false
	if bounded(t, op) {
		_, status := s.nextOut(t, op, 0)
		full = status == NoRoom
	}
	isNext := t.line == nil || !s.mayWait(c, op)
	if !full && isNext && s.quotaFits(op) {
		return true
	}
	s.waitOrRefuse(c, t, op, full)
	return false
}

// waitOrRefuse is for a put for which there is no room now, in its tube if that is full, or else in the server.
func (s *State) waitOrRefuse(c *Client, t *tube, op *Op, full bool) {
	switch {
	case s.mayWait(c, op):
		s.queueUp(c, t, op)
		return
	case full:
		s.did(t, policy.ActionRefuse)
	default:
		s.quota.Refuse(s.amountOf(op))
	}
	s.refusePut(t, op)
}

// enter makes a place for a put that has been accepted, or ends it. away says that its body will not be in memory. The
// server's limits come first: a full tube drops no job for a put that they refuse.
func (s *State) enter(c *Client, t *tube, op *Op, away bool) bool {
	q := s.quota
	switch {
	case q == nil:
	case op.phase == placed:
		op.phase = admitted
	case op.phase == claimed: // for a body in memory
		if away {
			q.Add(policy.Amount{policy.BoundMemory: -int64(op.Size)})
		}
	case !q.Claim(policy.AmountOfJob(op.Size, away)):
		s.waitOrRefuse(c, t, op, false)
		return false
	}
	if !bounded(t, op) || s.makeRoom(c, t, op) {
		return true
	}
	if q != nil {
		q.Add(policy.AmountOfJob(op.Size, away).Neg())
	}
	return false
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
