package queue

import (
	"slices"

	"beanfield/storage"
)

// A put may wait for room (Options.Timeout), in its tube and among all jobs of the server. It stands in the
// line of its tube then, and after each turn the first of each line is put if there is room for it by
// now. So nothing has to say where room has come from; what another shard gives back of the server's
// limits, the Quota tells (RoomAgain). While nobody waits, a turn looks at an empty list.
//
// A wait for room ends by the same gate as one for a job: whoever ends it, the shard or the client's side,
// is the only one. So a put that was given up is never made, and one that is made is never answered otherwise. The
// shard has the body, because it is the one that puts. A body that the log must have before its job would have
// to be staged first, while others may take the room: such a put does not wait.
//
// Those who do not wait may take room before those who do. A put that may wait goes to the end of the line if there
// is one, even if it would fit.

// roomWait is a put that waits for room. It has the tube in use.
type roomWait struct {
	client *Client
	tube   *tube
	op     Op
	taken  bool // the wait has ended, and the put is being made
}

// makes says that a put of the client which has waited is being made: its wait has ended by the shard, which still has
// to answer it. A shard that has not come round to forget an earlier wait of the client must leave it alone.
func (c *Client) makes() bool { return c.room != nil && c.room.taken }

// mayWait says that a put for which there is no room, or for which others are first, is to wait.
func (s *State) mayWait(c *Client, op *Op) bool {
	return op.Options != nil && op.Options.Timeout > 0 && c != nil && !s.closed &&
		!(s.Durable && op.Size > storage.LargeBody)
}

// queueUp has a put wait. If it has an id already, it keeps that. The client knows of no other wait: if there is one,
// the log has failed, and the client was told so.
func (s *State) queueUp(c *Client, t *tube, op *Op) {
	if c.room != nil {
		s.giveUpRoom(c)
	}
	w := &roomWait{client: c, tube: t, op: *op}
	w.op.Data, w.op.Options, w.op.Tube, w.op.phase = slices.Clone(op.Data), new(Options), t.name, 0
	w.op.Options.Copy(op.Options)
	w.op.Options.Timeout = 0
	t.using++
	if t.line = append(t.line, w); len(t.line) == 1 {
		s.lines.add(t)
	}
	if s.quota != nil {
		s.quota.Wait(1)
	}
	s.waiting++
	c.room, c.ticket = w, c.Waiter.Arm()
}

// giveUpRoom ends the wait of a client for room, whoever has ended it.
func (s *State) giveUpRoom(c *Client) {
	w := c.room
	c.room = nil
	s.waiting--
	t := w.tube
	if w.op.ID != 0 { // the put has not ended
		s.Directory.JobGone(w.op.ID)
	}
	if t.line = slices.DeleteFunc(t.line, func(o *roomWait) bool { return o == w }); len(t.line) == 0 {
		t.line = nil
		s.lines.remove(t)
	}
	if s.quota != nil {
		s.quota.Wait(-1)
	}
	t.using--
	s.letGo(t)
}

// inLines is how many puts wait.
func (s *State) inLines() (n int) {
	for _, t := range s.lines.tubes {
		n += len(t.line)
	}
	return n
}

// RoomAgain has the next turn look for puts that there is room for by now. It is called between two turns.
func (s *State) RoomAgain() { s.lines.again = true }

// CloseLines ends all waits for room with the answer that each gets now, and lets none begin. It is called between two
// turns.
func (s *State) CloseLines() {
	s.closed = true
	s.RoomAgain()
}

// roomLines are the lines in which puts wait, one for each tube. Whatever an operation or a tick does may have made
// room, so after that all lines are looked at: some in each turn, because there may be thousands.
type roomLines struct {
	tubes []*tube
	on    bool // they are being looked at
	at    int  // the next one
	again bool // something has been done since that has begun
}

// aLook is how many lines a turn looks at.
const aLook = 64

// due says that there are lines to look at.
func (l *roomLines) due() bool { return len(l.tubes) > 0 && (l.on || l.again) }

func (l *roomLines) add(t *tube) { l.tubes, l.again = append(l.tubes, t), true }

func (l *roomLines) remove(t *tube) {
	i := slices.Index(l.tubes, t)
	if l.tubes = slices.Delete(l.tubes, i, i+1); i < l.at {
		l.at--
	}
}

// next is the line to look at; nil if all have been looked at.
func (l *roomLines) next() *tube {
	if !l.on && l.again {
		l.on, l.at, l.again = true, 0, false
	}
	if !l.on || l.at >= len(l.tubes) {
		l.on = false
		return nil
	}
	return l.tubes[l.at]
}

// served has a line come last, which has been served and has more.
func (l *roomLines) served() {
	t := l.tubes[l.at]
	l.tubes = append(slices.Delete(l.tubes, l.at, l.at+1), t)
}

// stir notes that a tick is about to do something.
func (s *State) stir() {
	l := &s.lines
	on := l.on
	if l.on = false; !l.again { // for Next, which is to say what else is due
		next := s.Next()
		l.again = next != 0 && next <= s.now
	}
	l.on = on
}

// serveLines makes the puts at the heads of lines for which there is room. Lines take turns: one that has been served
// is the last from then on. What a put drops may make room for lines that have been passed.
func (s *State) serveLines() {
	l := &s.lines
	for looked := 0; looked < aLook && !s.spent(); looked++ {
		t := l.next()
		if t == nil {
			return
		}
		if first := t.line[0]; !first.taken && !s.closed && !s.hasRoom(t, &first.op) {
			l.at++
			continue
		}
		if s.spend(ending); !s.admitFirst(t) {
			l.at++
			continue
		}
		if l.again = true; t.line != nil {
			l.served()
		}
	}
}

// admitFirst ends the first wait of a line, if it has not ended otherwise, and makes its put. It reports false if the
// line has to wait on: another shard was faster, or the put takes more turns.
func (s *State) admitFirst(t *tube) bool {
	w := t.line[0]
	c, op := w.client, &w.op
	place := s.amountOf(op)
	if !w.taken {
		if s.quota != nil && !s.closed {
			if !s.quota.Claim(place) {
				return false
			}
			op.phase = placed
		}
		w.taken = c.Waiter.Claim(c.ticket)
	}
	if w.taken {
		op.Status = s.putNamed(nil, op)
	}
	if op.phase == placed {
		s.quota.Add(place.Neg())
	}
	if w.taken && op.Status == More {
		s.lines.again = true
		return false
	}
	if w.taken {
		c.Waiter.Deliver(Delivery{ID: op.ID, Status: op.Status, Deadline: c.soonest()})
		s.Woken = append(s.Woken, Awakening{Waiter: c.Waiter, Client: c})
		op.ID = 0
	}
	s.giveUpRoom(c)
	return true
}
