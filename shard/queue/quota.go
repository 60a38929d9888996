package queue

// The jobs of a whole server may be bounded, whatever shards and tubes they are in. All shards share one
// Quota for that: each counts its jobs there, and a put claims its place before it is made. Only puts are
// refused. Jobs that were there before the quota, jobs that move, and dead letters are counted, too, and may
// exceed it. A job that goes to another shard counts twice while it has copies in both.
//
// Claims are exact, so that never more is admitted than may be, however many shards are run side by side. The
// price is that all shards write to one place in memory. So a server without limits has no Quota, which
// costs each put a look at a nil pointer, and no job anything.

// JobMemory is what limits count as the memory of a job beside its body. One that was only put and reserved takes 75 bytes
// (cmd/beanfield/manual/sizing.md has the measurement), others take more.
const JobMemory = 100

// Bound is one of the things that can be bounded.
type Bound uint8

// The bounds.
const (
	BoundJobs   Bound = iota
	BoundBytes        // of bodies, wherever they are
	BoundMemory       // bodies that are in memory, and JobMemory for each job
	Bounds            // how many there are
)

func (b Bound) String() string { return [...]string{"jobs", "bytes", "memory"}[b] }

// Amount is so much of what each bound is about; as a limit, 0 is none.
type Amount [Bounds]int64

// amountOf is that of some jobs. inside are those bytes of their bodies that are in memory.
func amountOf(jobs int, bytes, inside int64) Amount {
	return Amount{int64(jobs), bytes, inside + JobMemory*int64(jobs)}
}

// Neg is the amount with the opposite sign: what is to be taken away.
func (a Amount) Neg() Amount {
	for b := range a {
		a[b] = -a[b]
	}
	return a
}

// Quota knows what the jobs of all shards are together, and what they may be. All shards call it, so
// it is not a part of any of them.
type Quota interface {
	// Fits says whether a put has a chance: what is refused now need not be begun.
	Fits(Amount) bool
	// Claim counts a put if there is room for it.
	Claim(Amount) bool
	// Refuse is told of a put that was refused.
	Refuse(Amount)
	// Wait is told that so many more puts wait for room: their shards must hear of it when there is some (RoomAgain).
	Wait(more int)
	// Add counts what comes without having been asked for, and what goes, which is less than nothing.
	Add(Amount)
}

// SetQuota has the jobs of this shard, those that are there and those that come, count for a quota; nil for none.
// It is called between two turns.
func (s *State) SetQuota(q Quota) {
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
func (s *State) amount() Amount {
	a := amountOf(s.jobs.Used(), s.inside+s.outside, s.inside)
	a[BoundJobs] -= int64(s.yard.jobs)
	a[BoundBytes] -= s.yard.bytes
	return a
}

// costs is what a job is.
func (j *job) costs() Amount { return costOf(j.size, j.away()) }

// remains is what a job in a grave still is.
func (j *job) remains() Amount { return Amount{BoundMemory: j.costs()[BoundMemory]} }

func costOf(size uint32, away bool) Amount {
	inside := int64(size)
	if away {
		inside = 0
	}
	return amountOf(1, int64(size), inside)
}

// mayEnter ends a put that cannot have room, before anything is done for it.
func (s *State) mayEnter(c *Client, t *tube, op *Op) bool {
	full := false
	if bounded(t, op) {
		_, status := s.nextOut(t, op, 0)
		full = status == NoRoom
	}
	isNext := t.line == nil || !s.mayWait(c, op)
	if !full && isNext && (s.quota == nil || s.quota.Fits(costOf(op.Size, s.overBudget(op.Size)))) {
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
		s.did(t, ActionRefuse)
	default:
		s.quota.Refuse(costOf(op.Size, s.overBudget(op.Size)))
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
			q.Add(Amount{BoundMemory: -int64(op.Size)})
		}
	case !q.Claim(costOf(op.Size, away)):
		s.waitOrRefuse(c, t, op, false)
		return false
	}
	if !bounded(t, op) || s.makeRoom(c, t, op) {
		return true
	}
	if q != nil {
		q.Add(costOf(op.Size, away).Neg())
	}
	return false
}

// allInside is what puts that are carried out together claim: as if all bodies stayed in memory.
func allInside(jobs, bytes int) Amount { return amountOf(jobs, int64(bytes), int64(bytes)) }

// enters counts a job that has not come by a put, and leaves takes one away that has ended.
func (s *State) enters(slot uint32) {
	if s.quota != nil {
		s.quota.Add(s.jobs.At(slot).costs())
	}
}

func (s *State) leaves(slot uint32) {
	if s.quota != nil {
		s.quota.Add(s.jobs.At(slot).costs().Neg())
	}
}
