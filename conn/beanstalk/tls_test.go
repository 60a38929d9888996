package beanstalk

import (
	"crypto/tls"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os/exec"
	"strings"
	"testing"

	"beanfield/conn/secure/securetest"
	"beanfield/conn/socket"
	"beanfield/storage/must"
)

// A client that reads slowly, or not at all, gets every byte of large replies in order,
// and meanwhile the server holds little of them in records.
func TestLargeRepliesOverTLS(t *testing.T) {
	h := newHouse(t, func(o *houseOptions) { o.MaxJobSize, o.Loops = 8<<20, 1 })
	c := h.sealed(nil)
	const size, replies = 3 << 20, 5
	body := bodyOf(size)
	id := c.put(0, 0, 60, body)
	before := heapInUse()
	c.send(strings.Repeat(fmt.Sprintf("peek %d\r\nlist-tube-used\r\n", id), replies))
	must.Get(c.br.Peek(1))
	eventually(t, "its replies are stuck", func() bool { return h.server.loops[0].Asleep() })
	atMost(t, "it is held", 4*socket.SealPiece, func() int64 { return heapInUse() - before })
	for range replies {
		if _, got := c.job("FOUND"); got != body {
			t.Fatal("another body has come")
		}
		c.expect("USING default")
	}
	c.do("list-tube-used", "USING default")
}

// What is sealed and does not fit into the socket is sent when there is room, also if nothing comes
// behind it, and wherever in its records the socket takes no more: to a client that reads all at
// once, and to one that reads a little at a time.
func TestEndsOfRepliesOverTLS(t *testing.T) {
	h := newHouse(t, func(o *houseOptions) { o.MaxJobSize, o.Loops = 1<<20, 1 })
	p := h.pair()
	for size := 100 << 10; size < 500<<10; size += 12 << 10 {
		c, piece := h.sealed(nil), size
		if size >= 400<<10 {
			piece = 16 << 10
		}
		id := p.put(0, 0, 60, bodyOf(size))
		rest := fmt.Sprintf("FOUND %d %d\r\n%s\r\n", id, size, bodyOf(size))
		c.send(fmt.Sprintf("peek %d\r\n", id))
		must.Get(c.br.Peek(1))
		for rest != "" {
			eventually(t, "the loop has sent what it can", func() bool { return h.server.loops[0].Asleep() })
			n := min(len(rest), piece)
			c.reads(rest[:n])
			rest = rest[n:]
		}
		c.close()
	}
}

// hoarding makes a client over TLS that has shaken hands, and what can hold its records back.
func (h *house) hoarding() (*client, *hoard) {
	far := &hoard{Conn: h.pairWith(h.secured())}
	c := newClient(h.t, tls.Client(far, h.trust))
	c.do("list-tube-used", "USING default")
	return c, far
}

// hoard is a connection that keeps what is written, while it is told to.
type hoard struct {
	net.Conn
	hold bool
	held []byte
}

func (h *hoard) Write(b []byte) (int, error) {
	if !h.hold {
		return h.Conn.Write(b)
	}
	h.held = append(h.held, b...)
	return len(b), nil
}

// pending is how many bytes the other end of a unix socket has not read.
func pending(t testing.TB, nc net.Conn) int32 {
	return (&client{t: t, nc: nc}).unread()
}

// The end that TLS announces, with the socket still open both ways, ends a wait; what
// was sent before it is answered; and the server announces its own end last.
func TestCloseNotify(t *testing.T) {
	h := newHouse(t)
	h.secured()
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		config := h.trust.Clone()
		config.MaxVersion = version
		r := &recorder{Conn: h.pairWith(h.secured())}
		nc := tls.Client(r, config)
		c := newClient(t, nc)
		c.send("reserve-with-timeout 100\r\nlist-tube-used\r\n")
		eventually(t, "it waits", func() bool { return h.waiting() == 1 })
		c.closeWrite()
		c.expect("TIMED_OUT")
		c.expect("USING default")
		c.eof()
		// A record of TLS 1.2 says in the open what it is; in one of 1.3 the length tells.
		last := r.got[len(r.got)-24:]
		if version == tls.VersionTLS12 {
			last = r.got[len(r.got)-31:]
		}
		if typ := last[0]; typ != 21 && (version == tls.VersionTLS12 || typ != 23) ||
			int(last[3])<<8+int(last[4]) != len(last)-5 {
			t.Errorf("version %x ends with % x", version, last)
		}
		eventually(t, "it leaves", func() bool { return h.server.open.Load() == 0 })
	}
}

