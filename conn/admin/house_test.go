package admin

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"beanfield/conn"
)

// patience bounds every wait in these tests. It is far beyond what any of them needs, so
// a test that reaches it has found a fault.
const patience = 10 * time.Second

// house is a server on a socket of its own.
type house struct {
	t       testing.TB
	server  *Server
	accept  *conn.Acceptor
	address string
	served  sync.WaitGroup
	closing sync.Once
}

// newHouse starts a server. When the test ends, nothing of it may be left.
func newHouse(t testing.TB, o Options) *house {
	t.Helper()
	h := &house{t: t}
	var err error
	if h.accept, err = conn.NewAcceptor(conn.Options{}); err != nil {
		t.Fatal(err)
	}
	if h.server, err = NewServer(h.accept, o); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	h.address = l.Addr().String()
	h.served.Go(func() {
		if err := h.accept.Serve(l, h.server); err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	t.Cleanup(h.close)
	return h
}

// close shuts the server down, and looks for what is left behind (H1, H2).
func (h *house) close() {
	h.closing.Do(func() {
		h.accept.Stop()
		h.served.Wait()
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := h.server.Shutdown(ctx); err != nil {
			h.t.Errorf("Shutdown: %v", err)
		}
		if n := h.accept.Open(); n != 0 {
			h.t.Errorf("H1: %d clients have not left", n)
		}
		h.noGoroutines()
	})
}

// noGoroutines waits until net/http has none for a connection any more.
func (h *house) noGoroutines() {
	text := make([]byte, 1<<20)
	for end := time.Now().Add(patience); time.Now().Before(end); runtime.Gosched() {
		if !strings.Contains(string(text[:runtime.Stack(text, true)]), "net/http.(*conn)") {
			return
		}
	}
	h.t.Errorf("H2: goroutines are left: %s", text[:runtime.Stack(text, true)])
}

// dial connects a client.
func (h *house) dial() *client {
	h.t.Helper()
	c, err := net.Dial("tcp", h.address)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(patience))
	return &client{h.t, c, bufio.NewReader(c)}
}

// client is a connection, byte by byte.
type client struct {
	t testing.TB
	net.Conn
	in *bufio.Reader
}

func (c *client) send(text string) {
	c.t.Helper()
	if _, err := io.WriteString(c, text); err != nil {
		c.t.Fatal(err)
	}
}

// response reads the answer to a request of this method, with its body.
func (c *client) response(method string) (*http.Response, string) {
	c.t.Helper()
	r, err := http.ReadResponse(c.in, &http.Request{Method: method})
	if err != nil {
		c.t.Fatal(err)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return r, string(body)
}

// ended makes sure that the server closes the connection.
func (c *client) ended() {
	c.t.Helper()
	if _, err := io.Copy(io.Discard, c.in); err != nil {
		if ne, ok := err.(net.Error); ok && ne.Timeout() {
			c.t.Error("the connection is not closed")
		}
	}
}

// say sends a request on a connection of its own and returns the answer.
func (h *house) say(method, target, headers, body string) (*http.Response, string) {
	h.t.Helper()
	c := h.dial()
	defer c.Close()
	c.send(requestText(method, target, headers, body))
	return c.response(method)
}

func requestText(method, target, headers, body string) string {
	if body != "" {
		headers += fmt.Sprintf("Content-Length: %d\r\n", len(body))
	}
	return fmt.Sprintf("%s %s HTTP/1.1\r\nHost: x\r\n%s\r\n%s", method, target, headers, body)
}
