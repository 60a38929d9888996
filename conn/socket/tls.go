package socket

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"syscall"
	"time"

	"beanfield/conn/secure"
)

// TLS is a connection's TLS: crypto/tls over the socket that the loop polls. For
// crypto/tls it is a net.Conn: what crypto/tls reads comes straight from the socket, and
// what it writes gathers in out, so that one send takes the records of many replies.
//
// While the handshake runs, its goroutine has the wire; afterwards the loop has it (W1).
type TLS struct {
	fd    int
	poll  *Poller
	certs *secure.Certificates
	conn  *tls.Conn
	shake *handshake // nil once the handshake has been made
	below net.Conn   // of NewOver, until Settle

	out      []byte // sealed and not sent yet, in the order in which it was sealed (W2)
	borrowed bool   // out is the loop's buffer; keep ends that (B3)

	// empty is true after a short read: the socket has nothing more. eager says not to
	// trust that.
	empty, eager bool

	// Cut says that replies have been given up: the client must not believe that they ended.
	Cut  bool
	peer *secure.Identity // who the client is by its certificate; nil if it has none
}

// NewOver makes the TLS of a connection whose handshake its caller makes, and whatever else may block: on a tls.Conn
// over this one, in a goroutine of its own.
func NewOver(c net.Conn) *TLS { return &TLS{below: c} }

// Settle ends that: the loop has the connection from now on, by its bare socket.
func (w *TLS) Settle(c *tls.Conn, fd int) {
	w.conn, w.fd, w.below = c, fd, nil
	dropMessages(c)
}

// Buffers are what the connections of a loop lend in turn.
type Buffers struct {
	Sealed []byte // records that are about to be sent
	Record []byte // one that arrives
}

// SealPiece is how much is sealed before it is sent: four records of full length.
const SealPiece = 64 << 10

// ErrEmpty says that the socket has nothing to read. It is temporary, so crypto/tls
// goes on where it was at the next Read; it does so only after the handshake.
var ErrEmpty error = emptyError{}

type emptyError struct{}

func (emptyError) Error() string   { return "the socket is empty" }
func (emptyError) Timeout() bool   { return false }
func (emptyError) Temporary() bool { return true }

var errOver = errors.New("the handshake has been given up")

// Read implements net.Conn.
func (w *TLS) Read(b []byte) (int, error) {
	if w.below != nil {
		return w.below.Read(b)
	}
	for {
		if w.empty && !w.eager && w.shake == nil {
			return 0, ErrEmpty
		}
		n, err := Read(w.fd, b)
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
			return 0, ErrEmpty
		default:
			w.poll.Emptied(w.fd)
			if err := w.await(); err != nil {
				return 0, err
			}
		}
	}
}

// Write implements net.Conn. It always succeeds, because crypto/tls would not go on after
// an error: what the socket does not take waits in out.
func (w *TLS) Write(b []byte) (int, error) {
	if w.below != nil {
		return w.below.Write(b)
	}
	w.out = append(w.out, b...)
	if w.shake != nil {
		return len(b), w.pushHandshake()
	}
	return len(b), nil
}

// Open reads until b is full or the socket is empty (ErrEmpty), from as many records as that
// takes. It may return bytes with an error. If eager is set, a short read does not mean that the
// socket is empty.
func (w *TLS) Open(b []byte, eager bool, l *Buffers) (n int, err error) {
	w.lendRecord(l)
	w.empty, w.eager = false, eager
	for n < len(b) && err == nil {
		var m int
		m, err = w.conn.Read(b[n:])
		n += m
	}
	if err == ErrEmpty {
		w.returnRecord(l)
	}
	return n, err
}

// seal puts bytes into records, and the records into out, which must be empty. out borrows
// the loop's buffer for that.
func (w *TLS) seal(b []byte, l *Buffers) error {
	w.out, w.borrowed = l.Sealed[:0], true
	_, err := w.conn.Write(b)
	l.Sealed = w.out[:0]
	return err
}

// keep copies what has not been sent from the loop's buffer.
func (w *TLS) keep() {
	switch {
	case len(w.out) == 0:
		w.out = nil
	case w.borrowed:
		w.out = append([]byte(nil), w.out...)
	}
	w.borrowed = false
}

// Owes says that sealed bytes are still to be sent.
func (w *TLS) Owes() bool { return w != nil && len(w.out) > 0 }

// Send seals what it can of b and sends it, after what is left from before, until the socket takes
// no more or about most bytes have been sent. It returns how much of b is sealed, which counts as
// written because its order can no longer change, and how much has been sent.
func (w *TLS) Send(b []byte, most int, l *Buffers) (n, sent int, err error) {
	for sent < most && (len(w.out) > 0 || n < len(b)) {
		if len(w.out) == 0 {
			piece := b[n:min(len(b), n+SealPiece)]
			if err := w.seal(piece, l); err != nil {
				return n, sent, err
			}
			n += len(piece)
		}
		m, err := Write(w.fd, w.out)
		if err == syscall.EAGAIN {
			break
		}
		if err != nil && err != syscall.EINTR {
			w.out = nil
			return n, sent, err
		}
		w.out = w.out[m:]
		sent += m
	}
	w.keep()
	return n, sent, nil
}

// Peer is who the client is by its certificate; nil if it has none.
func (w *TLS) Peer() *secure.Identity { return w.peer }

// CloseWrite seals that the stream ends here. Send(nil) sends it.
func (w *TLS) CloseWrite() { w.conn.CloseWrite() }

// Farewell tells the client that the stream ends here, if it does.
func (w *TLS) Farewell() {
	if s := w.shake; s != nil && s.begun && !s.ended.Load() {
		panic("W1: the handshake's goroutine still uses the socket")
	}
	if w.shake == nil && !w.Cut {
		w.conn.CloseWrite()
	}
	if len(w.out) > 0 {
		Write(w.fd, w.out) // an alert, mostly; nobody waits for room
	}
}

// The rest of net.Conn: the loop has the socket and keeps the time.

func (w *TLS) Close() error                     { return nil }
func (w *TLS) LocalAddr() net.Addr              { return nil }
func (w *TLS) RemoteAddr() net.Addr             { return nil }
func (w *TLS) SetDeadline(time.Time) error      { return nil }
func (w *TLS) SetReadDeadline(time.Time) error  { return nil }
func (w *TLS) SetWriteDeadline(time.Time) error { return nil }
