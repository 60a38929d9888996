package socket

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"syscall"
	"time"
)

// TLS is the client's end of TLS over a socket. It believes any server: only those on
// this machine are measured.
type TLS struct {
	asConn
	fd     int
	conn   *tls.Conn
	sealed []byte
	direct bool // what is written goes to the socket, which still blocks
}

// ErrEmpty says that a socket which does not block has nothing to read.
var ErrEmpty error = emptyError{}

type emptyError struct{}

func (emptyError) Error() string   { return "nothing to read" }
func (emptyError) Timeout() bool   { return false }
func (emptyError) Temporary() bool { return true } // so that crypto/tls goes on later

// Secure makes the handshake, on a socket that still blocks.
func Secure(fd int) (*TLS, error) {
	t := &TLS{fd: fd, direct: true}
	t.conn = tls.Client(raw{t: t}, &tls.Config{InsecureSkipVerify: true, DynamicRecordSizingDisabled: true})
	return t, t.conn.Handshake()
}

// Read reads what has arrived, one record at most.
func (t *TLS) Read(b []byte) (int, error) { return t.conn.Read(b) }

// Write writes to a socket that still blocks.
func (t *TLS) Write(b []byte) (int, error) { return t.conn.Write(b) }

// Seal returns the records for b, which are the caller's to send, until the next Seal.
func (t *TLS) Seal(b []byte) []byte {
	t.sealed, t.direct = t.sealed[:0], false
	t.conn.Write(b) // cannot fail: it only gathers
	return t.sealed
}

// raw is the socket below.
type raw struct {
	asConn
	t *TLS
}

func (raw) Close() error { return nil }

func (r raw) Read(b []byte) (n int, err error) {
	err = Uninterrupted(func() (err error) { n, err = syscall.Read(r.t.fd, b); return err })
	switch {
	case errors.Is(err, syscall.EAGAIN):
		return 0, ErrEmpty
	case err != nil:
		return 0, err
	case n == 0:
		return 0, io.EOF
	}
	return n, nil
}

func (r raw) Write(b []byte) (int, error) {
	if !r.t.direct {
		r.t.sealed = append(r.t.sealed, b...)
		return len(b), nil
	}
	return Blocking{FD: r.t.fd}.Write(b)
}

// asConn makes a net.Conn of what reads, writes and closes. Its waits end otherwise.
type asConn struct{}

func (asConn) LocalAddr() net.Addr              { return nil }
func (asConn) RemoteAddr() net.Addr             { return nil }
func (asConn) SetDeadline(time.Time) error      { return nil }
func (asConn) SetReadDeadline(time.Time) error  { return nil }
func (asConn) SetWriteDeadline(time.Time) error { return nil }

// Close closes the socket.
func (t *TLS) Close() error { return syscall.Close(t.fd) }

// Blocking is a socket that still blocks.
type Blocking struct {
	asConn
	FD int
}

func (s Blocking) Close() error { return syscall.Close(s.FD) }

func (s Blocking) Read(b []byte) (n int, err error) {
	err = Uninterrupted(func() (err error) { n, err = syscall.Read(s.FD, b); return err })
	if n == 0 && err == nil {
		err = io.EOF
	}
	return max(n, 0), err
}

func (s Blocking) Write(b []byte) (done int, err error) {
	for done < len(b) && err == nil {
		err = Uninterrupted(func() error {
			n, err := syscall.Write(s.FD, b[done:])
			done += max(n, 0)
			return err
		})
	}
	return done, err
}
