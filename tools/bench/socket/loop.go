//go:build linux

package socket

import (
	"fmt"
	"syscall"
)

// A Party is one end of a connection: it reads what comes.
type Party interface {
	// Take handles what has arrived, and tells how much of it was whole. The rest comes
	// again, with what follows it.
	Take(b []byte) (int, error)
}

// A Loop drives connections from one goroutine, and never blocks unless it is told to.
type Loop struct {
	epfd   int
	conns  []*Conn
	events []syscall.EpollEvent
	input  []byte // what a read brings; shared, since each piece is handled before the next read
}

// A Conn is a connection of a loop.
type Conn struct {
	loop  *Loop
	fd    int
	index int
	tls   *TLS // nil without TLS
	party Party
	out   []byte // what the socket has not taken yet
	in    []byte // the start of something whose end has not arrived
}

const loopInput = 256 << 10

// NewLoop makes a loop that serves so many connections at most between two looks.
func NewLoop(most int) (*Loop, error) {
	epfd, err := syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("epoll: %w", err)
	}
	return &Loop{epfd: epfd, events: make([]syscall.EpollEvent, most), input: make([]byte, loopInput)}, nil
}

// Add takes over a descriptor that never blocks, also where it fails.
func (l *Loop) Add(fd int, secured *TLS, party Party) (*Conn, error) {
	c := &Conn{loop: l, fd: fd, tls: secured, index: len(l.conns), party: party}
	l.conns = append(l.conns, c)
	if secured != nil {
		secured.fd = fd
	}
	return c, c.watch(syscall.EPOLL_CTL_ADD, syscall.EPOLLIN)
}

func (c *Conn) watch(op int, events uint32) error {
	ev := syscall.EpollEvent{Events: events, Fd: int32(c.index)}
	if err := syscall.EpollCtl(c.loop.epfd, op, c.fd, &ev); err != nil {
		return fmt.Errorf("epoll: %w", err)
	}
	return nil
}

// Close may be called again, and of a loop that was never made.
func (l *Loop) Close() {
	if l == nil || l.epfd < 0 {
		return
	}
	for _, c := range l.conns {
		syscall.Close(c.fd)
	}
	syscall.Close(l.epfd)
	l.epfd, l.conns = -1, nil
}

// Look waits at most ns nanoseconds for connections that have something to read or to
// write; 0 only looks. They are served one by one, or all.
func (l *Loop) Look(ns int64) (int, error) { return Wait(l.epfd, l.events, ns) }

// Found is the party of connection i of those that the last look has found.
func (l *Loop) Found(i int) Party { return l.conns[l.events[i].Fd].party }

// Serve does what there is to do on connection i of those that the last look has found.
func (l *Loop) Serve(i int) error {
	c, events := l.conns[l.events[i].Fd], l.events[i].Events
	if events&syscall.EPOLLOUT != 0 {
		if err := c.flush(); err != nil {
			return err
		}
	}
	if events&^uint32(syscall.EPOLLOUT) == 0 {
		return nil
	}
	if c.tls != nil {
		return c.readRecords()
	}
	n, e := Read(c.fd, l.input)
	switch {
	case e == syscall.EAGAIN || e == syscall.EINTR:
		return nil
	case e != 0:
		return fmt.Errorf("read: %w", e)
	case n == 0:
		if s, ok := c.party.(fmt.Stringer); ok {
			return fmt.Errorf("the server closed %v", s)
		}
		return fmt.Errorf("the server closed the connection of a %T", c.party)
	}
	return c.arrived(l.input[:n])
}

// readRecords reads all records that have come: epoll knows only of the socket.
func (c *Conn) readRecords() error {
	for {
		n, err := c.tls.Read(c.loop.input)
		if n > 0 {
			if err := c.arrived(c.loop.input[:n]); err != nil {
				return err
			}
		}
		switch {
		case err == ErrEmpty:
			return nil
		case err != nil:
			return fmt.Errorf("read: %w", err)
		}
	}
}

func (c *Conn) arrived(b []byte) error {
	kept := len(c.in) > 0
	if kept {
		c.in = append(c.in, b...)
		b = c.in
	}
	used, err := c.party.Take(b)
	if kept {
		c.in = c.in[:copy(c.in, b[used:])]
	} else {
		c.in = append(c.in, b[used:]...)
	}
	return err
}

// Send writes b. What the socket does not take is sent later, so the caller leaves b as it
// is until it is answered.
func (c *Conn) Send(b []byte) error {
	if c.tls != nil {
		b = c.tls.Seal(b)
	}
	if len(c.out) > 0 {
		c.out = append(c.out[:len(c.out):len(c.out)], b...)
		return nil
	}
	n, e := Write(c.fd, b)
	if e != 0 {
		if e != syscall.EAGAIN && e != syscall.EINTR {
			return fmt.Errorf("write: %w", e)
		}
		n = 0
	}
	if n == len(b) {
		return nil
	}
	c.out = b[n:]
	return c.watch(syscall.EPOLL_CTL_MOD, syscall.EPOLLIN|syscall.EPOLLOUT)
}

func (c *Conn) flush() error {
	n, e := Write(c.fd, c.out)
	if e != 0 {
		if e == syscall.EAGAIN || e == syscall.EINTR {
			return nil
		}
		return fmt.Errorf("write: %w", e)
	}
	if c.out = c.out[n:]; len(c.out) > 0 {
		return nil
	}
	return c.watch(syscall.EPOLL_CTL_MOD, syscall.EPOLLIN)
}
