package forward

import (
	"context"
	"errors"
	"syscall"
	"time"

	"beanfield/conn"
	"beanfield/conn/socket"
)

// line has the clients of a loop that are not joined: they wait for an owner, or are being passed on to it. Its loop
// alone touches it.
type line struct {
	*loop
	forwarder *Forwarder
	share     int // how many may be passed on at once

	waiting list // by when they have come
	shaking int
	host    Host   // this process, while it serves
	owner   string // the address of the link of the node that serves; "" if nobody is heard to
	term    context.Context
	endTerm context.CancelFunc // term is that of the owner, and ends with it
	retryAt int64              // nobody is passed on before
	pause   time.Duration      // how long the last pause was
}

const (
	// mostShakes is how many clients are passed on at once, over all loops.
	mostShakes = 64
	// shakeFor is how long it may take to pass a client on.
	shakeFor = 5 * time.Second
	// After a failure nobody is passed on for firstPause, and then for twice the last pause.
	firstPause, longestPause = 100 * time.Millisecond, time.Second
)

// arrive takes a client in.
func (n *line) arrive(p *pair) {
	n.open++
	p.at = n.now
	if err := n.watch(p, &p.client); err != nil {
		n.forwarder.failures.warn(n.forwarder.log, "a client cannot be watched", "error", err)
		n.end(p)
		return
	}
	n.waiting.add(p)
	if n.stopping {
		n.end(p)
	}
	n.serve()
}

// serve passes on those who wait, as far as that can be done now.
func (n *line) serve() {
	for n.now >= n.retryAt && n.waiting.first != nil {
		switch {
		case n.host != nil:
			n.give(n.waiting.first)
		case n.owner != "" && n.shaking < n.share:
			n.begin(n.waiting.first)
		default:
			return
		}
	}
}

// give gives a client to this process' own host.
func (n *line) give(p *pair) {
	n.poll.Remove(p.client.fd)
	err := n.host.Take(p.door.entrance, p.client.fd, nil)
	switch {
	case err == nil:
		n.pause = 0
		n.forget(&p.client)
		p.client.fd = -1
		n.end(p)
	case errors.Is(err, ErrNotServing):
		n.poll.Add(p.client.fd)
		n.rest()
	default:
		n.refuse(p, "this node", err)
	}
}

func (n *line) refuse(p *pair, node string, err error) {
	n.forwarder.refusals.warn(n.forwarder.log, "a client is refused", "by", node, "error", err, "front",
		p.door.entrance.Front, "client", conn.PeerOf(p.client.fd))
	n.end(p)
}

// rest has nobody passed on for a while. Many may fail at once: that is one failure.
func (n *line) rest() {
	if n.now < n.retryAt {
		return
	}
	n.pause = min(max(firstPause, 2*n.pause), longestPause)
	n.retryAt = n.now + int64(n.pause)
}

// begin begins to pass a client on.
func (n *line) begin(p *pair) {
	n.waiting.remove(p)
	p.state = shaking
	n.shaking++
	until := min(p.at+n.forwarder.wait.Load(), n.now+int64(shakeFor))
	ctx, cancel := context.WithDeadline(n.term, n.start.Add(time.Duration(until)))
	f, term, owner, e, from := n.forwarder, n.term, n.owner, p.door.entrance, conn.PeerOf(p.client.fd)
	go func() {
		defer cancel()
		link, err := f.proofs.pass(ctx, owner, e, from)
		n.post(func() { n.passed(p, term, link, err) })
	}()
}

// passed goes on with a client after an attempt to pass it on, in a term.
func (n *line) passed(p *pair, term context.Context, link end, err error) {
	n.shaking--
	var no *refusal
	switch {
	case err == nil && (p.state == over || term != n.term):
		syscall.Close(link.fd)
	case err == nil:
		n.pause = 0
		p.link = link
		n.join(p)
	case term != n.term || p.state == over:
	case errors.As(err, &no):
		n.refuse(p, n.owner, err)
	default:
		if !errors.Is(err, ErrNotServing) {
			n.forwarder.failures.warn(n.forwarder.log, "clients cannot be passed on", "to", n.owner, "error", err)
		}
		n.rest()
	}
	if p.state == shaking {
		p.state = waiting
		n.waiting.add(p)
	}
	n.serve()
}

// stirred is called when the socket of a client that is not joined has an event. Whoever has left after it has sent
// something cannot be told from one that only sends no more (FW2).
func (n *line) stirred(p *pair, events uint32) {
	var b [1]byte
	m, err := socket.Peek(p.client.fd, b[:])
	if m == 0 && err != syscall.EAGAIN && err != syscall.EINTR || events&(syscall.EPOLLHUP|syscall.EPOLLERR) != 0 {
		n.end(p)
	}
}

// due is when ring has something to do, or -1.
func (n *line) due() int64 {
	p := n.waiting.first
	if p == nil {
		return -1
	}
	at := p.at + n.forwarder.wait.Load()
	if (n.host != nil || n.owner != "") && n.retryAt > n.now {
		at = min(at, n.retryAt)
	}
	return at
}

// ring closes clients that have waited for long enough, and ends a pause.
func (n *line) ring() {
	for p := n.waiting.first; p != nil && n.now-p.at >= n.forwarder.wait.Load(); p = n.waiting.first {
		n.end(p)
	}
	n.serve()
}

func (n *line) setOwner(address string) {
	if address != n.owner {
		n.owner = address
		n.renew()
	}
}

func (n *line) setHost(h Host) {
	if h != nil || n.host != nil {
		n.host = h
		n.renew()
	}
}

// renew begins the term of another owner, or host.
func (n *line) renew() {
	if n.endTerm != nil {
		n.endTerm()
	}
	n.term, n.endTerm = context.WithCancel(context.Background())
	n.retryAt, n.pause = 0, 0
	for _, p := range n.pairs {
		if p != nil && p.state == joined {
			n.turn(p) // what has arrived still reaches the client
			n.end(p)
		}
	}
	n.serve()
}

// leave lets the clients go.
func (n *line) leave() {
	n.endTerm()
	n.loop.leave()
}
