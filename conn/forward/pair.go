package forward

import (
	"io"
	"math"
	"syscall"
	"time"

	"beanfield/conn/socket"
)

// pair is a client and the connection on which it is passed on. Its loop alone touches it.
type pair struct {
	client, link end    // at a link with TLS, client is the connection from the other node
	state, was   state  // was is what it was before it was over
	again        bool   // in the loop's list of that name
	held         bool   // the link of the owner has it wait
	stop         func() // ends the attempt to pass it on that is under way
	at           int64  // since when it is in its list
	in           *list  // nil if in none
	prev, next   *pair  // there
	door         *door  // where the client has come in; nil at a link
	left         func() // is called when the sockets are closed; nil when the host has the client
}

// state is how far a pair is.
type state uint8

const (
	waiting state = iota // for an owner
	shaking              // a goroutine is making the connection to the owner
	joined
	over
)

// end is one of the two sockets of a pair.
type end struct {
	fd   int
	tls  *socket.TLS // nil without TLS
	kept []byte      // that the socket has not taken: a copy (FW3)

	readable bool // the socket may have bytes that no event will announce again
	hung     bool // nothing more comes to it
	urgent   bool // it has had urgent data, at whose mark a read ends early
	polling  bool // for room in the socket
	ended    bool // all that comes has been read
	shut     bool // it has been told that nothing more comes
	dead     bool // it takes nothing any more: what is for it is thrown away
	broken   bool // it has died, and has not ended in order
}

// full says that the socket does not take more now.
func (e *end) full() bool { return !e.dead && (len(e.kept) > 0 || e.tls.Owes()) }

// readsPerTurn bounds how much of a client that floods is passed on before others have their turn (FW4).
const readsPerTurn = 4

// lingerFor is how long a pair one side of which is gone may stay without a byte that moves, and quietFor how long any
// pair while all are to go. Tests have more patience.
var lingerFor, quietFor = 15 * time.Second, 100 * time.Millisecond

// turn passes on what can be passed on now, within the pair's share.
func (l *loop) turn(p *pair) {
	if p.state != joined {
		return
	}
	moved, more := false, false
	for _, way := range [2][2]*end{{&p.client, &p.link}, {&p.link, &p.client}} {
		from, to := way[0], way[1]
		l.flush(to)
		if l.leaving && from == &p.client {
			continue
		}
		m, again := l.move(from, to)
		moved, more = moved || m, more || again
		if from.ended && !to.full() && (to == &p.link || !p.lacks()) {
			l.shut(to)
		}
	}
	switch {
	case p.link.ended && !p.client.full() && (p.link.dead || l.leaving || p.client.ended && !p.link.full()),
		p.link.ended && p.client.dead:
		l.end(p)
	case more && !p.again:
		p.again = true
		l.again = append(l.again, p)
		fallthrough
	default:
		l.lingerIf(p, moved)
	}
}

// lacks says that replies may be lost, since the connection to the node that serves has broken. At a link the front end
// has closed the other socket, and knows why.
func (p *pair) lacks() bool { return p.link.broken && p.door != nil }

// lingerIf has a pair end after a while if one side is gone, or all are to go, unless bytes move.
func (l *loop) lingerIf(p *pair, moved bool) {
	if (p.link.ended || p.link.hung || p.client.dead || l.leaving) && (p.in == nil || moved) {
		l.linger(p)
	}
}

func (l *loop) linger(p *pair) {
	l.lingering.remove(p)
	p.at = l.now
	l.lingering.add(p)
}

// patience is how long a pair lingers.
func (l *loop) patience() int64 {
	if l.leaving {
		return int64(quietFor)
	}
	return int64(lingerFor)
}

// move passes on what has come at one end to the other, while that takes it (FW1).
func (l *loop) move(from, to *end) (moved, more bool) {
	for reads := 0; from.readable && !to.full(); reads++ {
		if reads == readsPerTurn {
			return moved, true
		}
		n := l.read(from)
		if n > 0 {
			moved = true
			l.write(to, l.buf[:n])
		}
	}
	return moved, false
}

