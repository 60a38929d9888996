package main

import (
	"bufio"
	"crypto/sha256"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"beanfield/conn/secure/securetest"
	"beanfield/storage/must"
)

// link is where a member takes clients that others pass on.
func (m *member) link() string { return fmt.Sprintf("127.0.0.1:%d", m.passing.At.Link) }

// from connects to an address from another one of this machine, over TLS if there is somebody to trust.
func (m *member) from(host, address string, trust *tls.Config) *client {
	m.t.Helper()
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(host)}}
	c := must.Get(d.Dial("tcp", address))
	m.t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(patience))
	if trust != nil {
		c = tls.Client(c, trust)
	}
	return &client{c, m.t, bufio.NewReader(c)}
}

// shown has clients speak HTTP and show tokens.
func (m *member) shown() {
	c := m.dial("login")
	c.expect("GET / HTTP/1.1", "UNKNOWN_COMMAND") // where its listener lets it
	c.expect("auth right", "OK 0\r\n")
	c.expect("auth wrong", "NOT_FOUND")
	c = m.dial("tcp")
	c.send("GET / HTTP/1.1")
	c.gone("")
}

// Clients at a node that follows are served by the one that serves, however they come, and are judged and shown there
// as who they are. When nobody is heard to serve any more, they are closed.
func TestClientsOfAFollower(t *testing.T) {
	authority, certs := securetest.NewAuthority(t, "authority"), t.TempDir()
	pair := authority.Usual("server")
	more := fmt.Sprintf("[[listen]]\naddress = '127.0.0.1:0'\ncert = '%s'\nkey = '%s'\n"+
		"[[listen]]\naddress = 'unix:DIR/l'\nlogin = true\nrefuse_http = false\n[[access]]\ntoken = ['%x']\nmay = 'put'\n"+
		"[[access]]\nnetwork = ['127.0.0.5/32']\nmay = 'admin'\n[[access]]\nuid = %d\nmay = 'admin'\n",
		securetest.Write(t, certs, "cert", pair.Cert), securetest.Write(t, certs, "key", pair.Key),
		sha256.Sum256([]byte("right")), os.Getuid())
	serving, m, third := newMember(t, "", more), newMember(t, "", more), newMember(t, "", more)
	term := serving.serves()
	m.page("/readyz?any=1", 503)
	m.passing.Serves(serving.link())
	m.until("it passes clients on", func() bool {
		status, _ := page(t, m.dir+"/h", "/readyz?any=1", "")
		return status == 200
	})
	m.page("/readyz", 503)

	c := m.from("127.0.0.5", m.tcp, nil)
	c.expect("put 0 0 60 1\r\nx", "INSERTED 1")
	if list := serving.page("/api/v1/connections", 200); !strings.Contains(list, c.LocalAddr().String()) {
		t.Errorf("the client %v is not among %s", c.LocalAddr(), list)
	}
	m.from("127.0.0.6", m.tcp, nil).expect("peek-ready", "NOT_FOUND")
	local := m.dial("unix")
	local.expect("reserve", "RESERVED 1 1\r\nx")
	at := regexp.MustCompile(`address=(\S+) face=beanstalk tls=true`).FindStringSubmatch(m.said.String())[1]
	secured := m.from("127.0.0.5", at, authority.Trust())
	secured.expect("list-tube-used", "USING default")
	if status, answer, _ := request(t, nil, m.dir+"/q", "POST", "/api/predict/a", "", "hello"); status != 200 {
		t.Errorf("a put over HTTP is answered %d %s", status, answer)
	}
	socket := m.dial("queue")
	socket.send("GET /api/predict/a?_watch_=true HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n" +
		"Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n")
	m.until("it is a consumer", func() bool {
		return strings.Contains(serving.page("/api/v1/connections", 200), "consuming")
	})
	if text := m.page("/metrics", 200); !strings.Contains(text, `beanfield_connections{face="forward"} 5`) &&
		!strings.Contains(text, `beanfield_connections{face="forward"} 4`) { // with the one that was refused
		t.Errorf("the metrics of a follower are\n%s", text)
	}

	third.passing.Serves(serving.link())
	for _, at := range []*member{serving, m, third} {
		at.shown()
	}

	m.passing.Serves("")
	for _, c := range []*client{c, local} {
		c.gone("")
	}
	close(term.leave)
	<-term.ended
	for _, m := range []*member{serving, m, third} {
		m.finish()
	}
}

