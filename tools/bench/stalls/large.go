package stalls

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"beanfield/tools/bench/generator"
	"beanfield/tools/bench/socket"
)

// large puts one job of the largest size on one connection, and reserves and deletes it
// on another. Its body repeats one block, so it need not be in memory.
type large struct {
	addr             string
	size             int
	block            []byte
	producer, worker *wire
	state            largeState
	head             []byte // what comes before the body, or after it, and is still to be sent
	at               int    // bytes of the body sent, or read
	id               uint64
	input            []byte
}

type largeState uint8

const (
	largePutting   largeState = iota // the request goes out
	largePut                         // it is to be answered
	largeReserving                   // the first line of the job is to come
	largeReading
	largeDeleting
	largeOver
)

// largeBlock is how much goes out at most before the neighbour is checked.
const largeBlock = 64 << 10

func (g *large) prepare(context.Context) error {
	// Two blocks, to begin anywhere in the first; a prime to see what is out of place.
	g.block = make([]byte, 2*largeBlock)
	for i := range g.block {
		g.block[i] = byte(i % largeBlock % 251)
	}
	g.input = make([]byte, largeBlock)
	g.state, g.at = largePutting, 0
	g.head = fmt.Appendf(nil, "put %d 0 %d %d\r\n", generator.JobPriority, crowdTTR, g.size)
	var err error
	if g.producer, err = g.dial(); err == nil {
		g.worker, err = g.dial()
	}
	return err
}

func (g *large) dial() (*wire, error) {
	fd, err := socket.Dial(g.addr)
	if err != nil {
		return nil, err
	}
	w := &wire{fd: fd}
	if err := generator.MoveTo(fd, disturbedTube); err != nil {
		w.close()
		return nil, err
	}
	return w, w.unblock()
}

func (g *large) begin() error { return nil }

func (g *large) step() (bool, error) {
	switch g.state {
	case largePutting:
		return g.put()
	case largePut:
		return g.inserted()
	case largeReserving:
		return g.reserved()
	case largeReading:
		return g.read()
	case largeDeleting:
		line, ok, err := g.worker.line()
		if ok && line != "DELETED" {
			err = fmt.Errorf("delete was answered %.80q", line)
		}
		if ok {
			g.state = largeOver
		}
		return ok, err
	}
	return false, nil
}

// put sends the command's line, the body, the line's end.
func (g *large) put() (bool, error) {
	if len(g.head) > 0 {
		n, err := g.producer.write(g.head)
		if g.head = g.head[n:]; len(g.head) == 0 && g.at == g.size {
			g.state = largePut
		}
		return n > 0, err
	}
	from := g.at % largeBlock
	n, err := g.producer.write(g.block[from : from+min(largeBlock, g.size-g.at)])
	if g.at += n; g.at == g.size {
		g.head = []byte("\r\n")
	}
	return n > 0, err
}

func (g *large) inserted() (bool, error) {
	line, ok, err := g.producer.line()
	if !ok || err != nil {
		return false, err
	}
	if g.id, ok = after(line, "INSERTED "); !ok {
		return false, fmt.Errorf("put was answered %.80q", line)
	}
	g.state = largeReserving
	return true, g.worker.send("reserve")
}

func (g *large) reserved() (bool, error) {
	line, ok, err := g.worker.line()
	if !ok || err != nil {
		return false, err
	}
	if line != fmt.Sprintf("RESERVED %d %d", g.id, g.size) {
		return false, fmt.Errorf("reserve was answered %.80q", line)
	}
	g.state, g.at = largeReading, 0
	first := g.worker.in
	g.worker.in = nil
	return true, g.arrived(first)
}

func (g *large) read() (bool, error) {
	n, err := g.worker.read(g.input)
	if n == 0 || err != nil {
		return false, err
	}
	return true, g.arrived(g.input[:n])
}

// arrived compares a piece of the body, and the line's end after it, with what was put.
func (g *large) arrived(b []byte) error {
	for len(b) > 0 && g.at < g.size {
		from := g.at % largeBlock
		n := min(len(b), largeBlock, g.size-g.at)
		if !bytes.Equal(b[:n], g.block[from:from+n]) {
			return fmt.Errorf("the body is not what was put, between %d and %d", g.at, g.at+n)
		}
		g.at, b = g.at+n, b[n:]
	}
	for _, x := range b {
		if g.at >= g.size+2 || x != "\r\n"[g.at-g.size] {
			return fmt.Errorf("the body is followed by %.80q", b)
		}
		g.at++
	}
	if g.at == g.size+2 {
		g.state = largeDeleting
		return g.worker.send(fmt.Sprintf("%s%d", generator.VerbDelete, g.id))
	}
	return nil
}

func (g *large) starts() time.Time { return time.Time{} }

func (g *large) over() bool { return g.state == largeOver }

func (g *large) end() {
	g.producer.close()
	g.worker.close()
}
