package queue

import (
	"slices"

	"beanfield/shard/queue/policy"
	"beanfield/storage"
)

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
// those.
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

// A put may wait for room (Options.Timeout), in its tube and among all jobs of the server. It stands in the
// line of its tube then, and after each turn the first of each line is put if there is room for it by
// now. So nothing has to say where room has come from; what another shard gives back of the server's
// limits, the Quota tells (RoomAgain). While nobody waits, a turn looks at an empty list.
//
// A wait for room ends by the same gate as one for a job: whoever ends it, the shard or the client's side,
// is the only one. So a put that was given up is never made, and one that is made is never answered otherwise. The
// shard has the body, because it is the one that puts. A body that the log must have before its job would have
// to be staged first, while others may take the room: such a put does not wait.
//
// Those who do not wait may take room before those who do. A put that may wait goes to the end of the line if there
// is one, even if it would fit.

// roomWait is a put that waits for room. It has the tube in use.
type roomWait struct {
	client *Client
	tube   *tube
	op     Op
	taken  bool // the wait has ended, and the put is being made
}

// makes says that a put of the client which has waited is being made: its wait has ended by the shard, which still has
// to answer it. A shard that has not come round to forget an earlier wait of the client must leave it alone.
func (c *Client) makes() bool { return c.room != nil && c.room.taken }

// mayWait says that a put for which there is no room, or for which others are first, is to wait.
func (s *State) mayWait(c *Client, op *Op) bool {
	return op.Options != nil && op.Options.Timeout > 0 && c != nil && !s.closed &&
		!(s.Durable && op.Size > storage.LargeBody)
}

// queueUp has a put wait. If it has an id already, it keeps that. The client knows of no other wait: if there is one,
// the log has failed, and the client was told so.
func (s *State) queueUp(c *Client, t *tube, op *Op) {
	if c.room != nil {
		s.giveUpRoom(c)
	}
	w := &roomWait{client: c, tube: t, op: *op}
	w.op.Data, w.op.Options, w.op.Tube, w.op.phase = slices.Clone(op.Data), new(Options), t.name, 0
	w.op.Options.Copy(op.Options)
	w.op.Options.Timeout = 0
	t.using++
	if t.line = append(t.line, w); len(t.line) == 1 {
		s.lines.add(t)
	}
	if s.quota != nil {
		s.quota.Wait(1)
	}
	s.waiting++
	c.room, c.ticket = w, c.Waiter.Arm()
}

// giveUpRoom ends the wait of a client for room, whoever has ended it.
func (s *State) giveUpRoom(c *Client) {
	w := c.room
	c.room = nil
	s.waiting--
	t := w.tube
	if w.op.ID != 0 { // the put has not ended
		s.Directory.JobGone(w.op.ID)
	}
	if t.line = slices.DeleteFunc(t.line, func(o *roomWait) bool { return o == w }); len(t.line) == 0 {
		t.line = nil
		s.lines.remove(t)
	}
	if s.quota != nil {
		s.quota.Wait(-1)
	}
	t.using--
	s.letGo(t)
}

// inLines is how many puts wait.
func (s *State) inLines() (n int) {
	for _, t := range s.lines.tubes {
		n += len(t.line)
	}
	return n
}

// RoomAgain has the next turn look for puts that there is room for by now. It is called between two turns.
func (s *State) RoomAgain() { s.lines.again = true }

// CloseLines ends all waits for room with the answer that each gets now, and lets none begin. It is called between two
// turns.
func (s *State) CloseLines() {
	s.closed = true
	s.RoomAgain()
}

// roomLines are the lines in which puts wait, one for each tube. Whatever an operation or a tick does may have made
// room, so after that all lines are looked at: some in each turn, because there may be thousands.
type roomLines struct {
	tubes []*tube
	on    bool // they are being looked at
	at    int  // the next one
	again bool // something has been done since that has begun
}

// aLook is how many lines a turn looks at.
const aLook = 64

// due says that there are lines to look at.
func (l *roomLines) due() bool { return len(l.tubes) > 0 && (l.on || l.again) }

func (l *roomLines) add(t *tube) { l.tubes, l.again = append(l.tubes, t), true }

func (l *roomLines) remove(t *tube) {
	i := slices.Index(l.tubes, t)
	if l.tubes = slices.Delete(l.tubes, i, i+1); i < l.at {
		l.at--
	}
}

// next is the line to look at; nil if all have been looked at.
func (l *roomLines) next() *tube {
	if !l.on && l.again {
		l.on, l.at, l.again = true, 0, false
	}
	if !l.on || l.at >= len(l.tubes) {
		l.on = false
		return nil
	}
	return l.tubes[l.at]
}

// served has a line come last, which has been served and has more.
func (l *roomLines) served() {
	t := l.tubes[l.at]
	l.tubes = append(slices.Delete(l.tubes, l.at, l.at+1), t)
}

// stir notes that a tick is about to do something.
func (s *State) stir() {
	l := &s.lines
	on := l.on
	if l.on = false; !l.again { // for Next, which is to say what else is due
		next := s.Next()
		l.again = next != 0 && next <= s.now
	}
	l.on = on
}

// serveLines makes the puts at the heads of lines for which there is room. Lines take turns: one that has been served
// is the last from then on. What a put drops may make room for lines that have been passed.
func (s *State) serveLines() {
	l := &s.lines
	for looked := 0; looked < aLook && !s.spent(); looked++ {
		t := l.next()
		if t == nil {
			return
		}
		if first := t.line[0]; !first.taken && !s.closed && !s.hasRoom(t, &first.op) {
			l.at++
			continue
		}
		if s.spend(ending); !s.admitFirst(t) {
			l.at++
			continue
		}
		if l.again = true; t.line != nil {
			l.served()
		}
	}
}

// admitFirst ends the first wait of a line, if it has not ended otherwise, and makes its put. It reports false if the
// line has to wait on: another shard was faster, or the put takes more turns.
func (s *State) admitFirst(t *tube) bool {
	w := t.line[0]
	c, op := w.client, &w.op
	place := s.amountOf(op)
	if !w.taken {
		if s.quota != nil && !s.closed {
			if !s.quota.Claim(place) {
				return false
			}
			op.phase = placed
		}
		w.taken = c.Waiter.Claim(c.ticket)
	}
	if w.taken {
		op.Status = s.putNamed(nil, op)
	}
	if op.phase == placed {
		s.quota.Add(place.Neg())
	}
	if w.taken && op.Status == More {
		s.lines.again = true
		return false
	}
	if w.taken {
		c.Waiter.Deliver(Delivery{ID: op.ID, Status: op.Status, Deadline: c.soonest()})
		s.Woken = append(s.Woken, Awakening{Waiter: c.Waiter, Client: c})
		op.ID = 0
	}
	s.giveUpRoom(c)
	return true
}
