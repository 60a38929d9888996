package generator

import (
	"bytes"
	"math/rand/v2"
	"strconv"

	"beanfield/tools/bench/load"
	"beanfield/tools/bench/talk"
)

// An operation is one command with its reply; each kind has its own latencies.
type operation uint8

const (
	opPut operation = iota
	opReserve
	opDelete
	opUse
	opReserveJob
	opJob // a job that was put and delivered, where that is what counts
	operations

	// A delivery is not a command: the time from a put to the arrival of the job at a worker.
	opDelivery
	measured
)

func (o operation) String() string {
	return [...]string{"put", "reserve", "delete", "use", "reserve-job", "job", "", "delivery"}[o]
}

// A request is a batch of n commands: all are op, or, where there is a pattern, they
// follow it again and again.
type request struct {
	op      operation
	n       int
	bytes   []byte      // not changed until the batch is answered
	pattern []operation // nil: equal commands
}

// cycleCommands is the pattern of whole cycles.
var cycleCommands = []operation{opPut, opReserve, opDelete}

// A plan decides what a connection sends next, once the batch before is answered. It
// keeps its state in the connection (step, ids), so connections share plans.
type plan interface {
	// next builds the next batch. due is the time it counts from. false: nothing
	// may be sent at present.
	next(c *conn, due int64) (request, bool)
	// rest tells whether the connection may stop here and leave nothing half done.
	rest(c *conn) bool
}

// requests are the batches that are the same for every connection.
type requests struct {
	load     *load.Load
	payload  *Payload
	reserves []byte
	key      uint64 // the last one: they count up from the run's beginning, so that no other run had them
}

func newRequests(ld *load.Load) *requests {
	return &requests{
		load:     ld,
		payload:  NewPayload(ld.Body, ld.Depth, ld.Seed),
		reserves: bytes.Repeat([]byte("reserve\r\n"), ld.Depth),
	}
}

// puts is a batch of n puts, stamped with t where the load wants that.
func (q *requests) puts(c *conn, n int, t int64) request {
	stamped := q.load.Stamped()
	if q.payload.batch != nil && !stamped && !q.load.Keyed && n == q.load.Depth {
		return request{op: opPut, n: n, bytes: q.payload.batch}
	}
	c.build = c.build[:0]
	for range n {
		i := q.draw(c)
		switch {
		case stamped:
			c.build = q.payload.appendStamped(c.build, i, t)
		case q.load.Keyed:
			q.key++
			c.build = q.payload.appendKeyed(c.build, i, JobPriority, 'k', q.key)
		default:
			c.build = append(c.build, q.payload.single[i]...)
		}
	}
	return request{op: opPut, n: n, bytes: c.build}
}

// draw chooses among the puts of different sizes.
func (q *requests) draw(c *conn) int {
	if len(q.payload.single) == 1 {
		return 0
	}
	return c.random.IntN(len(q.payload.single))
}

// forIDs is a batch of one command for each job that the connection holds.
func forIDs(c *conn, op operation, verb string) request {
	c.build = c.build[:0]
	for _, id := range c.ids {
		c.build = talk.AppendCommand(c.build, verb, id)
	}
	return request{op: op, n: len(c.ids), bytes: c.build}
}

// deletes is a batch that deletes every job that the connection holds. From then on it
// holds none: a reply that says otherwise ends the run.
func deletes(c *conn) request {
	req := forIDs(c, opDelete, talk.VerbDelete)
	c.ids = c.ids[:0]
	return req
}

// putPlan puts until the run ends.
type putPlan struct{ *requests }

func (p putPlan) next(c *conn, due int64) (request, bool) { return p.puts(c, p.load.Depth, due), true }

func (p putPlan) rest(c *conn) bool { return true }

// cyclePlan puts jobs, reserves as many, and deletes them. A reserve never blocks: each
// connection has put a job for every reserve it sends.
type cyclePlan struct{ *requests }

func (p cyclePlan) next(c *conn, due int64) (request, bool) {
	step := c.step
	c.step = (c.step + 1) % 3
	switch step {
	case 0:
		c.ids = c.ids[:0]
		return p.puts(c, p.load.Depth, due), true
	case 1:
		return request{op: opReserve, n: p.load.Depth, bytes: p.reserves}, true
	default:
		return deletes(c), true
	}
}

func (p cyclePlan) rest(c *conn) bool { return c.step == 0 }

// cyclesPlan sends whole cycles in one write: put, reserve, delete, and again. What a
// reserve gives is not known before its reply, so each delete is of a job that the
// batch before reserved; the first batch has no deletes, and the last nothing else.
type cyclesPlan struct{ *requests }

