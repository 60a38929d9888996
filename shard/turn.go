package shard

import "math"

// turn is what a shard has applied and may answer once its log has it.
type turn struct {
	shard   *Shard
	batches []*Batch
	woken   []Waiter
}

// endTurn does what is due, closes the log's batch, and answers everything
// that the turn has gathered: now, or when the log says so.
func (sh *Shard) endTurn(now int64) { sh.endTurnFor(now, nil) }

// endTurnFor does the same for a turn that ran one batch in place. It reports
// true if that batch may be answered at once, by the caller.
func (sh *Shard) endTurnFor(now int64, own *Batch) bool {
	s := sh.state
	if next := s.Next(); next != 0 && next <= now {
		if s.Tick(now) {
			sh.alarm.Store(true) // more is due: giveBack goes on with it
		}
	}
	if now >= sh.armed {
		sh.armed = math.MaxInt64 // the timer has fired, or is about to for nothing
	}
	t := sh.turn
	t.woken, s.Woken = s.Woken, t.woken
	if !s.durable {
		t.answer(nil)
		return true
	}
	if own != nil {
		own.Retain() // what is left of it may outlive the caller's buffers
		t.batches = append(t.batches, own)
	}
	sh.turn = &turn{shard: sh}
	if s.log.Commit(t) {
		if own != nil {
			t.batches = t.batches[:len(t.batches)-1]
		}
		t.answer(nil)
		return true
	}
	return false
}

// Committed answers a turn that had to wait for its log.
func (t *turn) Committed(err error) { t.answer(err) }

func (t *turn) answer(err error) {
	for i, b := range t.batches {
		t.batches[i] = nil
		if err != nil {
			b.fail()
		}
		b.Done.Complete(b)
	}
	t.batches = t.batches[:0]
	for i, w := range t.woken {
		t.woken[i] = nil
		w.Wake()
	}
	t.woken = t.woken[:0]
}

// fail turns the answers of a batch into failures: its log has not taken it.
func (b *Batch) fail() {
	for i := range b.Ops[:b.Next] {
		b.Ops[i].Status = Failed
	}
}
