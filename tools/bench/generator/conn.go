package generator

import (
	"fmt"
	"math/rand/v2"

	"beanfield/tools/bench/socket"
)

// A conn is one connection of the load. It has at most one batch outstanding.
type conn struct {
	loop   *loop
	wire   *socket.Conn
	plan   plan
	random *rand.Rand

	// The batch outstanding.
	op      operation // what the next reply answers
	left    int       // replies still to come; 0: none outstanding
	due     int64     // when the batch should have been sent; latencies count from here
	pattern []operation
	turn    int // of op in the pattern

	// What the plan keeps between batches.
	step   int
	ids    []uint64 // jobs that are held, or that were put and are to be reserved
	tube   []byte   // the tube used, where it changes
	ending bool     // begins nothing new

	lastID uint64 // ids of one connection's puts must rise
	slot   int64  // the next slot of the timetable, in an open loop
	paced  bool   // on the timetable
	idle   bool   // waits for its slot
	parked bool   // waits until fewer jobs are in flight

	build []byte // requests are built here; kept until the batch is answered
}

// outstanding notes the batch whose replies are awaited from now on.
func (c *conn) outstanding(req request, due int64) {
	c.op, c.left, c.due = req.op, req.n, due
	c.pattern, c.turn = req.pattern, 0
}

// passed goes on to the next reply.
func (c *conn) passed() {
	c.left--
	if c.pattern == nil {
		return
	}
	if c.turn++; c.turn == len(c.pattern) {
		c.turn = 0
	}
	c.op = c.pattern[c.turn]
}

// Take takes what has arrived.
func (c *conn) Take(b []byte) (int, error) { return c.loop.consume(c, b) }

func (c *conn) String() string {
	return fmt.Sprintf("a connection that awaited %d replies to %v", c.left, c.op)
}
