package router

import "beanfield/shard/queue"

// ReserveInPlace says whether a Reserve operation in a batch for WatchShard
// does all of a reserve: all watched tubes are there, and no job that the
// session holds in another shard is near its deadline. A batch has one fair scheduler, so a reserve that
// asks for tags where there are weights does not go with others.
func (s *Session) ReserveInPlace(tags queue.Tags) bool {
	s.contend(nil)
	if s.watchShard < 0 || len(tags) > 0 && s.fairScheduler != nil {
		return false
	}
	if len(s.live) == 1 {
		return true
	}
	for _, f := range s.live {
		if f.shard != s.watchShard && f.soonest != 0 && f.soonest-queue.Margin <= s.r.Now() {
			return false
		}
	}
	return true
}

// WatchShard is the shard of all watched tubes, if ReserveInPlace.
func (s *Session) WatchShard() int { return s.watchShard }

// Reserve is the whole command over any number of shards. When it is complete
// the session either has a Reservation or is Waiting.
func (s *Session) Reserve(poll bool) bool {
	s.Several = nil
	return s.reserve(poll)
}

// WaitAgain goes on with the wait of a reserve that was interrupted.
func (s *Session) WaitAgain() bool { return s.reserve(false) }

func (s *Session) reserve(poll bool) bool {
	s.contend(s.Several.tags())
	s.Reservation = Reservation{Status: queue.Waiting} // what it will be if nothing is found
	if poll {
		s.Reservation.Status = queue.TimedOut
	}
	return s.refresh((*Session).seekOffers)
}

// refresh asks the shards whose deadlines seem near: if a deadline has passed there,
// the session no longer holds the job and does not know it yet.
func (s *Session) refresh(after func(*Session) bool) bool {
	s.script.begin()
	for _, f := range s.live {
		if s.near(f) {
			s.script.add(f.shard, queue.Op{Kind: queue.Soonest})
		}
	}
	return s.play(after)
}

func (s *Session) seekOffers() bool {
	op, then := queue.Op{Kind: queue.Offer}, (*Session).claimBest
	if v := s.Several; v != nil {
		op, then = queue.Op{Kind: queue.OfferSeveral, Limit: uint32(v.most - len(v.Jobs)), Options: v.options},
			(*Session).claimSeveral
		v.offers = v.offers[:0]
	}
	s.script.begin()
	for _, f := range s.live {
		if f.watching > 0 {
			s.script.add(f.shard, op)
		}
	}
	return s.play(then)
}

// mostLost is how often a reserve asks again at once when others were quicker.
const mostLost = 8

// seekAgain asks all shards again. The other reserve that was quicker is the progress that bounds the
// repetition; but there may be many of them, so after some rounds those who share the owner have their turn.
func (s *Session) seekAgain() bool {
	if s.script.lost++; s.script.lost < mostLost {
		return s.seekOffers()
	}
	s.script.lost = 0
	return s.rest((*Session).seekOffers)
}

// claimBest claims from the shard with the best offer. If there is no offer, and a shard's
// log has failed, nobody knows whether that shard has a job: then the reserve fails,
// because a wait might never end.
func (s *Session) claimBest() bool {
	best, failed := -1, false
	for i := range s.script.steps {
		op := &s.script.steps[i].op
		failed = failed || op.Status == queue.Failed
		if op.Status == queue.OK && (best < 0 || offered(op).before(offered(&s.script.steps[best].op))) {
			best = i
		}
	}
	if best < 0 && failed {
		s.Reservation = Reservation{Status: queue.Failed}
		return true
	}
	if best < 0 {
		return s.nothing()
	}
	from := s.script.steps[best].shard
	s.script.begin()
	s.script.add(from, queue.Op{Kind: queue.Claim})
	return s.play((*Session).claimed)
}

// offered is what a shard has answered to Offer.
func offered(op *queue.Op) offer { return offer{tag: op.Tag, pri: op.Pri, id: op.ID} }

