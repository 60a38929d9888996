package forward

import (
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"beanfield/conn/secure/securetest"
	"beanfield/storage/must"
)

// certified is a cluster whose nodes have certificates of an authority.
func certified(t testing.TB, a *securetest.Authority, secret string) Cluster {
	t.Helper()
	dir, pair := t.TempDir(), a.Usual("node")
	return Cluster{Name: "test", Node: "one", Secret: secret, Cert: securetest.Write(t, dir, "cert", pair.Cert),
		Key: securetest.Write(t, dir, "key", pair.Key), CA: securetest.Write(t, dir, "ca", a.PEM)}
}

// relay passes bytes on to an address, and keeps them.
type relay struct {
	net.Listener
	mu   sync.Mutex
	seen bytes.Buffer
}

func (r *relay) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.seen.Write(b)
}

func newRelay(t *testing.T, to string) *relay {
	r := &relay{Listener: must.Get(net.Listen("tcp", "127.0.0.1:0"))}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			c, err := r.Accept()
			if err != nil {
				return
			}
			d := must.Get(net.Dial("tcp", to))
			all.Go(func() { io.Copy(d, io.TeeReader(c, r)); d.(*net.TCPConn).CloseWrite() })
			all.Go(func() { io.Copy(c, io.TeeReader(d, r)); c.(*net.TCPConn).CloseWrite() })
		}
	})
	t.Cleanup(func() { r.Close() })
	return r
}

// With certificates, nobody between nodes can read what is passed on, nor who the client is.
func TestTLSHides(t *testing.T) {
	s := newSite(t, certified(t, securetest.NewAuthority(t, "nodes"), ""))
	r := newRelay(t, s.link.Address())
	passedOn(t, s, r.Addr().String())
	r.mu.Lock()
	defer r.mu.Unlock()
	if seen := r.seen.String(); seen == "" || strings.Contains(seen, "secrets") || strings.Contains(seen, "beanstalk") {
		t.Errorf("%q can be read", seen)
	}
}

// Much data, both ways, over TLS (FW1).
func TestTLSAllBytesInOrder(t *testing.T) {
	allBytesInOrder(t, newSite(t, certified(t, securetest.NewAuthority(t, "nodes"), "secret")))
}

// A node without a certificate, with one of another authority, with another secret, or with no TLS at all, is a
// stranger (FW7, FW8), whichever side it is on.
func TestTLSStrangers(t *testing.T) {
	a, b := securetest.NewAuthority(t, "nodes"), securetest.NewAuthority(t, "others")
	for what, other := range map[string]Cluster{"another authority": certified(t, b, "secret"),
		"another secret": certified(t, a, "else"), "no TLS": plain} {
		var text must.Text
		s := newSite(t, certified(t, a, "secret"))
		s.log = text.Logger()
		s.Forwarder.proofs = must.Get(other.proofs())
		s.SetWait(300 * time.Millisecond)
		s.serves()
		c := s.dial()
		must.Get(io.WriteString(c, "put"))
		c.CloseWrite()
		if b, _ := io.ReadAll(c); len(b) > 0 || len(s.host.come) > 0 || !strings.Contains(text.String(), "passed on") {
			t.Errorf("%s: %q, and %d clients; the log says %q", what, b, len(s.host.come), text.String())
		}
	}
}

// Each side checks the other one's certificate, whatever that one checks (FW7, FW8).
func TestTLSEachSideChecks(t *testing.T) {
	s := newSite(t, certified(t, securetest.NewAuthority(t, "nodes"), "secret"))
	others := certified(t, securetest.NewAuthority(t, "others"), "secret")
	foreign := must.Get(others.proofs()).tls.Clone()
	foreign.InsecureSkipVerify = true
	foreign.ClientAuth = tls.NoClientCert
	for _, certificates := range [][]tls.Certificate{foreign.Certificates, nil} {
		config := foreign.Clone()
		config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
			return &append(slices.Clone(certificates), tls.Certificate{})[0], nil // though nobody asks for one of these
		}
		c, err := tls.Dial("tcp", s.link.Address(), config)
		if err != nil {
			continue
		}
		if b, err := io.ReadAll(c); len(b) > 0 || err == nil {
			t.Errorf("with %d certificates of others it is greeted with %q, %v", len(certificates), b, err)
		}
		c.Close()
	}
	l := must.Get(tls.Listen("tcp", "127.0.0.1:0", foreign))
	defer l.Close()
	s.Owner(l.Addr().String())
	d := s.dial()
	must.Get(io.WriteString(d, "put"))
	c := must.Get(l.Accept())
	defer c.Close()
	if err := c.(*tls.Conn).HandshakeContext(t.Context()); err == nil {
		t.Error("a link with a certificate of others is believed")
	}
}

// The link closes the connections of a host that has closed its own, also those of idle clients that never close
// theirs, and then ends.
func TestTLSLinkCloses(t *testing.T) {
	was := lingerFor
	t.Cleanup(func() { lingerFor = was })
	lingerFor = 2 * must.Patience
	s := newSite(t, certified(t, securetest.NewAuthority(t, "nodes"), ""))
	s.serves()
	c := s.dial()
	v := s.host.next(t)
	says(t, c, v, "put")
	must.Get(io.WriteString(v, "INSERTED"))
	v.Close()
	ctx, cancel := context.WithTimeout(t.Context(), must.Patience)
	defer cancel()
	must.Do(t, s.link.Close(ctx))
	must.Do(t, ctx.Err())
	if b, err := io.ReadAll(c); string(b) != "INSERTED" {
		t.Errorf("%q, %v", b, err)
	}
}
