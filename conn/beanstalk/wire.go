package beanstalk

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"syscall"
	"time"

	"beanfield/conn/secure"
)

// wire is a connection's TLS: crypto/tls over the socket that the loop polls. For
// crypto/tls it is a net.Conn: what crypto/tls reads comes straight from the socket, and
// what it writes gathers in out, so that one send takes the records of many replies.
//
// While the handshake runs, its goroutine has the wire; afterwards the loop has it (W1).
type wire struct {
	fd    int
	poll  *poller
	certs *secure.Certificates
	conn  *tls.Conn
	shake *handshake // nil once the handshake has been made

	out      []byte // sealed and not sent yet, in the order in which it was sealed (W2)
	borrowed bool   // out is the loop's buffer; keep ends that (B3)

	// empty is true after a short read: the socket has nothing more. eager says not to
	// trust that, as with Conn.urgent.
	empty, eager bool
	cut          bool // replies have been given up: the client must not believe that they ended

	peer *secure.Identity // who the client is by its certificate; nil if it has none
}

// sealPiece is how much is sealed before it is sent: four records of full length.
const sealPiece = 64 << 10

// errEmpty says that the socket has nothing to read. It is temporary, so crypto/tls
// goes on where it was at the next Read; it does so only after the handshake.
var errEmpty error = emptyError{}

type emptyError struct{}

func (emptyError) Error() string   { return "the socket is empty" }
func (emptyError) Timeout() bool   { return false }
func (emptyError) Temporary() bool { return true }

var errOver = errors.New("the handshake has been given up")

// Read implements net.Conn.
func (w *wire) Read(b []byte) (int, error) {
	for {
		if w.empty && !w.eager && w.shake == nil {
			return 0, errEmpty
		}
		n, err := read(w.fd, b)
		switch {
		case n > 0:
			w.empty = n < len(b)
			return n, nil
		case err == nil:
			return 0, io.EOF
		case err == syscall.EINTR:
		case err != syscall.EAGAIN:
			return 0, err
		case w.shake == nil:
			return 0, errEmpty
		default:
			if err := w.await(); err != nil {
				return 0, err
			}
		}
	}
}

// Write implements net.Conn. It always succeeds, because crypto/tls would not go on after
// an error: what the socket does not take waits in out.
func (w *wire) Write(b []byte) (int, error) {
	w.out = append(w.out, b...)
	if w.shake != nil {
		return len(b), w.pushHandshake()
	}
	return len(b), nil
}

// open reads until b is full or the socket is empty, from as many records as that takes.
// It may return bytes with an error.
func (w *wire) open(b []byte, eager bool) (n int, err error) {
	w.empty, w.eager = false, eager
	for n < len(b) && err == nil {
		var m int
		m, err = w.conn.Read(b[n:])
		n += m
	}
	return n, err
}

// seal puts bytes into records, and the records into out, which must be empty. out borrows
// the loop's buffer for that.
func (w *wire) seal(b []byte, l *loop) error {
	w.out, w.borrowed = l.sealed[:0], true
	_, err := w.conn.Write(b)
	l.sealed = w.out[:0]
	return err
}

// keep copies what has not been sent from the loop's buffer.
func (w *wire) keep() {
	switch {
	case len(w.out) == 0:
		w.out = nil
	case w.borrowed:
		w.out = append([]byte(nil), w.out...)
	}
	w.borrowed = false
}

// owes says that sealed bytes are still to be sent.
func (w *wire) owes() bool { return w != nil && len(w.out) > 0 }

// fillSealed is fill over TLS.
func (c *Conn) fillSealed() bool {
	buf := c.loop.buf
	kept := copy(buf, c.in)
	c.in = c.in[:0]
	n, err := c.openInto(buf[kept:])
	if c.closed {
		return false
	}
	if n == 0 && err == errEmpty {
		c.save(buf[:kept])
		return false
	}
	if n == 0 {
		c.close()
		return false
	}
	c.reads++
	c.process(buf[:kept+n])
	return true
}

// openInto reads what there is, and notes whether there is more and whether the client has
// ended its side: nothing but crypto/tls sees an end that is announced in a record.
func (c *Conn) openInto(b []byte) (n int, err error) {
	c.wire.lendRecord(c.loop)
	n, err = c.wire.open(b, c.hungUp || c.urgent)
	if err == errEmpty {
		c.wire.returnRecord(c.loop)
	}
	c.loop.moved(n)
	c.readable = err != errEmpty
	if err == io.EOF {
		c.hungUp = true
	}
	if c.wire.owes() && c.stuck == nil {
		c.writeSealed(nil) // the client has asked for new keys, or an alert is due
	}
	return n, err
}

// lookAhead reads from a client that waits in a reserve, to find the end of its stream,
// which epoll cannot see in a record. It reports whether it has found it.
func (c *Conn) lookAhead() bool {
	if !c.readable || c.hungUp || c.call != callNone || c.closed || !c.session.Waiting() || len(c.in) == len(c.loop.buf) {
		return false
	}
	buf := c.loop.buf
	kept := copy(buf, c.in)
	n, err := c.openInto(buf[kept:])
	if c.closed {
		return false
	}
	c.save(buf[:kept+n])
	if err == nil || err == errEmpty {
		return false
	}
	c.hungUp = true
	c.hangUpWait()
	return true
}

// writeSealed is write over TLS. It counts sealed bytes as written, because their order can
// no longer change. If the socket does not take them all, the connection is stuck.
func (c *Conn) writeSealed(b []byte) (n int, ok bool) {
	w := c.wire
	for c.loop.share > 0 && (len(w.out) > 0 || n < len(b)) {
		if len(w.out) == 0 {
			piece := b[n:min(len(b), n+sealPiece)]
			if err := w.seal(piece, c.loop); err != nil {
				c.close()
				return n, false
			}
			n += len(piece)
		}
		m, err := write(c.fd, w.out)
		if err == syscall.EAGAIN {
			break
		}
		if err != nil && err != syscall.EINTR {
			w.out = nil
			c.close()
			return n, false
		}
		w.out = w.out[m:]
		c.loop.share -= m
		c.loop.moved(m)
	}
	w.keep()
	if len(w.out) > 0 && c.stuck == nil {
		c.stick(nil) // what is sealed is all that is stuck
	}
	return n, true
}

// farewell tells the client that the stream ends here, if it does.
func (w *wire) farewell() {
	if w.shake == nil && !w.cut {
		w.conn.CloseWrite()
	}
	if len(w.out) > 0 {
		write(w.fd, w.out) // an alert, mostly; nobody waits for room
	}
}

// The rest of net.Conn: the loop has the socket and keeps the time.

func (w *wire) Close() error                     { return nil }
func (w *wire) LocalAddr() net.Addr              { return nil }
func (w *wire) RemoteAddr() net.Addr             { return nil }
func (w *wire) SetDeadline(time.Time) error      { return nil }
func (w *wire) SetReadDeadline(time.Time) error  { return nil }
func (w *wire) SetWriteDeadline(time.Time) error { return nil }
