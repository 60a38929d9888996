package queue

import "beanfield/shard/queue/policy"

// A job comes back when its holder releases it, takes too long, or hangs up. What becomes of
// it in a tube that a policy covers is decided here, whatever made it come back. Consumers of
// the queue service have rules of their own (rebalance).

// unruled is the policy of a tube that has none, for a job whose put has said something.
var unruled = policing{Policy: &policy.Policy{DeadLetter: policy.FateBury}}

// comesBack does with a job, which is in no place, what the tube's policy says, or the put; a release
// may have given it a delay. It reports false if the job is to go where it would without a policy.
// While the log has no room even for updates, it is.
func (s *State) comesBack(slot uint32, delayed bool) (done bool) {
	j := s.job(slot)
	at := s.tubeOf(j)
	p, fate := at.policy, policy.FateBury
	if p == nil {
		p = &unruled
	}
	if p.MaxDeliveries > 0 {
		fate = p.DeadLetter
	}
	perished, roomy := s.perishes(slot, s.since(slot, p.Count), p.MaxDeliveries, fate, ForReserves+Cause(p.Count))
	switch {
	case perished:
	case delayed || !roomy || p.Retry.First == 0:
		return false
	default:
		s.did(at, policy.ActionRetry)
		s.makeDelayed(slot, s.now+p.Retry.After(j.id(), s.rare(j).reserves))
		s.logUpdate(slot)
	}
	return true
}

// giveBack makes a job, which is in no place, ready for others because its holder has been too
// slow or has gone. Where deliveries are limited, what has been counted is logged: a job that
// makes workers fail must not begin anew after a restart.
func (s *State) giveBack(slot uint32) {
	if p := s.tubeOf(s.job(slot)).policy; p != nil || s.extra != nil {
		if s.comesBack(slot, false) {
			return
		}
		most := 0
		if p != nil {
			most = p.MaxDeliveries
		}
		if s.mostOf(slot, most) > 0 && (!s.logFull()) {
			s.job(slot).setState(Ready)
			s.logUpdate(slot)
		}
	}
	s.makeReady(slot)
}
