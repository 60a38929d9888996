//go:build linux

package load

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
	role   role
	random *rand.Rand

	// The batch outstanding.
	left    int         // replies still to come; 0: none outstanding
	due     int64       // when the batch should have been sent; latencies count from here
	pattern []operation // of its commands
	turn    int         // of the next reply in the pattern

	// What the plan keeps between batches.
	step   int
	ids    []uint64 // jobs that are held, or that were put and are to be reserved
	tube   []byte   // the tube used, where it changes
	ending bool     // begins nothing new

	lastID uint64 // ids of one connection's puts must rise
	slot   int64  // the next slot of the timetable, where there is one
	waits  bool   // for its slot, or until fewer jobs are in flight

	build []byte // requests are built here; kept until the batch is answered
}

// op is what the next reply answers.
func (c *conn) op() operation { return c.pattern[c.turn] }

// passed goes on to the next reply.
func (c *conn) passed() {
	c.left--
	if c.turn++; c.turn == len(c.pattern) {
		c.turn = 0
	}
}

// Take takes what has arrived.
func (c *conn) Take(b []byte) (int, error) { return c.loop.consume(c, b) }

func (c *conn) String() string { return fmt.Sprintf("a connection that awaited %d replies", c.left) }