// W2: openssl, which nobody here has written, can do what Go's client cannot: renegotiate,
// which is refused, and ask for new keys, which are made without losing a byte.
func TestOpenSSL(t *testing.T) {
	if _, err := exec.LookPath("openssl"); err != nil {
		t.Skip("no openssl here")
	}
	h := newHouse(t)
	a, _ := credentials()
	h.dialTLS().do("list-tube-used", "USING default")
	ca := securetest.Write(t, shortTemp(t), "ca", a.PEM)
	const key = "KEYUPDATE"
	for _, c := range []struct {
		version string
		talk    []string // a line, and what it brings
	}{
		{"-tls1_3", []string{"use a", "USING a"}},
		{"-tls1_2", []string{"use a", "USING a"}},
		{"-tls1_3", []string{"use a", "USING a", "k", key, "use b", "USING b", "K", key, "use c", "USING c", "K", key,
			"k", key, "use d", "USING d"}},
		{"-tls1_2", []string{"use a", "USING a", "R", "alert unexpected message"}},
	} {
		args := []string{"s_client", "-connect", h.tls, "-CAfile", ca, "-verify_return_error", "-crlf", c.version}
		out := converse(t, exec.Command("openssl", args...), c.talk)
		if len(out.Lines("Verify return code: 0 (ok)")) == 0 {
			t.Errorf("%s: the certificate has not been verified", c.version)
		}
	}
	eventually(t, "all have left", func() bool { return h.server.open.Load() == 1 })
}

// converse types lines into a program, and waits for what each brings before it types the
// next: to openssl, a letter is a command only if it comes alone.
func converse(t *testing.T, cmd *exec.Cmd, talk []string) *must.Text {
	t.Helper()
	in := must.Get(cmd.StdinPipe())
	out := new(must.Text)
	cmd.Stdout, cmd.Stderr = out, out
	must.Do(t, cmd.Start())
	defer func() {
		in.Close()
		cmd.Process.Kill()
		cmd.Wait()
	}()
	for i := 0; i < len(talk); i += 2 {
		before := len(out.Lines(talk[i+1]))
		io.WriteString(in, talk[i]+"\n") // fails if the program has ended, with what is expected
		eventually(t, fmt.Sprintf("%s: %q brings %q", cmd, talk[i], talk[i+1]), func() bool {
			return len(out.Lines(talk[i+1])) > before
		})
	}
	return out
}

// sender is a client of TestRecordsInTurn.
type sender struct {
	*client
	far  *hoard
	tls  *socket.TLS
	body string
	ids  []uint64
}

// Connections that read parts of records in turn, on the same loop, do not get each other's
// bytes, and those that have read all keep no buffer.
func TestRecordsInTurn(t *testing.T) {
	h := newHouse(t, func(o *houseOptions) { o.Loops = 1 })
	front := &kept{server: h.server, certs: certificates(t, nil)}
	var all []*sender
	for i := range 6 {
		far := &hoard{Conn: h.pairWith(front)}
		s := &sender{far: far, tls: front.tls, body: fmt.Sprint(i) + bodyOf(100+i*i*1500)}
		s.client = newClient(t, tls.Client(far, trust(t)))
		s.do("list-tube-used", "USING default")
		far.hold = true
		all = append(all, s)
	}
	for range 20 {
		for _, s := range all {
			s.send(fmt.Sprintf("put 0 0 60 %d\r\n%s\r\n", len(s.body), s.body))
		}
		dribble(t, all)
		for _, s := range all {
			s.ids = append(s.ids, s.inserted())
		}
	}
	other := h.pair()
	for i, s := range all {
		for _, id := range s.ids {
			other.send(fmt.Sprintf("peek %d\r\n", id))
			if _, body := other.job("FOUND"); body != s.body {
				t.Fatalf("sender %d: %.20q instead of %.20q", i, body, s.body)
			}
		}
	}
	h.close()
	for i, s := range all {
		if n := s.tls.Buffer(); n > 0 {
			t.Errorf("sender %d has a buffer of %d bytes", i, n)
		}
	}
}

// dribble sends what the senders have to send, in pieces from one and another.
func dribble(t *testing.T, all []*sender) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, uint64(len(all[0].ids))))
	for left := len(all); left > 0; {
		s := all[r.IntN(len(all))]
		if len(s.far.held) == 0 {
			continue
		}
		n := min(len(s.far.held), 1+r.IntN(9000))
		must.Get(s.far.Conn.Write(s.far.held[:n]))
		if s.far.held = s.far.held[n:]; len(s.far.held) == 0 {
			left--
		}
		eventually(t, "it is read", func() bool { return pending(t, s.far.Conn) == 0 })
	}
}