func (p cyclesPlan) next(c *conn, due int64) (request, bool) {
	if c.ending {
		return deletes(c), true
	}
	held := c.ids
	c.build = c.build[:0]
	for i := range p.load.Depth {
		c.build = append(c.build, p.payload.single[p.draw(c)]...)
		c.build = append(c.build, "reserve\r\n"...)
		if len(held) > 0 {
			c.build = talk.AppendCommand(c.build, talk.VerbDelete, held[i])
		}
	}
	pattern := cycleCommands
	if len(held) == 0 {
		pattern = cycleCommands[:2]
	}
	c.ids = c.ids[:0]
	return request{op: pattern[0], n: p.load.Depth * len(pattern), bytes: c.build, pattern: pattern}, true
}

func (p cyclesPlan) rest(c *conn) bool { return len(c.ids) == 0 }

// hopPlan uses a tube drawn at random, puts there, reserves those jobs by their ids
// and deletes them: a load that touches every tube without watching any.
type hopPlan struct{ *requests }

func (p hopPlan) next(c *conn, due int64) (request, bool) {
	step := c.step
	c.step = (c.step + 1) % 4
	switch step {
	case 0:
		c.ids = c.ids[:0]
		c.tube = appendHopTube(c.tube[:0], c.random, p.load)
		c.build = append(append(append(c.build[:0], "use "...), c.tube...), "\r\n"...)
		return request{op: opUse, n: 1, bytes: c.build}, true
	case 1:
		return p.puts(c, p.load.Depth, due), true
	case 2:
		return forIDs(c, opReserveJob, "reserve-job "), true
	default:
		return deletes(c), true
	}
}

func (p hopPlan) rest(c *conn) bool { return c.step == 0 }

// appendHopTube draws one of the tubes of a spread backlog, or, where there is none, of
// those under load.
func appendHopTube(buf []byte, r *rand.Rand, ld *load.Load) []byte {
	if ld.BacklogIn == load.BacklogSpread && ld.Backlog > 0 {
		return appendTube(buf, spreadPrefix, r.IntN(ld.Backlog))
	}
	return appendTube(buf, loadPrefix, r.IntN(ld.Tubes))
}

// No other program uses these names, so a load can be removed from a server that has
// other users.
const (
	loadPrefix   = "bench-"
	spreadPrefix = "bench-spread-"
	backlogTube  = "bench-backlog"
)

func appendTube(buf []byte, prefix string, i int) []byte {
	return strconv.AppendInt(append(buf, prefix...), int64(i), 10)
}

func loadTube(i int) string { return string(appendTube(nil, loadPrefix, i)) }

// producerPlan puts while fewer than the load's bound of jobs are in flight.
type producerPlan struct {
	*requests
	run *run
}

func (p producerPlan) next(c *conn, due int64) (request, bool) {
	if p.run.inFlight >= p.load.InFlight() || p.load.One() && due < p.run.came+onePause {
		return request{}, false
	}
	n := p.load.Depth
	p.run.inFlight += int64(n)
	return p.puts(c, n, due), true
}

func (p producerPlan) rest(c *conn) bool { return true }

// workerPlan reserves, waits as long as that takes, and deletes.
type workerPlan struct {
	*requests
	run *run
}

func (p workerPlan) next(c *conn, due int64) (request, bool) {
	if len(c.ids) > 0 {
		return deletes(c), true
	}
	return request{op: opReserve, n: p.load.Depth, bytes: p.reserves}, true
}

// A worker may always be left: what it holds goes back to the queue when its
// connection closes. It stops once nothing is in flight any more.
func (p workerPlan) rest(c *conn) bool { return len(c.ids) == 0 && p.run.inFlight <= 0 }

// reservePlan reserves once, and keeps the job.
type reservePlan struct{ *requests }

func (p reservePlan) next(c *conn, due int64) (request, bool) {
	return request{op: opReserve, n: p.load.Depth, bytes: p.reserves}, len(c.ids) == 0
}

func (p reservePlan) rest(c *conn) bool { return len(c.ids) > 0 }

// plan gives connection i its plan.
func (r *run) plan(i int, q *requests) plan {
	switch r.load.Kind {
	case load.KindApart, load.KindWake, load.KindWakeOne, load.KindPush, load.KindPushOne:
		if i < r.load.Producers {
			return producerPlan{q, r}
		}
		return workerPlan{q, r}
	case load.KindPut:
		return putPlan{q}
	case load.KindReserve:
		return reservePlan{q}
	case load.KindCycles:
		return cyclesPlan{q}
	case load.KindHop:
		return hopPlan{q}
	default:
		return cyclePlan{q}
	}
}
