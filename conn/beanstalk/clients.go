package beanstalk

import (
	"context"
	"strings"

	"beanfield/conn"
)

// partLength is how many places of its table a loop goes through at a time, in some 60 µs:
// most of that is the system call for the address.
const partLength = 128

// Clients lists the clients, with what each of them holds according to held. It reports false
// if a loop has not got round to it when ctx ends.
func (s *Server) Clients(ctx context.Context, held map[any]int) (list []conn.Client, ok bool) {
	return s.parts(ctx, make([]conn.Client, 0, s.Connections()), part{held: held})
}

// Disconnect closes the connection of the client with this ID, as if it had hung up, and says whose it
// was. It reports false if there is no such client.
func (s *Server) Disconnect(ctx context.Context, id uint64) (g conn.Client, ok bool) {
	if list, _ := s.parts(ctx, nil, part{only: &id}); len(list) > 0 {
		return list[0], true
	}
	return g, false
}

// parts asks the loops for part after part, so that meanwhile a loop serves its clients, and sleeps,
// as ever.
func (s *Server) parts(ctx context.Context, list []conn.Client, of part) (_ []conn.Client, ok bool) {
	for _, l := range s.loops {
		for p := (&part{}); ; {
			p = &part{held: of.held, only: of.only, from: p.on, done: make(chan struct{})}
			l.ask(p)
			select {
			case <-p.done:
				list = append(list, p.list...)
			case <-l.done: // it has no clients any more
			case <-ctx.Done():
				return nil, false
			}
			if p.on == 0 {
				break
			}
		}
	}
	return list, true
}

// ask has the loop make a part, and rings its bell.
func (l *loop) ask(p *part) {
	l.parts.Push(p, &p.next)
	l.ring()
}

// ring wakes the loop, unless its poller may be closed: another file may then have the number of
// the descriptor that wakes it.
func (l *loop) ring() {
	l.server.bells.RLock()
	defer l.server.bells.RUnlock()
	if !l.server.closed {
		l.bell.Notify()
	}
}

// makeParts makes the parts that have been asked for.
func (l *loop) makeParts() {
	for p := l.parts.Take(); p != nil; p = p.next {
		if p.of != nil {
			l.locate(p)
			continue
		}
		end := min(p.from+partLength, len(l.conns))
		for _, c := range l.conns[min(p.from, end):end] {
			if c == nil || p.only != nil && *p.only != c.id {
				continue
			}
			p.list = append(p.list, c.show(p.held))
			if p.only != nil {
				c.close()
			}
		}
		if end < len(l.conns) {
			p.on = end
		}
		close(p.done)
	}
}

// locate says where some of the loop's clients are.
func (l *loop) locate(p *part) {
	for c := range p.of {
		if !c.closed {
			p.of[c] = c.Peer().String()
		}
	}
	p.tell()
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
