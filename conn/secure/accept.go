package secure

import (
	"crypto/tls"
	"net"
	"sync/atomic"
	"time"
)

// Timeout is how long a client has for its handshake unless somebody says otherwise:
// enough for slow lines.
const Timeout = 10 * time.Second

// NotHTTPS is the answer to a client that speaks HTTP without TLS.
const NotHTTPS = "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\nThis port speaks " +
	"HTTPS.\n"

// Over puts TLS over a connection that has been accepted. Accept makes its handshake, and
// must be called soon.
func (c *Certificates) Over(nc net.Conn) *Conn {
	p := &pausing{Conn: nc}
	p.shaking.Store(true)
	p.half = c.Begin(func() { nc.Close() })
	return &Conn{tls.Server(p, c.Config()), p}
}

// Conn is a connection with TLS.
type Conn struct {
	*tls.Conn
	below *pausing
}

// Close closes the connection. Anybody may call it, also while Accept runs: then there is
// nobody yet to whom TLS could say goodbye, and the goodbye would give away the
// handshake's slot.
func (c *Conn) Close() error {
	if c.below.shaking.Load() {
		return c.below.Close()
	}
	return c.Conn.Close()
}

// Under is the connection below TLS, or the connection itself if it has none.
func Under(nc net.Conn) net.Conn {
	if t, ok := nc.(*Conn); ok {
		return t.below.Conn
	}
	return nc
}

// Accept makes the handshake of a connection from Over, within timeout. A client that speaks
// without TLS is sent the refusal. The caller closes the connection after an error.
func (t *Conn) Accept(timeout time.Duration, refusal string) error {
	p := t.below
	p.SetDeadline(time.Now().Add(timeout))
	err := p.half.Make(t.Conn)
	p.shaking.Store(false)
	if err != nil && Plain(err) {
		p.Write([]byte(refusal))
	}
	p.SetDeadline(time.Time{})
	return err
}

// pausing is a connection that gives its handshake's slot to others while it waits.
type pausing struct {
	net.Conn
	half    *Half
	shaking atomic.Bool // until Accept has made the handshake
}

func (p *pausing) Read(b []byte) (n int, err error) {
	if !p.shaking.Load() {
		return p.Conn.Read(b)
	}
	p.half.Pause(func() { n, err = p.Conn.Read(b) })
	return n, err
}

func (p *pausing) Write(b []byte) (n int, err error) {
	if !p.shaking.Load() {
		return p.Conn.Write(b)
	}
	p.half.Pause(func() { n, err = p.Conn.Write(b) })
	return n, err
}