// Nodes that each believe that the other one serves pass nobody on for ever: a client that was passed on is never
// passed on again, and is let go when it has waited for long enough.
func TestNoLoops(t *testing.T) {
	a, b := newMember(t, "wait = '1s'\n"), newMember(t, "wait = '1s'\n")
	a.passing.Serves(b.link())
	b.passing.Serves(a.link())
	c := a.dial("tcp")
	c.send("list-tube-used")
	// nobody has read what it has sent, so this may be a reset
	if rest, err := io.ReadAll(c.r); len(rest) > 0 || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the client hears %q, %v", rest, err)
	}
	if text := b.page("/metrics", 200); !strings.Contains(text, `beanfield_connections{face="forward"} 0`) {
		t.Errorf("it has come back:\n%s", text)
	}
	a.finish()
	b.finish()
}

// At a full server a client that another node has passed on is served before those that come directly, but later.
func TestFullServer(t *testing.T) {
	const limit, direct = 2, 5
	serving, m := newMember(t, "", fmt.Sprintf("[limits]\nmax_connections = %d\n", limit)), newMember(t)
	term := serving.serves()
	m.passing.Serves(serving.link())
	var all []*client
	come := func() {
		c := serving.dial("tcp")
		c.send("list-tube-used")
		all = append(all, c)
	}
	for i := range limit {
		come()
		all[i].lines(1)
	}
	passed, served := m.dial("tcp"), make(chan int, 1)
	passed.send("list-tube-used")
	serving.says("accepting pauses") // for the one who is passed on: nobody else waits
	for range direct {
		come()
	}
	var n atomic.Int64
	go func() {
		passed.lines(1)
		served <- int(n.Load())
		passed.Close()
	}()
	for i := range direct {
		all[i].Close()
		all[limit+i].lines(1)
		n.Add(1)
	}
	if before := <-served; before > 0 {
		t.Errorf("%d have been served before one who came first", before)
	}
	for _, c := range all {
		c.Close()
	}
	close(term.lost)
	<-term.ended
	serving.finish()
	m.finish()
}

// loopback is an address of this machine that other tests do not use, where ports that the system does not give away
// are free.
func loopback(n int) string {
	return fmt.Sprintf("127.%d.%d.%d", 70+n, os.Getpid()>>8&255, os.Getpid()&255)
}

// A node may have several listeners with TLS. Who comes to one of them at a node that follows is shown its certificate,
// and must show one of its authority, as at the node that serves.
func TestCertificatesThroughAFollower(t *testing.T) {
	authorities := []*securetest.Authority{securetest.NewAuthority(t, "first"), securetest.NewAuthority(t, "second")}
	lines := "[[access]]\ncommon_name = 'worker'\nmay = 'admin'\n"
	for i, a := range authorities {
		dir, pair := t.TempDir(), a.Usual("server")
		lines += fmt.Sprintf("[[listen]]\naddress = 'HOST:2010%d'\ncert = '%s'\nkey = '%s'\nclient_ca = '%s'\n", i,
			securetest.Write(t, dir, "cert", pair.Cert), securetest.Write(t, dir, "key", pair.Key),
			securetest.Write(t, dir, "ca", a.PEM))
	}
	serving := newMember(t, "", strings.ReplaceAll(lines, "HOST", loopback(0)))
	m := newMember(t, "", strings.ReplaceAll(lines, "HOST", loopback(1)))
	term := serving.serves()
	m.passing.Serves(serving.link())
	for i, a := range authorities {
		at := fmt.Sprintf("%s:2010%d", loopback(1), i)
		m.from("127.0.0.1", at, a.Trust(a.Usual("worker"))).expect("list-tube-used", "USING default")
		c := m.from("127.0.0.1", at, a.Trust(authorities[1-i].Usual("worker")))
		c.Write([]byte("list-tube-used\r\n"))
		if rest, err := io.ReadAll(c.r); len(rest) > 0 || errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("with a certificate for another listener it is answered %q, %v", rest, err)
		}
	}
	close(term.lost)
	<-term.ended
	serving.finish()
	m.finish()
}
