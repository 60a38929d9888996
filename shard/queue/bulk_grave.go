package queue

import (
	"iter"
	"slices"

	"beanfield/shard/queue/cells"
	"beanfield/shard/queue/policy"
)

// A purge ends many jobs at once. It takes the heaps and the list of the tube, whole, and with them all
// jobs that are in there: they lie in a grave from then on. For clients they have ended. Their records, ids,
// keys and bodies are given back in shares, in later turns, and that is when the log hears of each.
//
// Whether a job lies in a grave is not written in its record, because to write it would take a visit to each.
// A job lies there if it is ready or delayed and its tube's heap has another job, or none, where it says
// that it stands; or if it was buried before the tube's buried jobs were taken. So whoever finds a
// job by its id, or goes through records, asks for that (interred). As long as there is no grave, the question is
// one look at an empty list.
//
// A tube that has ended keeps its number until its last grave is empty: the records there name it.

// grave has the jobs that one purge has ended.
type grave struct {
	of             *tube
	ready, delayed cells.Heap // in an order that means nothing any more
	buried         cells.List[uint32]
}

// graveyard is what a State has for purges.
type graveyard struct {
	graves  []*grave            // the first is being emptied
	jobs    int                 // in all of them
	bytes   int64               // of their bodies
	purging map[string]*purging // by tubes; what the log has of purges (bulk_purge.go)
	numbers uint64              // of purges, the last that was used
}

const (
	// usualPurge is how many jobs a purge must end to be one: fewer are deleted one by one, in one turn
	// and without a note in the log.
	usualPurge = 64
	// mostSpared is how many places are looked at for jobs that a purge spares. If there are more, the jobs of
	// the tube are ended one by one.
	mostSpared = 1 << 14
)

// interred says that a job lies in a grave.
func (s *State) interred(slot uint32) bool { return len(s.yard.graves) > 0 && s.lies(slot) }

func (s *State) lies(slot uint32) bool {
	j, t := s.at(slot)
	if t == nil || t.graves == 0 {
		return false
	}
	switch j.state() {
	case Ready:
		return !t.ready.Has(s.jobPos, slot)
	case Delayed:
		return !t.delayed.Has(s.jobPos, slot)
	case Buried:
		return s.rare(j).key <= t.purgedRank
	}
	return false
}

// find is the job with an id; 0 if there is none, or if it lies in a grave.
func (s *State) find(id uint64) uint32 {
	slot := s.slotOf(id)
	if slot != 0 && s.interred(slot) {
		return 0
	}
	return slot
}

// countOf counts the jobs of a tube in some states, of those that nobody holds.
func (t *tube) countOf(of States) (n int) {
	if of.Has(Ready) {
		n += int(t.ready.N)
	}
	if of.Has(Delayed) {
		n += int(t.delayed.N)
	}
	if of.Has(Buried) {
		n += t.buried.N
	}
	return n
}

// spared finds the jobs of a tube that a purge of some states leaves: those in other states, those that somebody
// holds, and those that are still arriving. It reports false if it would have to look at too many.
func (s *State) spared(t *tube, of States) (slots []uint32, ok bool) {
	others := t.countOf(0) - t.countOf(of)
	if t.reserved+t.transit+others == 0 {
		return nil, true
	}
	if others+s.totals.Reserved+int(s.clients.N)+s.travel.arriving.N > mostSpared {
		return nil, false
	}
	slots = s.idle(t, func(st JobState) bool { return !of.Has(st) }, nil)
	slots = slices.AppendSeq(slots, s.heldOf(t))
	for slot := s.travel.arriving.Head; slot != 0; slot = s.linksOf(slot).Next {
		if s.job(slot).tube() == t.slot {
			slots = append(slots, slot)
		}
	}
	return slots, true
}

// idle appends the jobs of a tube that nobody holds, of those in some states.
func (s *State) idle(t *tube, in func(JobState) bool, slots []uint32) []uint32 {
	for i := uint32(0); i < t.ready.N && in(Ready); i++ {
		slots = append(slots, t.ready.At(i).Slot)
	}
	for i := uint32(0); i < t.delayed.N && in(Delayed); i++ {
		slots = append(slots, t.delayed.At(i).Slot)
	}
	for slot := t.buried.Head; slot != 0 && in(Buried); slot = s.linksOf(slot).Next {
		slots = append(slots, slot)
	}
	return slots
}

// heldOf are the reserved jobs of a tube. They are found at their holders.
func (s *State) heldOf(t *tube) iter.Seq[uint32] {
	return func(yield func(slot uint32) bool) {
		for i := uint32(1); i < s.clients.N && t.reserved > 0; i++ {
			s.spend(looking)
			c := s.clients.Get(i)
			if c == nil {
				continue
			}
			for slot := c.held.Head; slot != 0; slot = s.linksOf(slot).Next {
				s.spend(looking)
				if s.job(slot).tube() == t.slot && !yield(slot) {
					return
				}
			}
		}
	}
}

