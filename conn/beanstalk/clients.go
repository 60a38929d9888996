package beanstalk

import (
	"context"
	"strings"

	"beanfield/conn"
	"beanfield/conn/beanstalk/event"
)

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
			c.Close()
		}
	}) || len(was) == 0 {
		return conn.Client{}, false
	}
	return was[0], true
}

// each has the loops visit their connections.
func (s *Server) each(ctx context.Context, visit func(*Conn)) bool {
	return s.group.Each(ctx, func(c event.Client) { visit(c.(*Conn)) })
}

// show is what there is to say of the client.
func (c *Conn) show(held map[any]int) conn.Client {
	g := conn.Client{ID: c.id, Peer: c.Peer(), TLS: c.TLS() != nil, Since: c.since, Asked: c.reads}
	if c.Shaking() {
		g.Doing = conn.Shaking
		return g
	}
	if c.TLS() != nil && c.TLS().Peer() != nil {
		g.Identity = c.TLS().Peer().Subject
	}
	g.Held = held[c]
	g.Used, g.Watching, g.Watched = c.session.Used(), c.session.Watching(),
		strings.Join(c.session.SomeWatched(conn.WatchedMost), " ")
	switch {
	case c.Stuck():
		g.Doing = conn.Stuck
	case c.session.Waiting():
		g.Doing = conn.Waiting
	case c.call != callNone || c.listing != nil || c.put != nil || len(c.In) > 0:
		g.Doing = conn.Working
	}
	return g
}
