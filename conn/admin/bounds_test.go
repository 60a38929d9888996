package admin

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"beanfield/conn/httpfront"
	"beanfield/conn/httpfront/httpfronttest"
)

// hasty are options under which slow clients are given up soon.
func hasty() Options {
	return Options{Options: httpfront.Options{ReadTimeout: 50 * time.Millisecond, IdleTimeout: 50 * time.Millisecond},
		WriteTimeout: 50 * time.Millisecond, MaxBody: 100}
}

// A client that begins a request and goes silent, in its line, its headers or its body, is
// let go; so is one that asks nothing.
func TestSlowClients(t *testing.T) {
	h := opened(t, hasty())
	for _, begun := range []string{
		"", "GE", "GET /healthz HTTP/1.1\r\nHost: localhost\r\n", "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
		"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhel",
		"POST /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhel",
	} {
		c := h.Dial()
		c.Send(begun)
		c.Ended()
	}
}

// A client that does not read is let go, and its page's goroutine with it.
func TestSlowReader(t *testing.T) {
	h := newHouse(t, Options{WriteTimeout: 50 * time.Millisecond})
	ended := make(chan error, 1)
	h.server.Open(Pages{Metrics: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for {
			if _, err := w.Write(make([]byte, 1<<16)); err != nil {
				ended <- err
				return
			}
		}
	})})
	h.Dial().Send(httpfronttest.Request("GET", "/metrics", "", ""))
	select {
	case <-ended:
	case <-time.After(patience):
		t.Error("a page goes on for a client that does not read")
	}
}

func TestTooMuch(t *testing.T) {
	h := opened(t, Options{Options: httpfront.Options{MaxHeader: 5000}, MaxBody: 100})
	long := strings.Repeat("x", 101)
	h.expect([]exchange{
		{"POST", "/", "", long[:100], 200, "console POST / " + long[:100]},
		{"POST", "/", "", long, 413, "http: request body too large"},
		{"POST", "/", "Transfer-Encoding: chunked\r\n\r\n65\r\n" + long + "\r\n0\r\n", "", 413,
			"http: request body too large"},
		{"GET", "/healthz", "X: " + strings.Repeat("h", 20000) + "\r\n", "", 431, "431"},
		{"GET", "/healthz", "Content-Length: x\r\n", "", 400, "400"},
		{"GET", "/healthz?" + strings.Repeat("q", 20000), "", "", 431, "431"},
		{"GET", "/%zz", "", "", 400, "400"},
	})
}

// AD1: Shutdown ends pages that last, and connections on which nothing or half a request has
// come; the client of a page gets what was written.
func TestShutdown(t *testing.T) {
	h := newHouse(t, Options{})
	begun := make(chan bool)
	h.server.Open(Pages{Console: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(begun)
		<-r.Context().Done()
		io.WriteString(w, "the end")
	})})
	silent, idle, lasting := h.Dial(), h.Dial(), h.Dial()
	idle.Send(httpfronttest.Request("GET", "/healthz", "", ""))
	idle.Response("GET")
	lasting.Send(httpfronttest.Request("GET", "/events", "", ""))
	<-begun
	h.Close()
	if _, body := lasting.Response("GET"); body != "the end" {
		t.Errorf("a page that lasted ends with %q", body)
	}
	for _, c := range []*httpfronttest.Client{silent, idle, lasting} {
		c.Ended()
	}
}

func TestOptionsThatCannotBe(t *testing.T) {
	for _, o := range []Options{{Options: httpfront.Options{ReadTimeout: -1}}, {WriteTimeout: -1},
		{Options: httpfront.Options{IdleTimeout: -1}}, {Options: httpfront.Options{MaxHeader: -1}},
		{Options: httpfront.Options{HandshakeTimeout: -1}}, {MaxBody: -1}} {
		if _, err := NewServer(nil, o); err == nil {
			t.Errorf("%+v is taken", o)
		}
	}
}
