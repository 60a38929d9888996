package queue

import "beanfield/shard/queue/cells"

// Next is when Tick has something to do, or 0.
func (s *State) Next() int64 {
	if s.opening.N > 0 || s.feeding() || s.revising() || len(s.travel.ghosts) > 0 || s.Leaves || s.lines.due() ||
		s.graving() && s.PurgeShare >= 0 {
		return 1 // at once
	}
	at := cells.Sooner(s.timeline.Soonest(), s.holders.Soonest())
	at = cells.Sooner(at, s.policies.expiring.Soonest())
	if x := s.extra; x != nil {
		at = cells.Sooner(at, cells.Sooner(x.dying.Soonest(), x.ends.Soonest()))
	}
	return cells.Sooner(at, s.soonestConsumer())
}

// Tick ends a turn. It does what is due: delayed jobs become ready, pauses end,
// deadlines of reserved jobs pass. It reports whether it left due work for the
// next turn.
//
// The turn's share is divided among these. A third is kept for the waiters of tubes whose
// pause has ended, if there are any, and a third for deadlines, if any have passed.
// Otherwise a steady stream of delayed jobs would hold up both for ever. What one kind
// does not need is left for the next. Consumers have another share, and so have jobs that are
// too old, keys whose windows end, policies that are taken in, and jobs that purges have ended.
func (s *State) Tick(now int64) (more bool) {
	s.now = now
	if len(s.lines.tubes) > 0 {
		s.stir()
	}
	if len(s.travel.ghosts) > 0 {
		s.endGhosts()
	}
	third := max(1, s.Share/3)
	opening, expiring := 0, 0
	if s.opening.N > 0 {
		opening = third
	}
	if s.holders.Due(now) {
		expiring = third
	}
	s.share = max(1, s.Share-opening-expiring)
	s.serveTimeline()
	s.lend(opening)
	s.serveOpening()
	s.lend(expiring)
	for s.holders.Due(now) && s.step(moving) {
		s.expire(s.clients.Get(s.holders.Top().Slot).first().Slot)
	}
	if s.policies.expiring.Due(now) {
		s.lend(third)
		s.serveAges()
	}
	if x := s.extra; x != nil && x.dying.Due(now) {
		s.lend(third)
		s.serveDeaths()
	}
	if x := s.extra; x != nil && x.ends.Due(now) {
		s.lend(third)
		s.serveWindows()
	}
	if s.revising() {
		s.lend(third)
		s.revise()
	}
	if s.graving() {
		s.lend(third)
		if s.PurgeShare < 0 {
			s.share = -s.PurgeShare - 1
		}
		s.emptyGraves()
	}
	s.tickConsumers()
	if len(s.lines.tubes) > 0 {
		s.lend(third)
		s.serveLines()
	}
	s.renew()
	next := s.Next()
	return next != 0 && next <= now
}

// Settle does what is due after a replay, and ends no job that is too old: nothing can be
// committed before the first turn. It reports whether there is more to do.
func (s *State) Settle(now int64) (more bool) {
	s.now = now
	s.renew()
	s.discardMissing()
	s.serveTimeline()
	s.tickConsumers()
	s.renew()
	return s.feeding() || s.timeline.Due(now)
}

// serveTimeline makes delayed jobs ready, ends pauses, and opens tubes that were throttled.
func (s *State) serveTimeline() {
	for s.timeline.Due(s.now) && s.step(moving) {
		t := s.tubeAt.Get(s.timeline.Top().Slot)
		if t.paused() && t.pausedUntil <= s.now {
			s.unpause(t)
			continue
		}
		if p := t.policy; p != nil && p.due() != 0 && p.due() <= s.now {
			s.serveRate(t)
			continue
		}
		slot := t.delayed.Top().Slot
		s.undelay(slot)
		s.makeReady(slot)
	}
}

// expire takes back a job whose holder's time has run out.
func (s *State) expire(slot uint32) {
	if c := s.holderOf(slot); c.consumer != nil {
		s.consumerExpires(c.consumer, slot)
		return
	}
	s.timeOut(slot)
	s.giveBack(slot)
}

// timeOut takes a job from its holder, who has been too slow, and leaves it in no place.
func (s *State) timeOut(slot uint32) {
	s.unhold(slot)
	s.rare(s.job(slot)).Timeouts++
	s.totals.Timeouts++
}

// Operations whose work has no natural bound stop when they have used up the
// share of a turn, and go on in a later one: meanwhile others are served. All
// operations of a turn have one share together, so fifty clients that each kick
// ten thousand jobs do not make a turn of fifty slices.

// Slice is how many jobs long operations move in one turn: at about a
// microsecond each, other clients wait a fraction of a millisecond. Timers that
// become due have another share of the same size.
const Slice = 256

// How much of a share work costs. Visiting a tube or a waiter takes a sixteenth of
// the time that it takes to move a job, and to end a job takes three times as long: it
// leaves its heap, the index, the order and the directory, with its body and its tags.
const (
	ending   = 3 * moving
	moving   = 16
	summing  = 2 // asking an authorizer about a tube, and adding up the tube
	looking  = 1
	reaching = 4  // beside that, for a body or tags, which may lie anywhere in memory
	passing  = 16 // records for one looking, when all of the shard are looked through
)

// spend takes the cost of some work from the turn's share.
func (s *State) spend(cost int) { s.share -= cost }

// spent says that long work is to stop until the next turn.
func (s *State) spent() bool { return s.share <= 0 }

// step takes the cost of a step of long work, unless the work is to stop.
func (s *State) step(cost int) bool {
	if s.spent() {
		return false
	}
	s.spend(cost)
	return true
}

// lend adds to what is left of a turn's share.
func (s *State) lend(more int) { s.share = max(0, s.share) + more }

// atOnce does work whose amount is known to be small, however little is left of the turn's share. What it costs
// is taken from that.
func (s *State) atOnce(work func()) {
	const plenty = 1 << 30
	left := s.share
	s.share = plenty
	work()
	s.share = left - (plenty - s.share)
}

// leastShare is what a batch has at least when it is run, also if others have used
// up the turn's share: without it, long work behind neighbours who do much in every
// turn would never go on. It is enough for one step of any work.
const leastShare = moving

// ensure gives a batch its least share.
func (s *State) ensure() { s.share = max(s.share, min(leastShare, s.Share)) }

// records looks at the records of jobs from one on, one at least and as many as the share allows, without those that
// lie in graves. It ends before the record at which see says no. It returns where to go on; 0 if that was all.
func (s *State) records(from uint32, see func(slot uint32) bool) (next uint32) {
	end := uint32(s.jobs.Chunks()) << cells.ChunkShift
	for begun := from; from < end; {
		if from > begun && s.spent() {
			return from
		}
		slot := s.jobs.Following(from)
		if slot%passing == 0 || slot/passing != from/passing {
			s.spend(looking)
		}
		if slot>>cells.ChunkShift != from>>cells.ChunkShift {
			from = slot
			continue
		}
		if !s.interred(slot) && !see(slot) {
			return slot
		}
		from = slot + 1
	}
	return 0
}

// renew begins the share of another turn.
func (s *State) renew() { s.share = s.Share }
