package main

import (
	"math/rand/v2"
	"syscall"
)

// A conn is one connection of the load. It has at most one batch outstanding.
type conn struct {
	fd     int
	index  int // in its loop
	plan   plan
	random *rand.Rand

	// The batch outstanding.
	op   operation
	left int   // replies still to come; 0: none outstanding
	due  int64 // when the batch should have been sent; latencies count from here

	// What the plan keeps between batches.
	step int
	ids  []uint64 // jobs that are held, or that were put and are to be reserved
	tube []byte   // the tube used, where it changes
	echo []byte   // what an echo server has yet to send back

	lastID uint64 // ids of one connection's puts must rise
	slot   int64  // the next slot of the timetable, in an open loop
	paced  bool   // on the timetable
	idle   bool   // waits for its slot
	parked bool   // waits for jobs in flight to become fewer

	build []byte // requests are built here; kept until the batch is answered
	out   []byte // what the socket has not taken yet
	in    []byte // the start of a reply whose end has not arrived
}

func (c *conn) close() {
	if c.fd >= 0 {
		syscall.Close(c.fd)
		c.fd = -1
	}
}
