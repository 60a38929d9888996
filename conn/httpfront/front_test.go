package httpfront

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"maps"
	"net"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"beanfield/conn"
	"beanfield/conn/httpfront/httpfronttest"
	"beanfield/conn/secure"
	"beanfield/storage/must"
)

const patience = must.Patience

// host serves clients in place of net/http: each is sent back what it sends.
type host struct {
	*Front
	t       *testing.T
	closed  chan struct{} // by Close
	shutErr error         // what Shutdown answers
	serving sync.WaitGroup
}

func newHost(t *testing.T, o Options) *host {
	t.Helper()
	a := must.Get(conn.NewAcceptor(conn.Options{}))
	h := &host{t: t, closed: make(chan struct{})}
	h.Front = must.Get(New(a, o))
	h.serving.Go(func() {
		for {
			c, err := h.Accept()
			if err != nil {
				return
			}
			h.serving.Go(func() { h.serve(c.(*Client)) })
		}
	})
	return h
}

func (h *host) serve(g *Client) {
	defer g.Close()
	if c, ok := g.Conn.(*secure.Conn); ok && !c.ConnectionState().HandshakeComplete {
		h.t.Error("HA3: a client comes before its handshake is complete")
	}
	b := make([]byte, 100)
	for {
		n, err := g.Read(b)
		if err != nil {
			return
		}
		g.Asked()
		g.Write(b[:n])
	}
}

// Shutdown and Close are those of the http.Server.
func (h *host) Shutdown(context.Context) error { h.Front.Close(); return h.shutErr }
func (h *host) Close() error                   { close(h.closed); return nil }

// listen lets clients come through a front end, and returns where.
func (h *host) listen(f conn.FrontEnd) string {
	h.t.Helper()
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))
	h.serving.Go(func() { h.acceptor.Serve(l, f) })
	return l.Addr().String()
}

// end shuts the front down, and makes sure that nothing is left (HA1, HA2).
func (h *host) end(ctx context.Context) error {
	h.t.Helper()
	h.acceptor.Stop()
	err := h.Front.Shutdown(ctx, h)
	if n := h.Connections(); n != 0 {
		h.t.Errorf("HA2: %d clients are left", n)
	}
	if open := h.acceptor.Open(); open != 0 {
		h.t.Errorf("HA1: the acceptor counts %d clients when all have left", open)
	}
	h.serving.Wait()
	return err
}

func (h *host) dial(address string) net.Conn {
	h.t.Helper()
	c := must.Get(net.Dial("tcp", address))
	h.t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(patience))
	return c
}

// echo makes sure that a client is served.
func (h *host) echo(c net.Conn) {
	h.t.Helper()
	got := make([]byte, 2)
	io.WriteString(c, "hi")
	if _, err := io.ReadFull(c, got); err != nil || string(got) != "hi" {
		h.t.Errorf("the answer is %q, %v", got, err)
	}
}

// present are the clients that are there.
func (h *host) present() []*Client {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Collect(maps.Keys(h.clients))
}

// await waits until there are n clients.
func (h *host) await(n int) {
	h.t.Helper()
	must.Until(h.t, fmt.Sprint(n, " clients"), func() bool { return h.Connections() == n })
}

// isClosed makes sure that the server has closed a client's connection.
func isClosed(t *testing.T, c net.Conn) {
	t.Helper()
	if _, err := io.Copy(io.Discard, c); err != nil {
		if ne, ok := err.(net.Error); ok && ne.Timeout() {
			t.Error("a connection is not closed")
		}
	}
}

