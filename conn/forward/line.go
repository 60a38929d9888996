package forward

import (
	"context"
	"errors"
	"math"
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
	enough    int // how many of a row the owner's link has in hand before no more are passed on

	rows     map[*door]*row // who waits
	attempts int            // to pass clients on
	shaking  int            // of these, those that the link has not answered
	host     Host           // this process, while it serves
	owner    string         // the address of the link of the node that serves; "" if nobody is heard to
	term     context.Context
	endTerm  context.CancelFunc // term is that of the owner, and ends with it
}

// row has the clients of one entrance that are not joined, by when they have come.
type row struct {
	list          // they wait
	underWay list // they are being passed on
	held     int  // of these, those whom the link of the owner has wait
	rest     rest // when the owner does not serve, cannot be reached, or has no room for these
}

// rest is a pause, in which nobody of a row is passed on.
type rest struct {
	until int64
	pause time.Duration // how long the last one was
}

// begin begins a pause, unless there is one: many may fail at once, and that is one failure.
func (r *rest) begin(now int64) {
	if now >= r.until {
		r.pause = min(max(firstPause, 2*r.pause), longestPause)
		r.until = now + int64(r.pause)
	}
}

const (
	// mostShakes is how many clients are passed on at once, over all loops.
	mostShakes = 64
	// heldEnough is how many of an entrance the owner's link has in hand, over all loops, but one of each loop at
	// least: it can serve one as soon as there is room, and the others wait here, which takes less.
	heldEnough = 4
	// shakeFor is how long a link may take to answer, or half of what a client waits.
	shakeFor = 5 * time.Second
	// After a failure nobody is passed on for firstPause, and then for twice the last pause.
	firstPause, longestPause = 100 * time.Millisecond, 250 * time.Millisecond
)

var errMute = errors.New("it has not answered in time")

// arrive takes a client in.
func (n *line) arrive(p *pair) {
	n.open++
	p.at = n.now
	n.row(p).add(p)
	if n.attend(p); n.stopping {
		n.end(p)
	}
	n.serve()
}

// attend watches a client that waits. One that cannot be watched is closed: nobody would see it leave, nor its bytes.
func (n *line) attend(p *pair) {
	if err := n.watch(p, &p.client); err != nil {
		n.forwarder.failures.Say(n.forwarder.log.Warn, "a client cannot be watched", "error", err)
		n.end(p)
	}
}

// row is where a client waits.
func (n *line) row(p *pair) *row {
	r := n.rows[p.door]
	if r == nil {
		r = &row{}
		n.rows[p.door] = r
	}
	return r
}

// serve passes on those who wait, as far as that can be done now.
func (n *line) serve() {
	for p := n.foremost(); p != nil; p = n.foremost() {
		switch {
		case n.host != nil:
			n.give(p)
		case n.owner != "" && n.shaking < n.share:
			n.begin(p)
		default:
			return
		}
	}
}

// foremost is who has waited longest and may be passed on now.
func (n *line) foremost() (p *pair) {
	for _, r := range n.rows {
		if q := r.first; q != nil && n.now >= r.rest.until && r.held < n.enough && (p == nil || q.at < p.at) {
			p = q
		}
	}
	return p
}

// give gives a client to this process' own host.
func (n *line) give(p *pair) {
	n.poll.Remove(p.client.fd)
	err := n.host.Take(p.door.entrance, p.client.fd, nil, nil)
	switch {
	case err == nil:
		n.row(p).rest = rest{}
		n.forget(&p.client)
		p.client.fd, p.left = -1, nil // FW5
		n.forwarder.open.Add(-1)
		n.end(p)
	case errors.Is(err, ErrNotServing):
		n.row(p).rest.begin(n.now)
		n.attend(p)
	default:
		n.refuse(p, "this node", err)
	}
}

func (n *line) refuse(p *pair, node string, err error) {
	n.forwarder.refusals.Say(n.forwarder.log.Warn, "a client is refused", "by", node, "error", err, "front",
		p.door.entrance.Front, "client", conn.PeerOf(p.client.fd))
	n.end(p)
}

// begin begins to pass a client on. The attempt ends with its wait (ring), or when it leaves.
func (n *line) begin(p *pair) {
	r := n.row(p)
	r.remove(p)
	r.underWay.add(p)
	p.state = shaking
	n.attempts++
	n.shaking++
	ctx, cancel := context.WithCancelCause(n.term)
	p.stop = func() { cancel(nil) }
	mute := time.AfterFunc(min(shakeFor, time.Duration(n.forwarder.wait.Load())/2), func() { cancel(errMute) })
	f, term, owner, e, from := n.forwarder, n.term, n.owner, p.door.entrance, conn.PeerOf(p.client.fd)
	go func() {
		defer cancel(nil)
		link, err := f.proofs.pass(ctx, owner, e, from, func() {
			mute.Stop()
			n.post(func() { n.hold(p) })
		})
		mute.Stop()
		if err != nil && context.Cause(ctx) == errMute {
			err = errMute
		}
		n.post(func() { n.passed(p, term, link, err) })
	}()
}

// hold notes that the owner's link has a client wait, until there is room or it serves.
func (n *line) hold(p *pair) {
	p.held = true
	n.shaking--
	n.row(p).held++
	n.serve()
}

// passed goes on with a client after an attempt to pass it on, in a term.
func (n *line) passed(p *pair, term context.Context, link end, err error) {
	r := n.row(p)
	if r.underWay.remove(p); p.held {
		r.held--
	} else {
		n.shaking--
	}
	n.attempts--
	p.held, p.stop = false, nil
	var no *refusal
	switch {
	case err == nil && (p.state == over || term != n.term):
		syscall.Close(link.fd)
	case err == nil:
		r.rest = rest{}
		p.link = link
		n.join(p)
	case term != n.term || p.state == over:
	case errors.As(err, &no):
		n.refuse(p, n.owner, err)
	case !errors.Is(err, ErrNotServing):
		n.forwarder.failures.Say(n.forwarder.log.Warn, "clients cannot be passed on", "to", n.owner, "error", err)
		fallthrough
	default:
		r.rest.begin(n.now)
	}
	if p.state == shaking {
		p.state = waiting
		r.add(p)
	}
	n.ring()
}

// stirred is called when the socket of a client that is not joined has an event. Whoever has left after it has sent
// something cannot be told from one that only sends no more (FW2).
func (n *line) stirred(p *pair, events uint32) {
	var b [1]byte
	m, err := socket.Peek(p.client.fd, b[:])
	if m == 0 && err != syscall.EAGAIN && err != syscall.EINTR || events&socket.Gone != 0 {
		n.end(p)
	} else if m == 0 {
		n.poll.Emptied(p.client.fd)
	}
}

// due is when ring has something to do, or math.MaxInt64.
func (n *line) due() int64 {
	due := int64(math.MaxInt64)
	for _, r := range n.rows {
		for _, p := range [2]*pair{r.first, r.underWay.first} {
			if p != nil {
				due = min(due, p.at+n.forwarder.wait.Load())
			}
		}
		if r.first != nil && (n.host != nil || n.owner != "") && r.rest.until > n.now {
			due = min(due, r.rest.until)
		}
	}
	return due
}

// ring closes clients that have waited for long enough, and ends pauses.
func (n *line) ring() {
	for _, r := range n.rows {
		for _, some := range [2]*list{&r.list, &r.underWay} {
			for p := some.first; p != nil && n.now-p.at >= n.forwarder.wait.Load(); p = some.first {
				n.end(p)
			}
		}
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
	for _, r := range n.rows {
		r.rest = rest{}
	}
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
