package beanstalk

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"beanfield/conn"
	"beanfield/conn/socket"
	"beanfield/storage/must"
)

// client is one end of a connection, with a bound on every wait.
type client struct {
	t  testing.TB
	nc net.Conn
	br *bufio.Reader
}

func (h *house) dial() *client {
	if h.tcp == "" {
		h.tcp = h.serve("tcp", "127.0.0.1:0", h.server)
	}
	return dial(h.t, "tcp", h.tcp)
}

func (h *house) dialUnix() *client {
	if h.unix == "" {
		h.unix = h.serve("unix", filepath.Join(shortTemp(h.t), "s"), h.server)
	}
	return dial(h.t, "unix", h.unix)
}

// pair connects a client without a listener, which is much cheaper. The acceptor
// hears of it only when it leaves.
func (h *house) pair() *client {
	h.t.Helper()
	return newClient(h.t, h.pairWith(h.server))
}

// pairWith connects to a front end of the server.
func (h *house) pairWith(front conn.FrontEnd) net.Conn {
	h.t.Helper()
	fds := must.Get(socket.Pair())
	h.paired.Add(1)
	front.Welcome(fds[1], nil)
	f := os.NewFile(uintptr(fds[0]), "pair")
	nc, err := net.FileConn(f)
	f.Close()
	if err != nil {
		h.t.Fatal(err)
	}
	return nc
}

func (h *house) connect(network string) *client {
	switch network {
	case "tcp":
		return h.dial()
	case "unix":
		return h.dialUnix()
	case "tls":
		return h.dialTLS()
	case "sealed":
		return h.sealed(nil)
	}
	return h.pair()
}

func dial(t testing.TB, network, address string) *client {
	t.Helper()
	nc := must.Get(net.Dial(network, address))
	return newClient(t, nc)
}

func newClient(t testing.TB, nc net.Conn) *client {
	t.Cleanup(func() { nc.Close() })
	return &client{t: t, nc: nc, br: bufio.NewReader(nc)}
}

func (c *client) close() { c.nc.Close() }

// closeWrite says that nothing more will be sent.
func (c *client) closeWrite() {
	c.t.Helper()
	must.Do(c.t, c.nc.(interface{ CloseWrite() error }).CloseWrite())
}

func (c *client) send(s string) {
	c.t.Helper()
	c.nc.SetWriteDeadline(time.Now().Add(patience))
	if _, err := io.WriteString(c.nc, s); err != nil {
		c.t.Fatalf("sending %.60q: %v", s, err)
	}
}

// line reads one line and cuts its CRLF off.
func (c *client) line() string {
	c.t.Helper()
	c.nc.SetReadDeadline(time.Now().Add(patience))
	s, err := c.br.ReadString('\n')
	if err != nil || !strings.HasSuffix(s, "\r\n") {
		c.t.Fatalf("a line is expected, got %.100q, %v", s, err)
	}
	return s[:len(s)-2]
}

func (c *client) bytes(n int) []byte {
	c.t.Helper()
	c.nc.SetReadDeadline(time.Now().Add(patience))
	b := make([]byte, n)
	if m, err := io.ReadFull(c.br, b); err != nil {
		c.t.Fatalf("%d bytes are expected, got %d: %v", n, m, err)
	}
	return b
}

// expect compares the next bytes with want and its CRLF.
func (c *client) expect(want string) {
	c.t.Helper()
	c.reads(want + "\r\n")
}

// reads compares the next bytes with want.
func (c *client) reads(want string) {
	c.t.Helper()
	must.Do(c.t, c.compare(want))
}

func (c *client) compare(want string) error {
	c.nc.SetReadDeadline(time.Now().Add(patience))
	got := make([]byte, 0, len(want))
	for i := range len(want) {
		b, err := c.br.ReadByte()
		if err != nil {
			return fmt.Errorf("got %.200q and then %v, want %.200q", got, err, want)
		}
		if want[i] == anyNumber[0] && b >= '0' && b <= '9' {
			for next, err := c.br.Peek(1); err == nil && next[0] >= '0' && next[0] <= '9'; next, err = c.br.Peek(1) {
				_, _ = c.br.ReadByte()
			}
			continue
		}
		if got = append(got, b); b != want[i] {
			more, _ := c.br.Peek(min(c.br.Buffered(), 200))
			return fmt.Errorf("got %.300q, want %.300q", append(got, more...), want)
		}
	}
	return nil
}

