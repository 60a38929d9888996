package beanstalk

import (
	"crypto/tls"
	"sync"
	"testing"

	"beanfield/conn/secure"
	"beanfield/conn/secure/securetest"
	"beanfield/storage/must"
)

// credentials are the certificates that most tests use: the server's, and who trusts
// it. To make them takes longer than most tests.
var credentials = sync.OnceValues(func() (*securetest.Authority, securetest.Pair) {
	t := &testing.B{}
	a := securetest.NewAuthority(t, "authority")
	return a, a.Usual("server")
})

// certificates reads certificates from files of their own, which change may change.
func certificates(t testing.TB, change func(o *secure.Options)) *secure.Certificates {
	t.Helper()
	a, p := credentials()
	dir := shortTemp(t)
	o := secure.Options{
		Cert: securetest.Write(t, dir, "cert.pem", p.Cert), Key: securetest.Write(t, dir, "key.pem", p.Key),
	}
	if change != nil {
		o.ClientCA = securetest.Write(t, dir, "ca.pem", a.PEM)
		change(&o)
	}
	c := must.Get(secure.Read(o))
	secure.NewKeeper(nil, c)
	return c
}

// trust is what a client needs to know of the server.
func trust(t testing.TB, own ...securetest.Pair) *tls.Config {
	a, _ := credentials()
	return a.Trust(own...)
}

// secured is the server's front end over TLS, with the usual certificate.
func (h *house) secured() *secured {
	h.t.Helper()
	if h.sealing == nil {
		f := h.server.Door(Door{Certificates: certificates(h.t, nil)}).(secured)
		h.sealing, h.trust = &f, trust(h.t)
	}
	return h.sealing
}

func (h *house) dialTLS() *client {
	h.t.Helper()
	if h.tls == "" {
		h.tls = h.serve("tcp", "127.0.0.1:0", h.secured())
	}
	nc := must.Get(tls.Dial("tcp", h.tls, h.trust))
	return newClient(h.t, nc)
}

// sealed is pair over TLS. Without a configuration the client has the usual one.
func (h *house) sealed(c *tls.Config) *client {
	h.t.Helper()
	near := h.pairWith(h.secured())
	if c == nil {
		c = h.trust
	}
	nc := tls.Client(near, c)
	must.Do(h.t, nc.Handshake())
	return newClient(h.t, nc)
}
