package main

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"sync/atomic"

	"beanfield/cmd/beanfield/config"
	"beanfield/cmd/beanfield/listeners"
	"beanfield/conn"
	"beanfield/conn/beanstalk"
	"beanfield/conn/forward"
	"beanfield/storage/cluster"
)

// passing is how a node takes clients while another one serves, and takes those that others pass on to it. A node
// that refuses clients then has none, and all methods do nothing.
type passing struct {
	forwarder *forward.Forwarder
	link      *forward.Link // nil if there is no address for it
	owner     atomic.Pointer[string]
	changed   chan struct{} // holds a token when owner is another one
	broken    chan error    // the first listener that has failed
}

// startPassing makes it, for clients that the acceptor of the process lets in, and opens the link. A node without a
// link passes clients on, and takes none.
func (f *fronts) startPassing(c *config.Config) error {
	of := forward.Cluster{Name: c.Cluster.Name, Node: c.Cluster.Node, Secret: c.Cluster.Secret, Cert: c.Cluster.Cert,
		Key: c.Cluster.Key, CA: c.Cluster.CA}
	forwarder, err := forward.New(forward.Options{Cluster: of, Wait: c.Cluster.Wait, Loops: c.Loops,
		Left: f.acceptor.Left, Logger: f.log})
	if err != nil {
		return err
	}
	p := &passing{forwarder: forwarder, changed: make(chan struct{}, 1), broken: make(chan error, 1)}
	f.passing = p
	host, port := c.Cluster.Nodes[c.Cluster.Node].Host, c.Cluster.Nodes[c.Cluster.Node].Port+1
	o := forward.LinkOptions{Cluster: of, Loops: c.Loops, Logger: f.log}
	if p.link, err = forward.Listen(net.JoinHostPort(host, strconv.Itoa(port)), o); err != nil {
		if p.link, _ = forward.Listen(net.JoinHostPort(host, "0"), o); p.link != nil {
			f.log.Warn("clients that other nodes pass on come to another port than the one after that of cluster.nodes: "+
				"no firewall may be in between", "address", p.link.Address(), "error", err)
		} else {
			f.log.Error("other nodes can pass no clients on to this one", "error", err)
		}
	}
	return nil
}

// port is that of the link, or 0.
func (p *passing) port() int {
	if p == nil || p.link == nil {
		return 0
	}
	at, _ := netip.ParseAddrPort(p.link.Address())
	return int(at.Port())
}

// serves is told at which address the node that serves takes clients. It does not wait.
func (p *passing) serves(link string) {
	if p != nil {
		p.owner.Store(&link)
		ask(p.changed)
	}
}

// follow tells the forwarder, until ctx ends.
func (p *passing) follow(ctx context.Context) {
	for {
		select {
		case <-p.changed:
			p.forwarder.Owner(*p.owner.Load())
		case <-ctx.Done():
			return
		}
	}
}

// leads says that clients are passed on to a node that is heard to serve.
func (p *passing) leads() bool {
	if p == nil {
		return false
	}
	at := p.owner.Load()
	return at != nil && *at != ""
}

// local says that this process serves clients, or that it serves them no more: when it returns, nobody else is given to
// the service that did.
func (p *passing) local(h forward.Host) {
	if p == nil {
		return
	}
	p.forwarder.Local(h)
	if p.link != nil {
		p.link.Local(h)
	}
}

// count adds how many clients are passed on, or wait for that.
func (p *passing) count(connections map[string]int) map[string]int {
	if p != nil {
		connections[listeners.Forward] = p.forwarder.Open()
	}
	return connections
}

// failed hears of a listener that fails.
func (p *passing) failed() <-chan error {
	if p == nil {
		return nil
	}
	return p.broken
}

// close closes all clients that are passed on, to this node and from it, when the front ends have closed theirs.
func (p *passing) close(ctx context.Context) error {
	if p == nil {
		return nil
	}
	p.forwarder.Close(ctx)
	if p.link == nil {
		return nil
	}
	return p.link.Close(ctx)
}

// way is the front end of a listener that is open all the time.
type way struct {
	conn.FrontEnd // of the forwarder
	fronts        *fronts
	entrance      forward.Entrance
}

// Room implements conn.Hesitant: while this process serves, its own front end may want no clients.
func (w way) Room() <-chan struct{} {
	if w.fronts.now.Load() == nil {
		return nil
	}
	return w.fronts.room(w.entrance)
}

// room is what front ends say of clients of an entrance (conn.Hesitant): there may be too many handshakes.
func (f *fronts) room(e forward.Entrance) <-chan struct{} {
	if e.TLS {
		return f.keeper.Room()
	}
	return nil
}

// take serves a listener's clients at all times.
func (f *fronts) take(l net.Listener) {
	e := listeners.EntranceOf(l)
	if s, ok := l.(listeners.Special); ok {
		l = s.Listener
	}
	if err := f.acceptor.Serve(l, way{f.passing.forwarder.Over(e), f, e}); err != nil {
		select {
		case f.passing.broken <- fmt.Errorf("cannot take clients any more: %w", err):
		default:
		}
	}
}

// frontFor is the service's own front end for clients of an entrance, of whatever node.
func (s *service) frontFor(e forward.Entrance) (conn.FrontEnd, error) {
	own, err := listeners.Same(s.listeners, e)
	if err != nil {
		return nil, err
	}
	certs := listeners.CertsOf(own)
	if e.Front == listeners.Beanstalk {
		return s.beanstalk.Door(beanstalk.Door{Certificates: certs, Login: e.Login, HTTP: e.HTTP}), nil
	}
	if e.Front != listeners.Queue || s.queue == nil {
		return nil, fmt.Errorf("clients of the front end %q are not passed on", e.Front)
	}
	at := &net.TCPAddr{}
	if e.Local {
		at.IP = net.IPv6loopback
	}
	return s.queue.Over(at, certs), nil
}

// Take implements forward.Host. Whether there is room for a client of this node's own, its acceptor has asked, and
// counts it since.
func (s *service) Take(e forward.Entrance, socket int, from *conn.Peer, done <-chan struct{}) error {
	f, err := s.frontFor(e)
	switch {
	case err != nil:
		return err
	case from == nil:
		f.Welcome(socket, nil)
		return nil
	}
	for room := s.room(e); room != nil; room = s.room(e) {
		if done == nil {
			return forward.ErrNotServing
		}
		select {
		case <-room:
		case <-done:
			return forward.ErrNotServing
		}
	}
	if !s.acceptor.Admit(f, socket, from, done) {
		return forward.ErrNotServing
	}
	return nil
}

// addresses are what this node tells the others.
func (f *fronts) addresses(c *config.Config) cluster.Addresses {
	return cluster.Addresses{Link: f.passing.port(), Console: f.consoleURL(c)}
}