// inter takes the jobs of a tube in some states into a grave. spared are all others that count for it.
func (s *State) inter(t *tube, of States, spared []uint32) {
	g := &grave{of: t}
	if of.Has(Ready) {
		g.ready, t.ready = t.ready, cells.Heap{}
		s.totals.Ready -= int(g.ready.N)
		s.totals.Urgent -= t.urgent
		t.urgent = 0
	}
	if of.Has(Delayed) {
		g.delayed, t.delayed = t.delayed, cells.Heap{}
		s.totals.Delayed -= int(g.delayed.N)
	}
	if of.Has(Buried) {
		g.buried, t.buried = t.buried, cells.List[uint32]{}
		s.totals.Buried -= g.buried.N
		t.purgedRank = int64(s.buryRank)
	}
	t.deletes += uint64(g.jobs())
	bytes := t.bytes
	t.count, t.bytes = 0, 0
	for _, slot := range spared {
		t.gains(s.job(slot))
	}
	s.dig(g)
	bytes -= t.bytes
	s.yard.bytes += bytes
	if s.quota != nil { // their memory is given back with their records
		s.quota.Add(policy.Amount{policy.BoundJobs: -int64(g.jobs()), policy.BoundBytes: -bytes})
	}
	for slot := range s.quarantined {
		if s.job(slot).tube() == t.slot && s.lies(slot) {
			delete(s.quarantined, slot)
			s.totals.Damaged--
		}
	}
	if t.policy != nil {
		s.unrankAll(t, spared)
	}
	if t.service != nil {
		t.service.jobsInterred(s, spared)
	}
	if s.tagIndexes != nil && of.Has(Ready) {
		s.clearTagIndexes(t)
	}
	s.retime(t)
	if t.opening {
		s.reopen(t)
	}
}

func (g *grave) jobs() int { return int(g.ready.N+g.delayed.N) + g.buried.N }

// dig adds a grave.
func (s *State) dig(g *grave) {
	s.yard.graves = append(s.yard.graves, g)
	s.yard.jobs += g.jobs()
	g.of.graves++
	if p := s.yard.purging[g.of.name]; p != nil {
		p.graves++
	}
}

// unrankAll makes the rankings of a tube anew, of which these jobs are left.
func (s *State) unrankAll(t *tube, left []uint32) {
	if t.policy.victims != nil {
		t.policy.victims = &cells.Ranking{}
	}
	if t.policy.ages != nil {
		t.policy.ages = &cells.Ranking{}
		s.retimeAges(t)
	}
	for _, slot := range left {
		s.rank(t, slot)
	}
}

// graving says that there is something for emptyGraves to do.
func (s *State) graving() bool { return len(s.yard.graves)+len(s.yard.purging) > 0 }

// emptyGraves gives back what jobs in graves have, in the share of a turn.
func (s *State) emptyGraves() {
	for len(s.yard.graves) > 0 && !s.spent() {
		g := s.yard.graves[0]
		slot := s.exhume(g)
		if slot == 0 {
			s.close(g)
			continue
		}
		s.spend(ending)
		s.logDelete(slot)
		s.forgetInterred(slot)
	}
	if len(s.yard.graves) == 0 {
		for tube := range s.yard.purging { // whose jobs had gone before a restart
			s.unnotePurges(tube)
		}
	}
}

// exhume takes a job out of a grave, and leaves it in no place; 0 if there is none.
func (s *State) exhume(g *grave) (slot uint32) {
	switch {
	case g.ready.N > 0:
		slot = g.ready.At(g.ready.N - 1).Slot
		g.ready.Remove(s.jobPos, g.ready.N-1)
	case g.delayed.N > 0:
		slot = g.delayed.At(g.delayed.N - 1).Slot
		g.delayed.Remove(s.jobPos, g.delayed.N-1)
	case g.buried.N > 0:
		slot = g.buried.Head
		s.listRemove(&g.buried, slot)
	default:
		return 0
	}
	s.yard.jobs--
	return slot
}

// forgetInterred is forget for a job that has left its grave: it counts for no tube.
func (s *State) forgetInterred(slot uint32) {
	j := s.job(slot)
	id := j.id()
	s.yard.bytes -= int64(j.size)
	if s.quota != nil {
		s.quota.Add(j.remains().Neg())
	}
	s.erase(slot)
	s.tellGone(id)
}

// close ends the first grave, which is empty.
func (s *State) close(g *grave) {
	if s.yard.graves = s.yard.graves[1:]; len(s.yard.graves) == 0 {
		s.yard.graves = nil
	}
	t := g.of
	if t.graves--; t.graves == 0 && t.gone {
		s.tubeAt.Drop(t.slot)
	}
	if p := s.yard.purging[t.name]; p != nil {
		if p.graves--; p.graves == 0 {
			s.unnotePurges(t.name)
		}
	}
}

// freeKey frees the key with a hash if the job that has it lies in a grave, and its window, if it has one, is over.
func (s *State) freeKey(h *hash) {
	k := &s.extra.keys
	ref := k.find(h)
	if ref == 0 || !k.At(ref).is(keyLives) || k.At(ref).is(keyOnce) || s.endOf(ref) > s.now {
		return
	}
	slot := s.slotOf(k.At(ref).id())
	if !s.lies(slot) {
		return
	}
	if k.At(ref).is(keyWindowed) {
		s.endWindow(ref)
	}
	s.extra.unref(slot, ref)
	k.remove(ref)
}
