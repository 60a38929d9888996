package beanstalk

import (
	"context"

	"beanfield/conn"
)

// roll is a list of a loop's clients in the making. The loop goes through its table in
// parts, and serves others in between.
type roll struct {
	ctx   context.Context
	held  map[any]int // nobody changes it meanwhile
	at    int         // in the loop's table
	parts [][]conn.Client
	done  chan struct{}
	next  *roll
}

// rollShare is how many places of its table a loop goes through at a time, in some 60 µs:
// most of that is the system call for the address.
const rollShare = 128

// Clients lists the clients, with what each of them holds according to held. It reports false
// if a loop has not got round to it when ctx ends.
func (s *Server) Clients(ctx context.Context, held map[any]int) (list []conn.Client, ok bool) {
	rolls := make([]*roll, len(s.loops))
	for i, l := range s.loops {
		rolls[i] = &roll{ctx: ctx, held: held, done: make(chan struct{})}
		l.ask(rolls[i])
	}
	for i, r := range rolls {
		select {
		case <-r.done:
		case <-s.loops[i].done:
			continue // it has no clients any more
		case <-ctx.Done():
			return nil, false
		}
		for _, part := range r.parts {
			list = append(list, part...)
		}
	}
	return list, ctx.Err() == nil
}

// ask has the loop call a roll. Its bell rings as a connection does that wants to be served.
func (l *loop) ask(r *roll) {
	for {
		r.next = l.rolls.Load()
		if l.rolls.CompareAndSwap(r.next, r) {
			break
		}
	}
	l.ring()
}

// ring wakes the loop, unless its poller may be closed: to wake it would write into whatever
// file has got the number of the descriptor.
func (l *loop) ring() {
	l.server.bells.RLock()
	defer l.server.bells.RUnlock()
	if !l.server.closed {
		l.bell.Notify()
	}
}

// callRoll goes on with the rolls that have been asked for.
func (l *loop) callRoll() {
	if l.roll == nil {
		l.roll = l.rolls.Swap(nil)
	}
	r := l.roll
	if r == nil {
		return
	}
	end := min(r.at+rollShare, len(l.conns))
	if r.ctx.Err() != nil {
		end = len(l.conns) // nobody waits for it
	} else {
		var part []conn.Client
		for _, c := range l.conns[r.at:end] {
			if c != nil {
				part = append(part, c.show(r.held))
			}
		}
		r.parts = append(r.parts, part)
	}
	if r.at = end; r.at == len(l.conns) {
		l.roll = r.next
		close(r.done)
	} else {
		l.stepBack() // the loop does not sleep until the roll is complete
	}
	l.bell.Notify() // there may be more
}

// show is what there is to say of the client.
func (c *Conn) show(held map[any]int) conn.Client {
	g := conn.Client{Peer: conn.PeerOf(c.fd), TLS: c.wire != nil, Since: c.since, Asked: c.reads}
	if c.shaking() {
		g.Doing = conn.Shaking
		return g
	}
	if c.wire != nil && c.wire.peer != nil {
		g.Identity = c.wire.peer.Subject
	}
	g.Held = held[c]
	g.Used, g.Watching, g.Watched = c.session.Used(), c.session.Watching(), c.session.FirstWatched()
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
