package queue

import "math/bits"

// A job comes back when its holder releases it, takes too long, or hangs up. What becomes of
// it in a tube that a policy covers is decided here, whatever made it come back. Consumers of
// the queue service have rules of their own (rebalance).

// Counted says which of a job's counters tells how often it was delivered.
type Counted uint8

// The counters of stats-job that may count. A hang-up counts as a reserve only.
const (
	CountReserves Counted = iota
	CountTimeouts
	CountReleases
)

func (c Counted) of(t *rare) uint32 {
	switch c {
	case CountTimeouts:
		return t.timeouts
	case CountReleases:
		return t.releases
	}
	return t.reserves
}

// Retry says how long a job that comes back is delayed, in nanoseconds. With Most it is First
// after the first delivery, twice as long after each further one, but at most Most, and up to
// a tenth more or less: otherwise jobs that failed together would be tried together again.
// Without, it is First. 0 is no delay.
type Retry struct{ First, Most int64 }

// after is the delay after so many deliveries. How much more or less it is depends on the id and
// on their number only, so it is the same whenever it is asked.
func (r Retry) after(id uint64, deliveries uint32) int64 {
	if r.Most == 0 {
		return r.First
	}
	d := r.First
	for n := uint32(1); n < deliveries && d < r.Most; n++ {
		d = min(2*d, r.Most)
	}
	return spread(id, deliveries, d)
}

// spread makes a delay up to a tenth longer or shorter.
func spread(id uint64, deliveries uint32, d int64) int64 {
	mixed, low := bits.Mul64(id<<16+uint64(deliveries), 0x9E3779B97F4A7C15)
	part := int64((mixed ^ low) % 2001)
	return d + d/10*(part-1000)/1000
}

// unruled is the policy of a tube that has none, for a job whose put has said something.
var unruled = policing{Policy: &Policy{DeadLetter: FateBury}}

// comesBack does with a job, which is in no place, what the tube's policy says, or the put; a release
// may have given it a delay. It reports false if the job is to go where it would without a policy.
// While the log has no room even for updates, it is.
func (s *State) comesBack(now int64, slot uint32, delayed bool) (done bool) {
	j := s.jobs.At(slot)
	at := s.tubeAt.Get(j.tube())
	p, fate := at.policy, FateBury
	if p == nil {
		p = &unruled
	}
	if p.MaxDeliveries > 0 {
		fate = p.DeadLetter
	}
	perished, roomy := s.perishes(now, slot, s.since(slot, p.Count), p.MaxDeliveries, fate, ForReserves+Cause(p.Count))
	switch {
	case perished:
	case delayed || !roomy || p.Retry.First == 0:
		return false
	default:
		s.did(at, ActionRetry)
		s.makeDelayed(slot, now+p.Retry.after(j.id(), s.rares.At(j.rare).reserves))
		s.logUpdate(slot)
	}
	return true
}

// giveBack makes a job, which is in no place, ready for others because its holder has been too
// slow or has gone. Where deliveries are limited, what has been counted is logged: a job that
// makes workers fail must not begin anew after a restart.
func (s *State) giveBack(now int64, slot uint32) {
	if p := s.tubeAt.Get(s.jobs.At(slot).tube()).policy; p != nil || s.extra != nil {
		if s.comesBack(now, slot, false) {
			return
		}
		most := 0
		if p != nil {
			most = p.MaxDeliveries
		}
		if s.mostOf(slot, most) > 0 && (!s.Durable || s.Log.RoomToUpdate()) {
			s.jobs.At(slot).setState(Ready)
			s.logUpdate(slot)
		}
	}
	s.makeReady(now, slot)
}
