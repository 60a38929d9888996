package shard

import (
	"math"

	"beanfield/shard/queue"
	"beanfield/storage/pace"
)

// turn is what a shard has applied and may answer once its log has it.
type turn struct {
	shard   *Shard
	batches []*queue.Batch
	// unfinished go on when the turn is committed. Otherwise a long operation would
	// fill the log far ahead of the disk, and everybody's answers after it would
	// wait until that had been worked off.
	unfinished []*queue.Batch
	woken      []queue.Awakening
	called     []queue.Getter         // gets that are to try again
	deliveries []*queue.DeliveryBatch // what consumers are sent
	fetched    []*queue.Batch         // to be applied when they have been received
	gone       []uint64               // deleted: the directory forgets them when that is committed
	leaves     bool                   // there are jobs for other shards
	fetches    bool                   // some answer or delivery lacks a body that is in the log only
}

// endTurn does what is due, closes the log's batch, and answers everything
// that the turn has gathered: now, or when the log says so.
func (sh *Shard) endTurn(now int64) { sh.endTurnFor(now, nil) }

// endTurnFor does the same for a turn that ran one batch in place. It reports
// true if that batch may be answered at once, by the caller.
func (sh *Shard) endTurnFor(now int64, own *queue.Batch) bool {
	sh.pulse.Beat()
	s := sh.state
	s.Tick(now)
	sh.turn.leaves, s.Leaves = s.Leaves, false
	if sh.findDue(); sh.due <= now {
		sh.alarm.Store(true) // more is due: giveBack goes on with it
	}
	if now >= sh.armed {
		sh.armed = math.MaxInt64 // the timer has fired, or is about to for nothing
	}
	t := sh.turn
	t.woken, s.Woken = s.Woken, t.woken
	t.gone, s.Gone = s.Gone, t.gone
	t.called, s.Called = s.Called, t.called
	if len(s.Deliveries) > 0 {
		t.deliveries = s.TakeDeliveries(t.deliveries)
	}
	if !s.Durable {
		t.answer(nil)
		return true
	}
	return sh.commit(t, own)
}

// commit hands a turn to the log. If the turn ran in place and has nothing to wait
// for, the caller answers its own batch itself.
func (sh *Shard) commit(t *turn, own *queue.Batch) bool {
	ran := sh.now()
	for _, b := range t.batches {
		t.fetches = t.fetches || b.Lacking()
		b.Ended = ran
	}
	for i := range t.woken {
		t.fetches = t.fetches || t.woken[i].Fetch != 0
	}
	for _, p := range t.deliveries {
		t.fetches = t.fetches || p.Lacking()
	}
	if own != nil {
		t.fetches = t.fetches || own.Lacking()
		own.Ended = ran
		own.Retain() // what is left of it may outlive the caller's buffers
		t.batches = append(t.batches, own)
	}
	sh.turn = sh.newTurn() // t may be answered, and used again, before Commit returns
	if sh.later && sh.pusher != nil {
		if !sh.pusher.CommitLater(t) {
			return false
		}
	} else if !sh.log.Commit(t) {
		return false
	}
	if own == nil || t.fetches {
		t.Committed(nil)
		return false
	}
	t.batches = t.batches[:len(t.batches)-1]
	t.answer(nil)
	t.release()
	return true
}

// newTurn takes an answered turn, or makes one.
func (sh *Shard) newTurn() *turn {
	select {
	case t := <-sh.turns:
		return t
	default:
		return &turn{shard: sh}
	}
}

func (t *turn) release() {
	t.fetches = false
	select {
	case t.shard.turns <- t:
	default:
	}
}

// Committed implements storage.Ack: it answers a turn that had to wait for its
// log, and for bodies that are to be read back.
func (t *turn) Committed(err error) {
	if err == nil && t.fetches {
		t.shard.ended.Go(func() {
			t.fetch()
			t.answer(nil)
			t.release()
		})
		pace.Woke()
		return
	}
	t.answer(err)
	t.release()
}

// answer answers all batches of a turn. If the log has not taken the turn, all of them
// fail: what the turn changed, or saw, may be gone after a restart.
func (t *turn) answer(err error) {
	if err == nil {
		for _, id := range t.gone {
			t.shard.dir.JobGone(id)
		}
		if t.leaves {
			t.shard.dir.JobsLeave()
		}
	}
	t.leaves = false
	t.gone = t.gone[:0]
	for i, b := range t.batches {
		t.batches[i] = nil
		if err != nil {
			b.Fail()
		}
		b.Done.Complete(b)
	}
	t.batches = t.batches[:0]
	for i := range t.unfinished {
		next := (i + 1) % len(t.unfinished) // the first has used the share of this turn
		t.shard.proceed(t.unfinished[next])
	}
	clear(t.unfinished)
	t.unfinished = t.unfinished[:0]
	for i, w := range t.woken {
		t.woken[i] = queue.Awakening{}
		w.Waiter.Wake(err == nil && !w.Lost, w.Body)
	}
	t.woken = t.woken[:0]
	for i, g := range t.called { // even if the log has failed: trying again tells them so
		t.called[i] = nil
		g.TryAgain()
	}
	t.called = t.called[:0]
	for i, p := range t.deliveries {
		t.deliveries[i] = nil
		p.To().Receive(p, err == nil)
	}
	t.deliveries = t.deliveries[:0]
	for i, b := range t.fetched { // only now: the next deliveries must not overtake these
		t.fetched[i] = nil
		t.shard.proceed(b)
	}
	t.fetched = t.fetched[:0]
}
