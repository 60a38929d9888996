package hall

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"beanfield/conn/hall/halltest"
)

// overTLS lets clients come over TLS too.
func (h *host) overTLS() (address string, trust *tls.Config) {
	h.t.Helper()
	certs, trust := halltest.Certificates(h.t)
	return h.listen(h.Over(nil, certs)), trust
}

// Clients that stop in the middle of a handshake, or that speak without TLS, do not stay,
// and others are served (HA3).
func TestHandshakesThatStop(t *testing.T) {
	h := newHost(t, Options{Polled: true, HandshakeTimeout: time.Hour})
	address, trust := h.overTLS()
	plain := h.dial(address)
	io.WriteString(plain, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
	reply := make([]byte, 1000)
	if n, _ := plain.Read(reply); !strings.HasPrefix(string(reply[:n]), "HTTP/1.1 400 ") {
		t.Errorf("a client without TLS is answered %q", reply[:n])
	}
	h.SetHandshakeTimeout(time.Second)
	var halves []net.Conn
	for _, text := range []string{"", "\x16\x03\x01", "\x16\x03\x01\x01\x00\x01\x00"} {
		c := h.dial(address)
		io.WriteString(c, text)
		halves = append(halves, c)
	}
	other := tls.Client(h.dial(address), trust)
	for other.Handshake() != nil { // on a busy machine it may take longer itself
		other = tls.Client(h.dial(address), trust)
	}
	h.echo(other)
	for i, c := range halves {
		if n, err := c.Read(reply); n > 0 || err == nil {
			t.Errorf("half handshake %d: %q", i, reply[:n])
		} else if ne, ok := err.(net.Error); ok && ne.Timeout() {
			t.Errorf("half handshake %d stays", i)
		}
	}
	other.Close()
	h.await(0)
	h.end(context.Background())
}

// Shutdown does not wait for handshakes: they might take an hour.
func TestShutdownDuringHandshakes(t *testing.T) {
	h := newHost(t, Options{HandshakeTimeout: time.Hour})
	address, _ := h.overTLS()
	c := h.dial(address)
	io.WriteString(c, "\x16\x03")
	h.await(1)
	h.end(context.Background())
	isClosed(t, c)
}
