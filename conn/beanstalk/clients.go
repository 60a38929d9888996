package beanstalk

import (
	"context"
	"strings"

	"beanfield/conn"
)

// partLength is how many places of its table a loop goes through at a time, in some 60 µs:
// most of that is the system call for the address.
const partLength = 128

// Clients lists the clients, with what each of them holds according to held, which nobody changes meanwhile. It reports
// false if a loop has not got round to it when ctx ends.
func (s *Server) Clients(ctx context.Context, held map[any]int) (list []conn.Client, ok bool) {
	list = make([]conn.Client, 0, s.Connections())
	if !s.each(ctx, func(c *Conn) { list = append(list, c.show(held)) }) {
		return nil, false
	}
	return list, true
}

// Disconnect closes the connection of the client with this ID, as if it had hung up, and says whose it
// was. It reports false if there is no such client.
func (s *Server) Disconnect(ctx context.Context, id uint64) (_ conn.Client, ok bool) {
	var was []conn.Client
	if !s.each(ctx, func(c *Conn) {
		if c.id == id {
			was = append(was, c.show(nil))
			c.close()
		}
	}) || len(was) == 0 {
		return conn.Client{}, false
	}
	return was[0], true
}

// each has the loops visit their connections, part after part, so that meanwhile a loop serves its clients, and sleeps,
// as ever. It reports false if ctx ends before; then a visit may still come.
func (s *Server) each(ctx context.Context, visit func(*Conn)) bool {
	for _, l := range s.loops {
		for from, over := 0, false; !over; over = from == 0 {
			next := make(chan int, 1)
			l.ask(func() { next <- l.visit(from, visit) })
			select {
			case from = <-next:
			case <-l.done: // it has no clients any more
				from = 0
			case <-ctx.Done():
				return false
			}
		}
	}
	return true
}

// visit goes through a part of the loop's connections, from a place in its table on. It returns the place where to go
// on, or 0 after the last.
func (l *loop) visit(from int, visit func(*Conn)) (next int) {
	end := min(from+partLength, len(l.conns))
	for _, c := range l.conns[min(from, end):end] {
		if c != nil {
			visit(c)
		}
	}
	if end < len(l.conns) {
		return end
	}
	return 0
}

// errand is what another goroutine has a loop do.
type errand struct {
	run  func()
	next *errand
}

// ask has the loop run an errand. It rings its bell, unless its poller may be closed: another file may then have the
// number of the descriptor that wakes the loop.
func (l *loop) ask(run func()) {
	e := &errand{run: run}
	l.errands.Push(e, &e.next)
	l.server.bells.RLock()
	defer l.server.bells.RUnlock()
	if !l.server.closed {
		l.bell.Notify()
	}
}

// show is what there is to say of the client.
func (c *Conn) show(held map[any]int) conn.Client {
	g := conn.Client{ID: c.id, Peer: c.Peer(), TLS: c.tls != nil, Since: c.since, Asked: c.reads}
	if c.shaking() {
		g.Doing = conn.Shaking
		return g
	}
	if c.tls != nil && c.tls.Peer() != nil {
		g.Identity = c.tls.Peer().Subject
	}
	g.Held = held[c]
	g.Used, g.Watching, g.Watched = c.session.Used(), c.session.Watching(),
		strings.Join(c.session.SomeWatched(conn.WatchedMost), " ")
	switch {
	case c.stuck != nil:
		g.Doing = conn.Stuck
	case c.session.Waiting():
		g.Doing = conn.Waiting
	case c.call != callNone || c.listing != nil || c.put != nil || len(c.in) > 0:
		g.Doing = conn.Working
	}
	return g
}
