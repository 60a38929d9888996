package queueservice

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"beanfield/conn"
	"beanfield/conn/secure"
	"beanfield/shard/queue"
)

// patience bounds every wait in these tests. It is far beyond what any of them needs,
// so a test that reaches it has found a fault.
const patience = 10 * time.Second

// desk answers in place of the shards. It notes what is asked.
type desk struct {
	mu     sync.Mutex
	asked  []queue.Op
	answer func(*queue.Op) // nil: everything is answered OK, and nothing is found
	change chan struct{}   // closed at the next operation
	most   int             // operations that were asked at once
}

func (d *desk) Ask(op *queue.Op) {
	d.mu.Lock()
	answer := d.answer
	d.mu.Unlock()
	op.Status = queue.OK
	if answer != nil {
		answer(op)
	}
	noted := *op
	ask := *op.Ask
	noted.Ask = &ask
	noted.Data = bytes.Join(append([][]byte{op.Data}, op.Parts...), nil)
	ask.Spent = nil
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asked = append(d.asked, noted)
	if d.change != nil {
		close(d.change)
		d.change = nil
	}
}

func (d *desk) AskAll(ops []queue.Op) {
	d.mu.Lock()
	d.most = max(d.most, len(ops))
	d.mu.Unlock()
	for i := range ops {
		d.Ask(&ops[i])
	}
}

// last is the latest operation.
func (d *desk) last(t testing.TB) queue.Op {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.asked) == 0 {
		t.Fatal("nothing is asked")
	}
	return d.asked[len(d.asked)-1]
}

// await waits until n operations of a kind have been asked, and returns the last.
func (d *desk) await(t testing.TB, what queue.What, n int) queue.Op {
	t.Helper()
	timeout := time.After(patience)
	for {
		d.mu.Lock()
		seen := 0
		for _, op := range d.asked {
			if op.Ask.What == what {
				if seen++; seen == n {
					d.mu.Unlock()
					return op
				}
			}
		}
		if d.change == nil {
			d.change = make(chan struct{})
		}
		change := d.change
		d.mu.Unlock()
		select {
		case <-change:
		case <-timeout:
			t.Fatalf("%d operations %d are asked, want %d", seen, what, n)
		}
	}
}

// times is how many operations of a kind have been asked.
func (d *desk) times(what queue.What) (n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, op := range d.asked {
		if op.Ask.What == what {
			n++
		}
	}
	return n
}

// house is a server on a socket of its own.
type house struct {
	*desk
	t       testing.TB
	server  *Server
	accept  *conn.Acceptor
	address string
	trust   *tls.Config // nil without TLS
	served  sync.WaitGroup
	closing sync.Once
}

var someLimits = &queue.Limits{MaxLength: 1000, MaxPayload: 100000, MaxTags: 4096, MaxUnsent: 1 << 20}

func options() Options {
	return Options{LimitsFor: func(string) *queue.Limits { return someLimits }, Backend: "memory"}
}

// newHouse starts a server before a desk, or before the shards of set. When the test
// ends, nothing of it may be left.
func newHouse(t testing.TB, shards Shards, set ...func(*Options)) *house {
	t.Helper()
	return openHouse(t, shards, os.Getenv(secureEnv) != "", set...)
}

func openHouse(t testing.TB, shards Shards, secured bool, set ...func(*Options)) *house {
	t.Helper()
	h := &house{t: t}
	var certs *secure.Certificates
	if secured {
		certs, h.trust = certificates(t)
	}
	if shards == nil {
		h.desk = &desk{}
		shards = h.desk
	}
	o := options()
	for _, fn := range set {
		fn(&o)
	}
	var err error
	if h.accept, err = conn.NewAcceptor(conn.Options{}); err != nil {
		t.Fatal(err)
	}
	if h.server, err = NewServer(shards, h.accept, o); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	h.address = l.Addr().String()
	h.served.Go(func() {
		if err := h.accept.Serve(l, h.server.Over(certs)); err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	t.Cleanup(h.close)
	return h
}

// close shuts the server down, and looks for what is left behind (F3, F6).
func (h *house) close() { h.closing.Do(h.shut) }

func (h *house) shut() {
	h.accept.Stop()
	h.served.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := h.server.Shutdown(ctx); err != nil {
		h.t.Errorf("Shutdown: %v", err)
	}
	if n := h.accept.Open(); n != 0 {
		h.t.Errorf("%d clients have not left", n)
	}
	if n := h.accept.Polled(); n != 0 {
		h.t.Errorf("%d clients' sockets are counted as polled when all have left", n)
	}
	h.noGoroutines()
}

// allLeft waits until the server has no connection any more.
func (h *house) allLeft() {
	h.t.Helper()
	for end := time.Now().Add(patience); h.accept.Open() > 0; runtime.Gosched() {
		if time.Now().After(end) {
			h.t.Fatalf("%d connections are open", h.accept.Open())
		}
	}
}

// noGoroutines waits until the server has none any more.
func (h *house) noGoroutines() {
	var left []string
	for end := time.Now().Add(patience); time.Now().Before(end); runtime.Gosched() {
		if left = goroutines(); len(left) == 0 {
			return
		}
	}
	h.t.Errorf("%d goroutines are left: %s", len(left), left[0])
}

// goroutines lists those of servers.
func goroutines() (list []string) {
	text := make([]byte, 1<<20)
	for n := runtime.Stack(text, true); ; n = runtime.Stack(text, true) {
		if n < len(text) {
			text = text[:n]
			break
		}
		text = make([]byte, 2*len(text))
	}
	for _, g := range strings.Split(string(text), "\n\n") {
		if strings.Contains(g, "net/http.(*conn)") || strings.Contains(g, "queueservice.(*consumer)") {
			list = append(list, g)
		}
	}
	return list
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
	if h.trust != nil {
		c = tls.Client(c, h.trust)
	}
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

// response reads an answer with its body.
func (c *client) response() (*http.Response, string) {
	c.t.Helper()
	r, err := http.ReadResponse(c.in, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return r, string(body)
}

// ended makes sure that the server closes the connection and sends nothing before.
func (c *client) ended() {
	c.t.Helper()
	rest, err := io.ReadAll(c.in)
	if ne, ok := err.(net.Error); ok && ne.Timeout() {
		c.t.Error("the connection is not closed")
	}
	if len(rest) > 0 {
		c.t.Errorf("%q is still sent", rest)
	}
}

// say sends a request on a connection of its own and returns the answer.
func (h *house) say(method, target, headers, body string) (*http.Response, string) {
	h.t.Helper()
	c := h.dial()
	defer c.Close()
	c.send(requestText(method, target, headers, body))
	return c.response()
}

func requestText(method, target, headers, body string) string {
	if body != "" {
		headers += fmt.Sprintf("Content-Length: %d\r\n", len(body))
	}
	return fmt.Sprintf("%s %s HTTP/1.1\r\nHost: x\r\n%s\r\n%s", method, target, headers, body)
}
