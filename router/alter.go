package router

import (
	"cmp"
	"slices"

	"beanfield/router/mover"
	"beanfield/shard/queue"
)

// Jobs are moved and changed page by page of a list (list.go): what the list finds is the list of one operation
// on the same shard, which looks at each job again. What leaves for another shard has then a trip, which the
// mover ends; the call is complete when all its jobs are where they are to be, or home again. A hang-up
// stops no move: the session ends when the trip does.

// Altered is how the jobs of a Listing with Alter have fared.
type Altered struct {
	Done int // moved or changed
	Full int // stayed, because their target is full
	Not  int // others that were chosen, or named, and are as they were
}

// Alter does to jobs what l.Alter says: to those that its filter chooses, page by page, or, if ids is not nil,
// to these if it chooses them. Only what the filter says of bodies is not asked then. l.Most is how many
// jobs are tried. The Filter is read until the call is complete.
func (s *Session) Alter(l *Listing, ids []uint64) bool {
	l.Alter.Filter = l.Filter
	l.trip = mover.NewTrip(s.owner.Notify)
	l.Alter.Trip = l.trip
	s.r.movers[s.r.TubeShard([]byte(l.Tube))].Expect(l.trip)
	if ids == nil {
		return s.List(l)
	}
	s.Listing = l
	for _, id := range ids {
		l.Jobs = append(l.Jobs, queue.Listed{JobFigures: queue.JobFigures{JobInfo: queue.JobInfo{ID: id}}})
	}
	l.named = true
	return s.alterPage()
}

// alterPage alters the jobs of the list that have been found by now.
func (s *Session) alterPage() bool {
	l := s.Listing
	// so the buried keep their order
	slices.SortStableFunc(l.Jobs, func(a, b queue.Listed) int { return cmp.Compare(a.Rank, b.Rank) })
	op := queue.Op{Kind: queue.AlterSeveral, Several: &queue.Several{IDs: make([]uint64, len(l.Jobs))}}
	for i := range l.Jobs {
		op.Several.IDs[i] = l.Jobs[i].ID
	}
	s.script.begin()
	s.script.alter = l.Alter
	s.script.add(s.r.TubeShard([]byte(l.Tube)), op)
	return s.play((*Session).alteredPage)
}

// alteredPage has the answer for a page.
func (s *Session) alteredPage() bool {
	l := s.Listing
	op := &s.script.steps[0].op
	s.script.alter = nil
	l.Status = op.Status
	l.Altered.Done += int(op.Count) // those that leave too: the trip says which came home
	l.Altered.Full += op.Several.Refused
	l.Altered.Not += len(l.Jobs) - int(op.Count) - op.Several.Refused
	l.tried += len(l.Jobs)
	l.away += int64(op.Several.Apart)
	clear(l.Jobs)
	l.Jobs = l.Jobs[:0]
	full := l.Altered.Full > 0 || l.trip.Home() > 0
	if l.named || full || l.Status != queue.OK || l.ends() {
		return s.endTrip()
	}
	return s.rest((*Session).listOn)
}

// endTrip ends the call when the jobs that have left are where they are to be.
func (s *Session) endTrip() bool {
	l := s.Listing
	if l.Alter == nil {
		return true
	}
	l.trip.Await(l.away)
	return s.backFromTrip()
}

func (s *Session) backFromTrip() bool {
	l := s.Listing
	if !l.trip.Over() && l.Status == queue.OK {
		if !l.trip.Lost() {
			s.resting = (*Session).backFromTrip
			return false
		}
		l.Status = queue.Failed
	}
	s.r.movers[s.r.TubeShard([]byte(l.Tube))].Forget(l.trip)
	home := l.trip.Home()
	l.Altered.Done -= home
	l.Altered.Full += home
	return true
}
