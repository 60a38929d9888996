package admin

import (
	"bufio"
	"crypto/tls"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"beanfield/conn/secure"
	"beanfield/conn/secure/securetest"
)

// Pages are served over TLS. A client that stops in the middle of its handshake, or that
// speaks without TLS, does not stay, and Shutdown waits for neither (newHouse).
func TestOverTLS(t *testing.T) {
	h := newHouse(t, Options{HandshakeTimeout: patience / 10})
	a := securetest.NewAuthority(t, "authority")
	p := a.Usual("server")
	dir := t.TempDir()
	certs, err := secure.Read(secure.Options{Cert: securetest.Write(t, dir, "cert", p.Cert), Key: securetest.Write(t, dir, "key", p.Key)})
	if err != nil {
		t.Fatal(err)
	}
	secure.NewKeeper(nil, certs)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	h.served.Go(func() { h.accept.Serve(l, h.server.Over(certs)) })
	dial := func() net.Conn {
		t.Helper()
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		c.SetDeadline(time.Now().Add(patience))
		return c
	}
	half, plain := dial(), dial()
	io.WriteString(half, "\x16\x03\x01")
	io.WriteString(plain, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
	if text, _ := io.ReadAll(plain); !strings.HasPrefix(string(text), "HTTP/1.1 400 ") {
		t.Errorf("a client without TLS is answered %q", text)
	}
	over := tls.Client(dial(), a.Trust())
	c := &client{t, over, bufio.NewReader(over)}
	for range 2 {
		c.send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
		if r, _ := c.response("GET"); r.StatusCode != 200 {
			t.Errorf("answered %d", r.StatusCode)
		}
	}
	if n, err := half.Read(make([]byte, 1)); n > 0 || err == nil {
		t.Error("a half handshake is answered")
	} else if ne, ok := err.(net.Error); ok && ne.Timeout() {
		t.Error("a half handshake stays")
	}
	io.WriteString(dial(), "\x16\x03") // this one is there when the house is closed
}