// HA1: clients leave once, whoever closes them.
func TestClientsLeave(t *testing.T) {
	h := newHost(t, Options{})
	address := h.listen(h.Over(nil, nil))
	leaves, stays := h.dial(address), h.dial(address)
	h.echo(leaves)
	h.echo(stays)
	leaves.Close()
	h.await(1)
	if n := h.acceptor.Open(); n != 1 {
		t.Errorf("%d are open, want 1", n)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	h.end(ctx)
	isClosed(t, stays)
}

// HA2: a client that has asked may have its answer until the end; a client that has not is
// closed at once. When the time is over, all are closed, and the http.Server too.
func TestShutdown(t *testing.T) {
	h := newHost(t, Options{})
	address := h.listen(h.Over(nil, nil))
	asked, silent := h.dial(address), h.dial(address)
	h.echo(asked)
	h.await(2)
	h.shutErr = context.DeadlineExceeded // of net/http's Shutdown
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- h.end(ctx) }()
	isClosed(t, silent)
	h.echo(asked)
	select {
	case err := <-ended:
		t.Fatalf("Shutdown returns (%v) while a client is there", err)
	default:
	}
	cancel()
	if err := <-ended; err == nil {
		t.Error("Shutdown does not say that it was forced")
	}
	isClosed(t, asked)
	select {
	case <-h.closed:
	default:
		t.Error("the http.Server is not closed after its Shutdown has failed")
	}
}

// passed welcomes clients as one that another node has passed on.
type passed struct {
	conn.FrontEnd
	from conn.Peer
}

func (p passed) Welcome(socket int, _ *conn.Peer) { p.FrontEnd.Welcome(socket, &p.from) }

// A client that another node has passed on is shown, and judged, as who it is there: also one of a unix socket.
func TestClientThatWasPassedOn(t *testing.T) {
	h := newHost(t, Options{})
	from := conn.Peer{Unix: true, UID: 7, GID: 8, PID: 9}
	c := h.dial(h.listen(passed{h.Over(nil, nil), from}))
	h.echo(c)
	if all := h.Clients(nil); len(all) != 1 || all[0].Peer != from {
		t.Errorf("shown as %+v", all)
	}
	h.mu.Lock()
	for g := range h.clients {
		if id := g.Identity(); id.Peer != from || g.From() != from.String() {
			t.Errorf("judged as %+v, from %s", id, g.From())
		}
	}
	h.mu.Unlock()
	c.Close()
	h.await(0)
	h.end(t.Context())
}

// A socket that cannot become a connection has left.
func TestUselessSocket(t *testing.T) {
	h := newHost(t, Options{})
	file := must.Get(syscall.Open("/dev/null", syscall.O_RDONLY, 0))
	h.Over(nil, nil).Welcome(file, nil)
	if n := h.acceptor.Open(); n != -1 { // it was never counted in
		t.Errorf("the acceptor counts %d", n)
	}
	if h.Connections() != 0 {
		t.Error("it is a client")
	}
	h.Front.Close()
	h.serving.Wait()
}

// net/http ends a connection in one direction first, with TLS too, so that its answer is not
// lost: what the client still sends would have it reset.
func TestCloseWrite(t *testing.T) {
	h := newHost(t, Options{})
	secured, trust := h.overTLS()
	plain := h.listen(h.Over(nil, nil))
	for _, over := range []bool{false, true} {
		var c net.Conn
		if over {
			c = tls.Client(h.dial(secured), trust)
		} else {
			c = h.dial(plain)
		}
		h.echo(c)
		h.mu.Lock()
		for g := range h.clients {
			if err := g.CloseWrite(); err != nil {
				t.Error(err)
			}
		}
		h.mu.Unlock()
		if n, err := c.Read(make([]byte, 1)); n != 0 || err != io.EOF {
			t.Errorf("%T: the client reads %d bytes, %v, want the end", c, n, err)
		}
		if h.Connections() != 1 {
			t.Errorf("%T: the client has gone", c)
		}
		c.Close()
		h.await(0)
	}
	h.end(context.Background())
}

// overTLS lets clients come over TLS too.
func (h *host) overTLS() (address string, trust *tls.Config) {
	h.t.Helper()
	certs, trust := httpfronttest.Certificates(h.t)
	return h.listen(h.Over(nil, certs)), trust
}

// Clients that stop in the middle of a handshake, or that speak without TLS, do not stay,
// and others are served (HA3).
func TestHandshakesThatStop(t *testing.T) {
	h := newHost(t, Options{HandshakeTimeout: time.Hour})
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
