package secure

import (
	"crypto/tls"
	"net"
	"time"
)

// Timeout is how long a client has for its handshake unless somebody says otherwise:
// enough for slow lines.
const Timeout = 10 * time.Second

// NotHTTPS is what a client of HTTP is told that speaks without TLS.
const NotHTTPS = "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\nThis port speaks HTTPS.\n"

// Over makes a connection with TLS of one that has been accepted. Its handshake is still
// to be made, with Accept.
func (c *Certificates) Over(nc net.Conn) *tls.Conn {
	return tls.Server(&pausing{Conn: nc, certs: c}, c.Config())
}

// Under is the connection below TLS, or the connection itself if it has none.
func Under(nc net.Conn) net.Conn {
	if t, ok := nc.(*tls.Conn); ok {
		if p, ok := t.NetConn().(*pausing); ok {
			return p.Conn
		}
	}
	return nc
}

// Accept makes the handshake of a connection that Over made, within a time. A client that
// speaks without TLS is sent the refusal. The caller closes the connection after an error.
func (c *Certificates) Accept(t *tls.Conn, timeout time.Duration, refusal string) error {
	p := t.NetConn().(*pausing)
	p.SetDeadline(time.Now().Add(timeout))
	p.shaking = true
	err := c.Handshake(t)
	p.shaking = false
	if err != nil && Plain(err) {
		p.Write([]byte(refusal))
	}
	p.SetDeadline(time.Time{})
	return err
}

// pausing is a connection that gives the slot of its handshake to others while it waits.
type pausing struct {
	net.Conn
	certs   *Certificates
	shaking bool
}

func (p *pausing) Read(b []byte) (n int, err error) {
	if !p.shaking {
		return p.Conn.Read(b)
	}
	p.certs.Pause(func() { n, err = p.Conn.Read(b) })
	return n, err
}

func (p *pausing) Write(b []byte) (n int, err error) {
	if !p.shaking {
		return p.Conn.Write(b)
	}
	p.certs.Pause(func() { n, err = p.Conn.Write(b) })
	return n, err
}
