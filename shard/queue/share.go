package queue

import "beanfield/shard/queue/cells"

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