// do sends a line and compares the reply.
func (c *client) do(line, want string) {
	c.t.Helper()
	c.send(line + "\r\n")
	if err := c.compare(want + "\r\n"); err != nil {
		c.t.Fatalf("%.80q: %v", line, err)
	}
}

// watch watches tubes besides default.
func (c *client) watch(tubes ...string) {
	c.t.Helper()
	for i, tube := range tubes {
		c.do("watch "+tube, fmt.Sprintf("WATCHING %d", i+2))
	}
}

// ask sends a line and returns the first line of the reply.
func (c *client) ask(line string) string {
	c.t.Helper()
	c.send(line + "\r\n")
	return c.line()
}

// put puts a job and returns its id.
func (c *client) put(pri, delay, ttr int, body string) uint64 {
	c.t.Helper()
	c.send(fmt.Sprintf("put %d %d %d %d\r\n%s\r\n", pri, delay, ttr, len(body), body))
	return c.inserted()
}

// inserted reads the answer of a put.
func (c *client) inserted() uint64 {
	c.t.Helper()
	reply := c.line()
	id, ok := strings.CutPrefix(reply, "INSERTED ")
	n, err := strconv.ParseUint(id, 10, 64)
	if !ok || err != nil {
		c.t.Fatalf("put: %q", reply)
	}
	return n
}

// job reads a reply that carries a job.
func (c *client) job(word string) (id uint64, body string) {
	c.t.Helper()
	line := c.line()
	var n int
	if _, err := fmt.Sscanf(line, word+" %d %d", &id, &n); err != nil {
		c.t.Fatalf("%s is expected, got %q", word, line)
	}
	b := c.bytes(n + 2)
	if string(b[n:]) != "\r\n" {
		c.t.Fatalf("a body of job %d ends with %q", id, b[n:])
	}
	return id, string(b[:n])
}

// yaml sends a line and returns the lines of the document that answers it.
func (c *client) yaml(line string) []string {
	c.t.Helper()
	c.send(line + "\r\n")
	return c.lines()
}

// lines reads a reply that is a document, and returns its lines.
func (c *client) lines() []string {
	c.t.Helper()
	line := c.line()
	n, err := strconv.Atoi(strings.TrimPrefix(line, "OK "))
	if err != nil {
		c.t.Fatalf("%q is no document", line)
	}
	doc := string(c.bytes(n + 2))
	doc, ok := strings.CutSuffix(doc, "\n\r\n")
	lines := strings.Split(doc, "\n")
	if !ok || lines[0] != "---" {
		c.t.Fatalf("%q: not a document: %q", line, doc)
	}
	return lines[1:]
}

// stat asks for one value of a document.
func (c *client) stat(line, key string) string {
	c.t.Helper()
	for _, l := range c.yaml(line) {
		if v, ok := strings.CutPrefix(l, key+": "); ok {
			return v
		}
	}
	c.t.Fatalf("%q has no key %q", line, key)
	return ""
}

// drain reads what is left until the server closes the connection, and says how it ended.
func (c *client) drain() error {
	c.t.Helper()
	c.nc.SetReadDeadline(time.Now().Add(patience))
	_, err := io.Copy(io.Discard, c.br)
	if ne, ok := err.(net.Error); ok && ne.Timeout() {
		c.t.Fatal("the connection has not been closed")
	}
	return err
}

// eof expects the end of the connection, and nothing before it.
func (c *client) eof() {
	c.t.Helper()
	c.nc.SetReadDeadline(time.Now().Add(patience))
	b, err := c.br.ReadByte()
	if err == nil {
		more, _ := c.br.Peek(min(c.br.Buffered(), 200))
		c.t.Fatalf("the end is expected, got %.200q", append([]byte{b}, more...))
	}
	if ne, ok := err.(net.Error); ok && ne.Timeout() {
		c.t.Fatal("the connection has not been closed")
	}
}