// read reads once into the loop's buffer, and notes what is to be known of the socket.
func (l *loop) read(e *end) (n int) {
	var err error
	if e.tls != nil {
		n, err = e.tls.Open(l.buf, e.hung || e.urgent, &l.records)
		if e.tls.Owes() {
			l.flush(e) // the other side has asked for new keys
		}
	} else if n, err = socket.Read(e.fd, l.buf); n > 0 {
		e.readable = n == len(l.buf) || e.hung || e.urgent
	} else if err == nil {
		err = io.EOF
	}
	switch err {
	case nil, syscall.EINTR:
	case syscall.EAGAIN, socket.ErrEmpty:
		e.readable = false
	case io.EOF:
		e.readable, e.ended = false, true
	default:
		e.readable, e.ended = false, true
		l.kill(e, err)
	}
	if !e.readable && !e.ended {
		l.poll.Emptied(e.fd)
	}
	return n
}

// write sends bytes to an end. What the socket does not take is kept.
func (l *loop) write(e *end, b []byte) {
	if e.dead || e.shut {
		return
	}
	if n := l.send(e, b); n < len(b) && !e.dead {
		e.kept = append([]byte(nil), b[n:]...)
		l.awaitRoom(e)
	}
}

// flush sends what is kept for an end, as far as the socket takes it.
func (l *loop) flush(e *end) {
	if !e.full() {
		return
	}
	n := l.send(e, e.kept)
	if e.kept = e.kept[min(n, len(e.kept)):]; len(e.kept) == 0 {
		e.kept = nil
	}
	l.awaitRoom(e)
	if e.shut && !e.full() {
		syscall.Shutdown(e.fd, syscall.SHUT_WR)
	}
}

// send sends until the socket takes no more, and says how much of b need not be sent again.
func (l *loop) send(e *end, b []byte) (n int) {
	var err error
	if e.tls != nil {
		n, _, err = e.tls.Send(b, math.MaxInt, &l.records)
		l.awaitRoom(e)
	}
	for e.tls == nil && n < len(b) && err == nil {
		var m int
		m, err = socket.Write(e.fd, b[n:])
		n += m
		if err == syscall.EINTR {
			err = nil
		}
	}
	if err != nil && err != syscall.EAGAIN {
		l.kill(e, err)
	}
	return n
}

// awaitRoom asks to be told of room in the socket, if something waits for it.
func (l *loop) awaitRoom(e *end) {
	if e.full() != e.polling {
		e.polling = !e.polling
		l.poll.WatchWrites(e.fd, e.polling)
	}
}

// kill notes that an end takes nothing any more. EPIPE comes after an end in order.
func (l *loop) kill(e *end, why error) {
	e.dead, e.kept, e.broken = true, nil, e.broken || why != syscall.EPIPE
}

// shut tells an end, which is not full, that nothing more comes.
func (l *loop) shut(e *end) {
	if e.dead || e.shut {
		return
	}
	e.shut = true
	if e.tls != nil {
		e.tls.CloseWrite()
		l.flush(e) // and then shuts the socket
	} else {
		syscall.Shutdown(e.fd, syscall.SHUT_WR)
	}
}

// close closes the socket of an end. Whoever does not get all, or perhaps not, must not believe that it has ended in
// order. Who has got all must not lose it: bytes that nobody has read would make the kernel take back what it has not
// delivered yet; so they are read, as many as a turn allows.
func (l *loop) close(e *end, was state, lacks bool) {
	if e.fd < 0 {
		return
	}
	switch {
	case was == joined && (e.full() || lacks):
		syscall.SetsockoptLinger(e.fd, syscall.SOL_SOCKET, syscall.SO_LINGER, &syscall.Linger{Onoff: 1})
	case was == joined:
		l.shut(e)
		for range readsPerTurn {
			if n, _ := socket.Read(e.fd, l.buf); n < len(l.buf) {
				break
			}
		}
	}
	syscall.Close(e.fd)
}
