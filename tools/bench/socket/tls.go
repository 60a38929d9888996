//go:build linux

package socket

import (
	"crypto/tls"
	"io"
	"net"
	"syscall"
)

// TLS is the client's end of TLS over a connection. It believes any server: only those on
// this machine are measured.
type TLS struct {
	*tls.Conn
	fd     int // -1 until a loop drives it
	sealed []byte
}

// ErrEmpty says that a socket which does not block has nothing to read.
var ErrEmpty error = emptyError{}

type emptyError struct{}

func (emptyError) Error() string   { return "nothing to read" }
func (emptyError) Timeout() bool   { return false }
func (emptyError) Temporary() bool { return true } // so that crypto/tls goes on later

// Secure makes the handshake.
func Secure(c net.Conn) (*TLS, error) {
	t := &TLS{fd: -1}
	t.Conn = tls.Client(raw{c, t}, &tls.Config{InsecureSkipVerify: true, DynamicRecordSizingDisabled: true})
	return t, t.Handshake()
}

// Seal returns the records for b, which are the caller's to send, until the next Seal.
func (t *TLS) Seal(b []byte) []byte {
	t.sealed = t.sealed[:0]
	t.Write(b) // cannot fail: it only gathers
	return t.sealed
}

// raw is the connection below, and then its descriptor.
type raw struct {
	net.Conn
	t *TLS
}

func (r raw) Read(b []byte) (int, error) {
	if r.t.fd < 0 {
		return r.Conn.Read(b)
	}
	n, e := Read(r.t.fd, b)
	switch {
	case e == syscall.EAGAIN || e == syscall.EINTR:
		return 0, ErrEmpty
	case e != 0:
		return 0, e
	case n == 0:
		return 0, io.EOF
	}
	return n, nil
}

func (r raw) Write(b []byte) (int, error) {
	if r.t.fd < 0 {
		return r.Conn.Write(b)
	}
	r.t.sealed = append(r.t.sealed, b...)
	return len(b), nil
}
