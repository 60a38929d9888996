package router

import "beanfield/shard/queue"

// script is a list of operations on several shards, run one after the other;
// neighbours on the same shard go in one batch.
type script struct {
	authorizer queue.Authorizer // of all its operations; nil for none
	list       *queue.Listing
	alter      *queue.Altering
	ticket     uint64 // of the wait that its Waits begin, or its Withdraws end
	steps      []step
	next       int
	on         bool
	lost       uint8  // how often others were quicker than a reserve since it has let others in
	asked      uint32 // about how many jobs DoSeveral was asked
	shard      int    // of the batch that is under way
	first      int    // step of that batch's first operation
	batch      queue.Batch
}

type step struct {
	shard int
	op    queue.Op
}

func (c *script) begin() {
	c.authorizer, c.list, c.alter = nil, nil, nil
	clear(c.steps)
	c.steps = c.steps[:0]
	c.next = 0
}

func (c *script) add(i int, op queue.Op) { c.steps = append(c.steps, step{i, op}) }

func (c *script) addName(i int, k queue.Kind, name string) {
	c.add(i, queue.Op{Kind: k, Data: []byte(name)})
}

// maxSteps bounds how many steps of a long script are played before others are
// let in: they take some fifty microseconds.
const maxSteps = 32

// scriptKeep is how many steps' memory an idle session may keep.
const scriptKeep = 4

// smallKeep is how large a buffer for delivered bodies it may keep.
const smallKeep = 512

// Trim gives back memory that an idle session does not need. No call may be under
// way. While the session waits only its script's goes: a shard may be writing its
// delivery.
func (s *Session) Trim() {
	if cap(s.script.steps) > scriptKeep || cap(s.script.batch.Ops) > scriptKeep {
		s.script = script{}
	}
	if s.waiting {
		return
	}
	if cap(s.small) > smallKeep {
		s.small = nil
	}
	s.Sums, s.Several, s.Listing, s.Puts = nil, nil, nil, nil
	s.Reservation = Reservation{}
	s.delivery = queue.Delivery{}
}

// needsPlace says that an operation of a script needs the session's place in the shard.
func needsPlace(k queue.Kind) bool {
	return k != queue.Totals && k != queue.List && (k < queue.DeleteSeveral || k > queue.AlterSeveral)
}

// collect copies the answers of the batch that has just ended to its steps.
func (c *script) collect(s *Session) {
	for i := range c.batch.Ops {
		op := &c.batch.Ops[i]
		if op.Several != nil {
			op.Several.IDs = nil // an idle session keeps no list
		}
		c.steps[c.first+i].op = *op
	}
	if s.Several != nil {
		s.Several.collect(c.shard, &c.batch)
	}
	if s.Sums != nil { // somebody counts
		s.Sums.Add(&c.batch.Sums)
	}
}

// play runs the script, then goes on with after.
func (s *Session) play(after func(*Session) bool) bool {
	s.after = after
	s.script.on = true
	return s.playOn()
}

func (s *Session) playOn() bool {
	c := &s.script
	for played := 0; c.next < len(c.steps); played++ {
		if played == maxSteps {
			return s.rest((*Session).playOn)
		}
		c.batch.Reset()
		c.batch.Authorizer, c.batch.List, c.batch.Alter = c.authorizer, c.list, c.alter
		c.batch.Ticket = c.ticket
		c.shard, c.first = c.steps[c.next].shard, c.next
		for c.next < len(c.steps) && c.steps[c.next].shard == c.shard {
			c.batch.Ops = append(c.batch.Ops, c.steps[c.next].op)
			c.next++
			if c.steps[c.next-1].op.Kind == queue.Wait {
				break // a batch stops at a wait
			}
		}
		if !s.Submit(c.shard, &c.batch, needsPlace(c.steps[c.first].op.Kind)) {
			return false
		}
		c.collect(s)
	}
	c.on = false
	if after := s.after; after != nil {
		s.after = nil
		return after(s)
	}
	return true
}
