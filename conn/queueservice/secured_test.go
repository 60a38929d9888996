package queueservice

import (
	"crypto/tls"
	"net"
	"strings"
	"testing"
	"time"

	"beanfield/conn/secure"
	"beanfield/conn/secure/securetest"
)

// secureEnv, when set, has all tests use TLS that do not look below it.
const secureEnv = "QUEUESERVICE_TEST_TLS"

// certificates are those of a server, with who trusts it.
func certificates(t testing.TB) (*secure.Certificates, *tls.Config) {
	t.Helper()
	a := securetest.NewAuthority(t, "authority")
	p := a.Usual("server")
	dir := t.TempDir()
	c, err := secure.Read(secure.Options{Cert: securetest.Write(t, dir, "cert", p.Cert), Key: securetest.Write(t, dir, "key", p.Key)})
	if err != nil {
		t.Fatal(err)
	}
	secure.NewKeeper(nil, c)
	return c, a.Trust()
}

// Clients that stop in the middle of a handshake, or that speak without TLS, do not stay,
// and others are served.
func TestHandshakesThatStop(t *testing.T) {
	h := openHouse(t, nil, true, func(o *Options) { o.HandshakeTimeout = patience / 10 })
	var halves []net.Conn
	for _, text := range []string{"", "\x16\x03\x01", "\x16\x03\x01\x01\x00\x01\x00"} {
		c, err := net.Dial("tcp", h.address)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		c.SetDeadline(time.Now().Add(patience))
		c.Write([]byte(text))
		halves = append(halves, c)
	}
	plain, err := net.Dial("tcp", h.address)
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	plain.SetDeadline(time.Now().Add(patience))
	plain.Write([]byte("GET / HTTP/1.1\r\nHost: x\r\n\r\n"))
	reply := make([]byte, 1000)
	if n, _ := plain.Read(reply); !strings.HasPrefix(string(reply[:n]), "HTTP/1.1 400 ") {
		t.Errorf("a client without TLS is answered %q", reply[:n])
	}
	if r, _ := h.say("GET", "/api/predict/s?_attrs_=true", "", ""); r.StatusCode != 200 {
		t.Errorf("another is answered %d", r.StatusCode)
	}
	for i, c := range halves {
		if n, err := c.Read(reply); n > 0 || err == nil {
			t.Errorf("half handshake %d: %q", i, reply[:n])
		} else if ne, ok := err.(net.Error); ok && ne.Timeout() {
			t.Errorf("half handshake %d stays", i)
		}
	}
	h.allLeft()
}

// Shutdown does not wait for handshakes.
func TestShutdownDuringHandshakes(t *testing.T) {
	h := openHouse(t, nil, true)
	c, err := net.Dial("tcp", h.address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.Write([]byte("\x16\x03"))
	h.say("GET", "/api/predict/s?_attrs_=true", "", "")
	begun := time.Now()
	h.close()
	if d := time.Since(begun); d > patience/2 {
		t.Errorf("it took %v", d)
	}
}
