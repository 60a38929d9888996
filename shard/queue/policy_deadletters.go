package queue

import (
	"strings"

	"beanfield/shard/queue/policy"
	"beanfield/storage"
)

// A job that has been delivered too often is a dead letter. What is counted, and for whom, is
// up to who delivers it: for the first group of a queue its jobs have the count (rebalance),
// for the others the view has it (viewReturns). Whether that is too often, and what becomes of
// the job, is decided here, for every tube.

// RearSuffix ends the name of a rear queue. A queue and its rear queue are in one
// shard and share a limit on their length.
const RearSuffix = storage.RearSuffix

// pairOf names the rear queue of a queue, or the queue of a rear queue.
func pairOf(name string) string {
	if front, ok := strings.CutSuffix(name, RearSuffix); ok {
		return front
	}
	return name + RearSuffix
}

// tooOften says whether a job that was taken back so often is a dead letter, if it may be
// delivered so often at most; 0 is no limit. While the log has no room even for updates, no
// job dies: roomy is false.
func (s *State) tooOften(times uint32, most int) (dead, roomy bool) {
	roomy = !s.logFull()
	return roomy && most > 0 && int(times) >= most, roomy
}

// perishes does with a job, which is in no place, what becomes of one that is too old, or was taken back too
// often: so often, while it may be delivered so often at most. It reports false if the job is to be delivered
// again.
func (s *State) perishes(slot, times uint32, most int, f policy.Fate, why Cause) (perished, roomy bool) {
	if s.outdated(slot) {
		s.grownOld(slot)
		return true, false
	}
	dead, roomy := s.tooOften(times, s.mostOf(slot, most))
	if dead {
		s.die(slot, f, why)
	}
	return dead, roomy
}

// die does with a dead letter, which is in no place, what its fate says. In a rear queue, or
// if the name of the rear queue would be too long, it is buried instead of moved. If others
// are still to get it, it only learns its fate.
func (s *State) die(slot uint32, f policy.Fate, why Cause) {
	t := s.tubeFor(slot)
	if t.service != nil && t.service.jobDies(s, slot, f) {
		return
	}
	s.dead++
	switch {
	case f == policy.FateDrop:
		s.did(t, policy.ActionDelete)
		s.end(slot)
	case f == policy.FateRear && !strings.HasSuffix(t.name, RearSuffix) && len(t.name)+len(RearSuffix) <= MaxName:
		s.did(t, policy.ActionMove)
		s.rehouse(slot, s.tubeNamed([]byte(pairOf(t.name))), Ready, 0)
		s.letGo(t)
	case f == policy.FateTube && s.send(slot, why):
	default:
		s.did(t, policy.ActionBury)
		s.lay(slot)
	}
}

// lay buries a dead letter, which is in no place.
func (s *State) lay(slot uint32) {
	s.rareOf(s.job(slot)).Buries++
	s.makeBuried(slot)
	s.logUpdate(slot)
}

// send has a dead letter, which is in no place, go to the tube that its tube's policy names. It reports false
// if it cannot: the policy has changed, the tube is full, or the job has moved very often.
func (s *State) send(slot uint32, why Cause) bool {
	t := s.tubeFor(slot)
	name := s.deadTube(t)
	switch {
	case name == "":
		return false
	case s.local(name):
		to := s.tubeNamed([]byte(name))
		if !s.takes(to, s.job(slot).size) {
			s.letGo(to)
			return false
		}
		s.trace(slot, why)
		s.did(t, policy.ActionMove)
		s.rehouse(slot, to, Ready, 0)
		s.letGo(t)
	case !s.mayTravel(slot):
		return false
	default:
		s.trace(slot, why)
		s.did(t, policy.ActionMove)
		s.leave(slot, name, Ready, 0, why)
	}
	return true
}

// takes says whether a tube takes a dead letter of another one: not if it would refuse a put.
func (s *State) takes(t *tube, size uint32) bool {
	return !t.overfull(size) || t.policy.Full != policy.FullRefuse
}

// rehouse gives a job, which is in no place, to another tube, to be what will says there. Its deliveries are counted
// anew.
func (s *State) rehouse(slot uint32, to *tube, will JobState, deadline int64) {
	s.giveUpKeys(slot)
	s.unhouse(slot)
	s.house(slot, to)
	s.place(slot, will, deadline)
}

// unhouse takes a job, which is in no place, from its tube for good.
func (s *State) unhouse(slot uint32) {
	j, t := s.at(slot)
	if t.service != nil {
		t.service.jobGone(s, slot)
	}
	t.loses(j)
}

// house gives a job, which is in no place and no tube's any more, to a tube.
func (s *State) house(slot uint32, to *tube) {
	j := s.job(slot)
	s.itemMoves(slot)
	j.place = j.place&(1<<tubeShift-1) | to.slot<<tubeShift
	to.gains(j)
	to.total++
	to.newest = max(to.newest, j.id())
	if to.service != nil {
		to.service.index.add(s, slot)
	}
}

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
		s.makeDelayed(slot, s.now+p.Retry.After(j.id(), s.rare(j).Reserves))
		s.logUpdate(slot)
	}
	return true
}

// giveBack makes a job, which is in no place, ready for others because its holder has been too
// slow or has gone. Where deliveries are limited, what has been counted is logged: a job that
// makes workers fail must not begin anew after a restart.
func (s *State) giveBack(slot uint32) {
	if p := s.tubeFor(slot).policy; p != nil || s.extra != nil {
		if s.comesBack(slot, false) {
			return
		}
		most := 0
		if p != nil {
			most = p.MaxDeliveries
		}
		if s.mostOf(slot, most) > 0 && !s.logFull() {
			s.job(slot).setState(Ready)
			s.logUpdate(slot)
		}
	}
	s.makeReady(slot)
}
