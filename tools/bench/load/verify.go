//go:build linux

package load

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// consume takes what has arrived for one connection: every complete reply is compared with the batch outstanding, and
// the connection goes on when all of it is answered. It tells how much was complete.
func (l *loop) consume(c *conn, data []byte) (used int, err error) {
	now := l.run.now()
	all, timed := uint64(0), uint64(0) // replies, and those whose latency counts
	for used < len(data) {
		n, err := l.reply.parse(data[used:])
		if err != nil {
			return used, err
		}
		if n == 0 {
			break
		}
		if c.left == 0 {
			return used, fmt.Errorf("the server sent a reply that nothing asked for: %.80q", l.reply.line)
		}
		op := c.op()
		if err := l.accept(c, op, &l.reply, now); err != nil {
			return used, err
		}
		used += n
		all++
		// How long a reserve waits depends on who puts; the delivery is measured instead.
		if op != opReserve || !l.run.load.apart() {
			timed++
		}
		c.passed()
	}
	if all == 0 {
		return used, nil
	}
	if l.measuring && !l.run.load.byJob() {
		l.tally.ops += all
	}
	if l.inWindow(c.due) {
		l.tally.commands.Record(now-c.due, timed)
	}
	switch {
	case c.left > 0:
		return used, nil
	case used < len(data):
		return used, fmt.Errorf("the server sent bytes that nothing asked for: %.80q", data[used:])
	}
	if (l.run.load.Kind == Put || l.run.load.Whole) && l.tally.inserted >= int64(l.run.load.MaxJobs) {
		l.run.end = min(now, l.run.end) // before its time
		l.phase(now)
	}
	return used, l.goOn(c, now)
}

// inWindow decides what is recorded. At full speed, what is answered during the measurement. On a timetable, what was
// due during it, however late its answer came: otherwise a stall at the end would go unseen.
func (l *loop) inWindow(due int64) bool {
	if l.run.step > 0 {
		return due >= l.run.begin && due < l.run.end
	}
	return l.measuring
}

// accept compares one reply with the command that it answers.
func (l *loop) accept(c *conn, op operation, r *reply, now int64) error {
	switch {
	case op == opPut && r.word == wordInserted:
		return l.inserted(c, r)
	case (op == opReserve || op == opReserveJob) && r.word == wordReserved:
		return l.reserved(c, op, r, now)
	case op == opDelete && r.word == wordDeleted:
		l.tally.deleted++
		return nil
	case op == opUse && r.word == wordUsing && bytes.Equal(r.line[len("USING "):], c.tube):
		return nil
	}
	return fmt.Errorf("%v was answered %.80q", op, r.line)
}

func (l *loop) inserted(c *conn, r *reply) error {
	if r.id <= c.lastID {
		return fmt.Errorf("put was answered id %d after id %d on the same connection", r.id, c.lastID)
	}
	c.lastID = r.id
	l.tally.inserted++
	if l.run.load.Kind == Hop {
		c.ids = append(c.ids, r.id)
	}
	return nil
}

// reserved checks a job that was handed out.
func (l *loop) reserved(c *conn, op operation, r *reply, now int64) error {
	if err := l.came(r.id, r.body, now); err != nil {
		return err
	}
	if op == opReserveJob {
		// Replies come in the order of the commands: the batch's k-th job is the k-th.
		if want := c.ids[len(c.ids)-c.left]; r.id != want {
			return fmt.Errorf("reserve-job %d gave job %d", want, r.id)
		}
		return nil
	}
	c.ids = append(c.ids, r.id)
	if l.run.load.stamped() {
		l.run.inFlight--
		if l.measuring && l.run.load.byJob() {
			l.tally.ops++
		}
	}
	return nil
}

// came checks a job that has come: it is ours, whole, and comes for the first time, since no load of this program
// gives a job back. It records how long the job took to reach its worker, if the job has the time when it was put.
func (l *loop) came(id uint64, body []byte, now int64) error {
	if !l.run.payload.Intact(body) {
		return fmt.Errorf("job %d came with a body that was not put: %d bytes, %.40q", id, len(body), body)
	}
	if !l.ledger.Mark(id) {
		return fmt.Errorf("job %d was handed out twice", id)
	}
	if !l.run.load.stamped() {
		return nil
	}
	l.run.came = now
	put := int64(binary.LittleEndian.Uint64(body))
	if put <= 0 || put > now {
		return fmt.Errorf("job %d carries the time %d ns, which is not one of this run", id, put)
	}
	if l.inWindow(put) {
		l.tally.deliveries.Record(now-put, 1)
	}
	return nil
}
