package beanstalk

import (
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"beanfield/conn/beanstalk/event"
	"beanfield/conn/beanstalk/protocol"
	"beanfield/conn/secure"
)

const smuggled = "put 0 0 9 5\r\nwrong\r\n"

// webRequests are what browsers send for a page, up to the body.
var webRequests = map[string]string{
	"POST":                "POST / HTTP/1.1\r\n",
	"other method":        "x-!#$%&'*+-.^_`|~1 /a?b HTTP/1.1\r\n",
	"a command as method": "watch / HTTP/1.1\r\n",
	"HTTP/2":              "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
	"for a proxy":         "CONNECT queue:11300 HTTP/1.0\r\n",
	"spaces in the path":  "GET /a b c HTTP/1.1\r\n",
	"the longest line":    "GET /" + strings.Repeat("a", protocol.MaxLine-len("GET / HTTP/1.1")) + " HTTP/1.1\r\n",
	"too long by one":     "GET /" + strings.Repeat("a", protocol.MaxLine-len("GET / HTTP/1.1")+1) + " HTTP/1.1\r\n",
	"much too long":       "POST /" + strings.Repeat("a", 3*event.ReadBuffer) + " HTTP/1.1\r\n",
	"too long with CR":    "POST /" + strings.Repeat("\ra HTTP/1.\r", 99) + " HTTP/1.1\r\n",
	"Host":                "Host: queue:11300\r\n",
	"lower-case host":     "host:queue\r\n",
	"Host after others":   "PROXY TCP4 1.2.3.4 1.2.3.4 1 2\r\n\r\nPOST /a HTTP/1.1\r\nAccept: */*\r\nHOST: queue\r\n",
	"Host after old HTTP": "GET /\r\nHost: queue\r\n",
	"too long a Host":     "Accept: */*\r\nHost: " + strings.Repeat("a.", 126) + ":11300\r\n",
	"TLS with commands":   "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n",
}

// Whoever speaks HTTP, whatever the request, is disconnected before anything of its body is run,
// in whatever pieces it comes.
func TestHTTPIsRefused(t *testing.T) {
	for _, network := range []string{"tcp", "unix", "tls"} {
		h := newHouse(t)
		h.trust = trust(t)
		for name, text := range webRequests {
			for _, cut := range []int{0, 1, 5, len(text) - 2, len(text) - 1} {
				c := h.connect(network)
				text := text + "Content-Length: 20\r\n\r\n" + smuggled
				c.send(text[:cut])
				if cut > 0 {
					h.visitStats() // so that the first piece has been read, mostly
				}
				c.nc.Write([]byte(text[cut:])) // it may be closed by now
				c.nc.SetReadDeadline(time.Now().Add(patience))
				for {
					line, err := c.br.ReadString('\n')
					if ne, ok := err.(net.Error); ok && ne.Timeout() {
						t.Fatalf("%s, %s: not disconnected", network, name)
					}
					if err != nil {
						break
					}
					if line != string(protocol.UnknownCommand) && line != string(protocol.BadFormat) {
						t.Errorf("%s, %s: answered %q", network, name, line)
					}
				}
			}
		}
		if n := h.jobs(); n != 0 {
			t.Errorf("%s: %d jobs", network, n)
		}
	}
}

// visitStats takes the loops as long as one command.
func (h *house) visitStats() { h.pair().do("list-tube-used", "USING default") }

// A body may say anything, and so may a line that only resembles a request. What came before a
// request is answered.
func TestHTTPLookalikes(t *testing.T) {
	h := newHouse(t)
	for _, body := range []string{"Host: x\r\nHost: y", "POST / HTTP/1.1\r\nHost: x\r\n\r\n", "host:"} {
		for _, cut := range []int{0, 3} {
			c := h.pair()
			c.putTorn(body, cut)
			c.inserted()
			c.send(fmt.Sprintf("put 0 0 9 %d\r\n%s\r\n", len(body)+DefaultMaxJobSize, body+strings.Repeat(" ",
				DefaultMaxJobSize)))
			c.expect("JOB_TOO_BIG")
			c.do("list-tube-used", "USING default")
		}
	}
	for _, line := range []string{"GET /", "Host", "Hosts: x", " Host: x", " / HTTP/1.1", "GET / HTTP/1.1 ",
		"GET / http/1.1", "(x) / HTTP/1.1",
		"GET/HTTP/1.1", "GET / HTTP/a.1", "use x HTTP/11", "HTTP/1.1", " HTTP/1.1", strings.Repeat("a", 999) +
			" HTTP/1.12", "a /" + strings.Repeat("x", 999)} {
		c := h.pair()
		if got := c.ask(line); got != "UNKNOWN_COMMAND" && got != "BAD_FORMAT" {
			t.Errorf("%q is answered %q", line, got)
		}
		c.do("POST / HTTP/1.1", "UNKNOWN_COMMAND") // not the first line
		c.send("list-tube-used\r\nHost: x\r\nlist-tube-used\r\n")
		c.expect("USING default")
		c.eof()
	}
}

// A listener may let clients speak HTTP, and beanfield answers as beanstalkd does.
func TestHTTPMayBeLet(t *testing.T) {
	for name, certs := range map[string]*secure.Certificates{"plain": nil, "TLS": certificates(t, nil)} {
		h := newHouse(t)
		nc := h.pairWith(h.server.Door(Door{Certificates: certs, HTTP: true}))
		if certs != nil {
			nc = clientOf(t, nc, trust(t))
		}
		c := newClient(t, nc)
		c.do("POST / HTTP/1.1", "UNKNOWN_COMMAND")
		c.do("Host: x", "UNKNOWN_COMMAND")
		c.do("POST /"+strings.Repeat("a", 999)+" HTTP/1.1", "BAD_FORMAT")
		c.do("Host: "+strings.Repeat("a", 999), "BAD_FORMAT")
		if n := len(h.logs.Lines("HTTP")); n > 0 {
			t.Errorf("%s: %d lines in the log", name, n)
		}
	}
}

// There is one line in the log, which says who it was and nothing of what was sent.
func TestHTTPIsLogged(t *testing.T) {
	h := newHouse(t)
	for range 3 {
		c := h.dial()
		c.send("GET /secret HTTP/1.1\r\n")
		c.eof()
	}
	if all := h.logs.Lines(""); len(all) != 1 || !strings.Contains(all[0], "127.0.0.1:") ||
		!strings.Contains(all[0], "listen.refuse_http") || strings.Contains(all[0], "secret") {
		t.Errorf("logged %q", all)
	}
	h.server.web.said.Add(-int64(webQuiet)) // a minute later
	c := h.dial()
	c.send("GET /secret HTTP/1.1\r\n")
	c.eof()
	if all := h.logs.Lines("disconnected=3"); len(all) != 1 {
		t.Errorf("logged %q", h.logs.Lines(""))
	}
}
