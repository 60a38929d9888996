package httpfronttest

import (
	"bufio"
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"beanfield/conn"
	"beanfield/conn/secure"
	"beanfield/conn/secure/securetest"
	"beanfield/storage/must"
)

// FrontEnd is what a House needs of the front end that it has.
type FrontEnd interface {
	Over(net.Addr, *secure.Certificates) conn.FrontEnd
	Shutdown(context.Context) error
}

// Anywhere is a front end at an address of which only the server knows that it is a loopback one.
type Anywhere struct{ FrontEnd }

// Over implements FrontEnd.
func (a Anywhere) Over(_ net.Addr, c *secure.Certificates) conn.FrontEnd {
	return a.FrontEnd.Over(nil, c)
}

// House is a front end on a socket of its own.
type House struct {
	T        testing.TB
	Acceptor *conn.Acceptor
	Address  string
	Trust    *tls.Config // of clients; nil without TLS

	front   FrontEnd
	works   []string // what the stacks of the front end's goroutines show
	served  sync.WaitGroup
	closing sync.Once
}

// New makes a house for a front end that Open brings. works are functions that only goroutines of
// the front end call, besides those of net/http.
func New(t testing.TB, works ...string) *House {
	t.Helper()
	a := must.Get(conn.NewAcceptor(conn.Options{}))
	return &House{T: t, Acceptor: a, works: append(works, "net/http.(*conn)")}
}

// Open starts the front end, with TLS or without. When the test ends, nothing of it may be left.
func (h *House) Open(f FrontEnd, secured bool) {
	h.T.Helper()
	h.front = f
	var certs *secure.Certificates
	if secured {
		certs, h.Trust = Certificates(h.T)
	}
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))
	h.Address = l.Addr().String()
	h.served.Go(func() {
		if err := h.Acceptor.Serve(l, f.Over(l.Addr(), certs)); err != nil {
			h.T.Errorf("Serve: %v", err)
		}
	})
	h.T.Cleanup(h.Close)
}

// Certificates are those of a server, with what makes clients trust it.
func Certificates(t testing.TB) (*secure.Certificates, *tls.Config) {
	t.Helper()
	a := securetest.NewAuthority(t, "authority")
	p := a.Usual("server")
	dir := t.TempDir()
	c := must.Get(secure.Read(secure.Options{Cert: securetest.Write(t, dir, "cert", p.Cert), Key: securetest.Write(t,
		dir, "key", p.Key)}))
	secure.NewKeeper(nil, c)
	return c, a.Trust()
}

// Close shuts the front end down, and makes sure that no client and no goroutine is left.
func (h *House) Close() { h.closing.Do(h.shut) }

func (h *House) shut() {
	h.Acceptor.Stop()
	h.served.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), must.Patience)
	defer cancel()
	if err := h.front.Shutdown(ctx); err != nil {
		h.T.Errorf("Shutdown: %v", err)
	}
	if n := h.Acceptor.Open(); n != 0 {
		h.T.Errorf("%d clients have not left", n)
	}
	h.NoGoroutines()
}

// AllLeft waits until there is no connection any more.
func (h *House) AllLeft() {
	h.T.Helper()
	must.Until(h.T, "no connection is open", func() bool { return h.Acceptor.Open() == 0 })
}

// NoGoroutines waits until the front end has none for a client any more.
func (h *House) NoGoroutines() {
	h.T.Helper()
	must.Until(h.T, "no goroutine is left", func() bool { return len(h.goroutines()) == 0 })
}

// goroutines lists those of the front end.
func (h *House) goroutines() (list []string) {
	text := make([]byte, 1<<20)
	for n := runtime.Stack(text, true); ; n = runtime.Stack(text, true) {
		if n < len(text) {
			text = text[:n]
			break
		}
		text = make([]byte, 2*len(text))
	}
	for g := range strings.SplitSeq(string(text), "\n\n") {
		for _, name := range h.works {
			if strings.Contains(g, name) {
				list = append(list, g)
				break
			}
		}
	}
	return list
}

// Dial connects a client.
func (h *House) Dial() *Client {
	h.T.Helper()
	c := must.Get(net.Dial("tcp", h.Address))
	h.T.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(must.Patience))
	if h.Trust != nil {
		c = tls.Client(c, h.Trust)
	}
	return &Client{T: h.T, Conn: c, In: bufio.NewReader(c)}
}

// Start sends a request on a connection of its own.
func (h *House) Start(method, target, headers, body string) *Client {
	h.T.Helper()
	c := h.Dial()
	c.Send(Request(method, target, headers, body))
	return c
}

// Say sends a request on a connection of its own and returns the answer.
func (h *House) Say(method, target, headers, body string) (*http.Response, string) {
	h.T.Helper()
	c := h.Start(method, target, headers, body)
	defer c.Close()
	return c.Response(method)
}

// Expect sends a request that must be answered with this status, and returns the answer's body.
func (h *House) Expect(status int, method, target, headers, body string) string {
	h.T.Helper()
	c := h.Start(method, target, headers, body)
	defer c.Close()
	return c.Expect(status)
}
