package generator

import (
	"bytes"
	"fmt"

	"beanfield/tools/bench/load"
)

// consume takes what has arrived for one connection: every complete reply is
// compared with the batch outstanding, and the connection goes on when all of it is
// answered. It tells how much was complete.
func (l *loop) consume(c *conn, data []byte) (used int, err error) {
	now := l.run.now()
	var replies [operations]uint64
	for used < len(data) {
		n, err := l.reply.Parse(data[used:])
		if err != nil {
			return used, err
		}
		if n == 0 {
			break
		}
		if c.left == 0 {
			return used, fmt.Errorf("the server sent a reply that nothing asked for: %.80q", l.reply.line)
		}
		if err := l.accept(c, &l.reply, now); err != nil {
			return used, err
		}
		used += n
		replies[c.op]++
		c.passed()
	}
	some := false
	for op, n := range replies {
		if n > 0 {
			some = true
			l.answered(c, operation(op), now, n)
		}
	}
	if some && c.left == 0 {
		if used < len(data) {
			return used, fmt.Errorf("the server sent bytes that nothing asked for: %.80q", data[used:])
		}
		return used, l.settle(c, now)
	}
	return used, nil
}

// answered records n replies to op that came with one read, and so have one latency.
func (l *loop) answered(c *conn, op operation, now int64, n uint64) {
	l.tally.everything += int64(n)
	if l.measuring && !l.run.load.ByJob() {
		l.tally.ops[op] += n
	}
	// How long a reserve waits depends on who puts; the delivery is measured instead.
	if op == opReserve && l.run.load.Apart() {
		return
	}
	if l.inWindow(c.due) {
		l.tally.latency[op].Record(now-c.due, n)
	}
}

// inWindow decides what is recorded. At full speed, what is answered during the
// measurement. On a timetable, what was due during it, however late its answer came:
// otherwise a stall at the end would go unseen.
func (l *loop) inWindow(due int64) bool {
	if l.pacer.open() {
		return due >= l.run.begin && due < l.run.end
	}
	return l.measuring
}

// settle ends an answered batch and sends the next.
func (l *loop) settle(c *conn, now int64) error {
	if (l.run.load.Kind == load.KindPut || l.run.load.Whole) && l.tally.Inserted >= int64(l.run.load.MaxJobs) {
		l.run.end = min(now, l.run.end) // before its time
		l.phase(now)
	}
	return l.goOn(c, now)
}

// accept compares one reply with the command that it answers.
func (l *loop) accept(c *conn, r *Reply, now int64) error {
	switch {
	case c.op == opPut && r.Word == wordInserted:
		return l.inserted(c, r)
	case (c.op == opReserve || c.op == opReserveJob) && r.Word == wordReserved:
		return l.reserved(c, r, now)
	case c.op == opDelete && r.Word == wordDeleted:
		l.tally.deleted++
		return nil
	case c.op == opUse && r.Word == wordUsing && bytes.Equal(r.line[len("USING "):], c.tube):
		return nil
	}
	return fmt.Errorf("%v was answered %.80q", c.op, r.line)
}

func (l *loop) inserted(c *conn, r *Reply) error {
	if r.ID <= c.lastID {
		return fmt.Errorf("put was answered id %d after id %d on the same connection", r.ID, c.lastID)
	}
	c.lastID = r.ID
	l.tally.Inserted++
	if l.run.load.Kind == load.KindHop {
		c.ids = append(c.ids, r.ID)
	}
	return nil
}

// reserved checks a job that was handed out: ours, whole, the right one, and handed
// out for the first time, since no load of this program gives a job back.
func (l *loop) reserved(c *conn, r *Reply, now int64) error {
	if !l.run.payload.Intact(r.Body) {
		return fmt.Errorf("job %d came back with a body that was not put: %d bytes, %.40q", r.ID, len(r.Body), r.Body)
	}
	if !l.ledger.Mark(r.ID) {
		return fmt.Errorf("job %d was handed out twice", r.ID)
	}
	l.tally.reserved++
	if c.op == opReserveJob {
		// Replies come in the order of the commands: the batch's k-th job is the k-th.
		if want := c.ids[len(c.ids)-c.left]; r.ID != want {
			return fmt.Errorf("reserve-job %d gave job %d", want, r.ID)
		}
		return nil
	}
	c.ids = append(c.ids, r.ID)
	if !l.run.load.Stamped() {
		return nil
	}
	l.run.inFlight--
	if l.measuring && l.run.load.ByJob() {
		l.tally.ops[opJob]++
	}
	return l.delivered(r.ID, r.Body, now)
}

// delivered records how long a job took to reach its worker.
func (l *loop) delivered(id uint64, body []byte, now int64) error {
	l.run.came = now
	put := stampOf(body)
	if put <= 0 || put > now {
		return fmt.Errorf("job %d carries the time %d ns, which is not one of this run", id, put)
	}
	if l.inWindow(put) {
		l.tally.latency[opDelivery].Record(now-put, 1)
	}
	return nil
}