// claimed has the job, or another client took it: then all shards are asked again. A job that could
// not be committed, or whose body could not be read, is an answer: asking again would
// take the next job while this one stayed reserved without the client's knowledge.
func (s *Session) claimed() bool {
	op := &s.script.steps[0].op
	switch op.Status {
	case queue.OK:
	case queue.Failed:
		s.Reservation = Reservation{Status: queue.Failed}
		return true
	default:
		return s.seekAgain()
	}
	s.small = append(s.small[:0], s.script.batch.Small(op)...)
	s.Reservation = Reservation{Status: queue.OK, ID: op.ID, Size: op.Size, Small: s.small, Large: op.Parts}
	return true
}

// nothing answers or begins to wait, when no shard has offered a job.
func (s *Session) nothing() bool {
	if s.Soonest()-queue.Margin <= s.r.Now() {
		s.Reservation.Status = queue.DeadlineSoon
		return true
	}
	if s.Reservation.Status != queue.Waiting {
		return true
	}
	s.waiting = true
	options := s.Several.wants()
	s.script.begin()
	s.script.ticket = s.gate.arm()
	for _, f := range s.live {
		if f.watching > 0 {
			f.asked = true
			s.script.add(f.shard, queue.Op{Kind: queue.Wait, Options: options})
		}
	}
	return s.play((*Session).registered)
}

// registered ends a wait that has only just begun, if the log of one of its shards has
// failed. If another shard has delivered a job by then, that job is the answer.
func (s *Session) registered() bool {
	for i := range s.script.steps {
		if s.script.steps[i].op.Status == queue.Failed {
			_, done := s.CancelWait(queue.Failed)
			return done || s.waiting
		}
	}
	return true
}

// BeginWait notes that a Reserve operation of the latest batch has ended in a wait.
func (s *Session) BeginWait() {
	s.waiting, s.Several = true, nil
	s.refs[s.underwayIn].asked = true
}

// Waiting says whether a wait is on.
func (s *Session) Waiting() bool { return s.waiting }

// Delivered says whether the wait has brought a job: then EndWait is next.
func (s *Session) Delivered() bool { return s.woken.Load() }

// EndWait ends a wait that has brought a job.
func (s *Session) EndWait() bool {
	s.woken.Store(false)
	d := &s.delivery
	s.Reservation = Reservation{Status: d.Status, ID: d.ID, Size: d.Size, Small: d.Small, Large: d.Large}
	if s.lost {
		s.Reservation = Reservation{Status: queue.Failed}
	}
	s.deliverer.soonest = d.Deadline
	s.deliverer.asked = false // it has left all queues of that shard already
	if v := s.Several; v != nil && s.Reservation.Status == queue.OK {
		v.add(Reserved{ID: d.ID, Size: d.Size, Small: d.Small, Large: d.Large, About: d.About})
		if len(v.Jobs) < v.most {
			return s.withdraw((*Session).seekOffers)
		}
	}
	return s.withdraw(nil)
}

// CancelWait ends a wait from the session's side, with status as the answer.
// If it has not won, a job is about to be delivered: Delivered will be true soon.
func (s *Session) CancelWait(status queue.Status) (won, done bool) {
	if !s.cancel() {
		return false, false
	}
	s.Reservation = Reservation{Status: status}
	return true, s.withdraw(nil)
}

// withdraw leaves nothing of the wait behind in any shard (R3), and goes on with then.
func (s *Session) withdraw(then func(*Session) bool) bool {
	s.waiting = false
	s.script.begin()
	s.script.ticket = s.gate.last
	for _, f := range s.live {
		if f.asked {
			f.asked = false
			s.script.add(f.shard, queue.Op{Kind: queue.Withdraw})
		}
	}
	return s.play(then)
}

// Refresh brings Soonest up to date, for a wait whose end it decides. It asks all shards where
// the session waits: each does what is due there before it answers, so a job that has become
// ready in time is delivered before anybody says that there was none.
func (s *Session) Refresh() bool {
	s.script.begin()
	for _, f := range s.live {
		if f.asked || s.near(f) {
			s.script.add(f.shard, queue.Op{Kind: queue.Soonest})
		}
	}
	return s.play(nil)
}

// near says that the first deadline in a shard seems to be near.
func (s *Session) near(f *ref) bool {
	return f.soonest != 0 && f.soonest <= s.r.Now()+queue.Margin
}
