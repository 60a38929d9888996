//go:build linux

package load

import (
	"strconv"
)

// An operation is one command with its reply.
type operation uint8

const (
	opPut operation = iota
	opReserve
	opDelete
	opUse
	opReserveJob
)

func (o operation) String() string {
	return [...]string{"put", "reserve", "delete", "use", "reserve-job"}[o]
}

// A plan is what a connection does, again and again: batches, each of which goes out in one write. The operations of a
// batch follow each other as often as the load's depth says, and those about jobs once for each job.
type plan [][]operation

var (
	cycle  = []operation{opPut, opReserve, opDelete}
	hop    = []operation{opUse, opPut, opReserveJob, opDelete}
	puts   = plan{{opPut}}
	worker = plan{{opReserve}, {opDelete}}
	holder = plan{{opReserve}}
)

// singly is one batch for each operation.
func singly(ops []operation) (p plan) {
	for i := range ops {
		p = append(p, ops[i:i+1])
	}
	return p
}

// plan gives connection i its plan, and its role.
func (r *run) plan(i int) (plan, role) {
	switch r.load.Kind {
	case Apart, Wake, WakeOne, Push, PushOne:
		if i < r.load.Producers {
			return puts, producer
		}
		return worker, taker
	case Put:
		return puts, alone
	case Reserve:
		return holder, keeper
	case Cycles:
		// What a reserve gives is not known before its reply, so each delete is of a job that the batch before
		// reserved; the first batch has no deletes, and the last nothing else.
		return plan{cycle}, alone
	case Hop:
		// A load that touches every tube without watching any.
		return singly(hop), alone
	}
	// A reserve never blocks: each connection has put a job for every reserve that it sends.
	return singly(cycle), alone
}

// A role says when a connection may go on, and when it may end.
type role uint8

const (
	alone    role = iota
	producer      // puts while fewer than the load's bound of jobs are in flight
	taker         // waits for jobs that others put, as long as that takes
	keeper        // reserves once, and keeps the job
)

// next builds the next batch, which counts from due. It returns false if nothing may be sent at present.
func (c *conn) next(due int64) bool {
	r := c.loop.run
	switch {
	case c.role == producer && (r.inFlight >= r.load.inFlight() || r.load.one() && due < r.came+onePause),
		c.role == keeper && len(c.ids) > 0:
		return false
	}
	pattern, n := c.plan[c.step], r.load.Depth
	if c.step++; c.step == len(c.plan) {
		c.step = 0
	}
	switch {
	case pattern[0] == opUse:
		n = 1
	case len(pattern) == 1 && pattern[0] >= opDelete, len(pattern) > 1 && c.ending:
		pattern, n = pattern[len(pattern)-1:], len(c.ids)
	case len(pattern) > 1 && len(c.ids) == 0:
		pattern = pattern[:len(pattern)-1]
	}
	if c.role == producer {
		r.inFlight += int64(n)
	}
	c.build = c.build[:0]
	for i := range n {
		for _, op := range pattern {
			c.command(op, i, due)
		}
	}
	if pattern[len(pattern)-1] == opDelete {
		// From now on it holds none: a reply that says otherwise ends the run.
		c.ids = c.ids[:0]
	}
	c.pattern, c.turn, c.left, c.due = pattern, 0, n*len(pattern), due
	return true
}

// command builds command i of a batch.
func (c *conn) command(op operation, i int, due int64) {
	b, r := c.build, c.loop.run
	switch op {
	case opPut:
		b = r.payload.append(b, c.random, due)
	case opReserve:
		b = append(b, "reserve\r\n"...)
	case opUse:
		prefix, n := loadPrefix, r.load.Tubes
		if r.load.BacklogIn == InSpread && r.load.Backlog > 0 {
			prefix, n = spreadPrefix, r.load.Backlog
		}
		c.tube = strconv.AppendInt(append(c.tube[:0], prefix...), int64(c.random.IntN(n)), 10)
		b = append(append(append(b, "use "...), c.tube...), "\r\n"...)
	case opReserveJob:
		b = appendCommand(b, "reserve-job ", c.ids[i])
	case opDelete:
		b = appendCommand(b, "delete ", c.ids[i])
	}
	c.build = b
}

func appendCommand(b []byte, verb string, id uint64) []byte {
	return append(strconv.AppendUint(append(b, verb...), id, 10), "\r\n"...)
}

// rests tells whether the connection may stop here and leave nothing half done. A taker may always be left: what it
// holds goes back to the queue when its connection closes. It stops once nothing is in flight any more.
func (c *conn) rests() bool {
	switch c.role {
	case keeper:
		return len(c.ids) > 0
	case taker:
		return len(c.ids) == 0 && c.loop.run.inFlight <= 0
	}
	return c.step == 0 && len(c.ids) == 0
}

// No other program uses these names.
const (
	loadPrefix   = "bench-"
	spreadPrefix = "bench-spread-"
	backlogTube  = "bench-backlog"
)

func tube(prefix string, i int) string { return prefix + strconv.Itoa(i) }
