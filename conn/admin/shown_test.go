package admin

import (
	"context"
	"io"
	"net/http"
	"testing"

	"beanfield/conn/httpfront/httpfronttest"
	"beanfield/storage/must"
)

// AD3: pages that are withdrawn are left by those who use them, before Withdraw returns; others see
// what comes after them.
func TestWithdraw(t *testing.T) {
	h := newHouse(t, Options{Problems: func() []string { return []string{"following"} }})
	begun := make(chan bool)
	left := false
	pages := Pages{Metrics: figures, Console: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begun <- true
		<-r.Context().Done()
		left = true
		io.WriteString(w, "the end")
	})}
	for range 2 {
		left = false
		h.server.Open(pages)
		lasting := h.Dial()
		lasting.Send(httpfronttest.Request("GET", "/events", "", ""))
		<-begun
		must.Do(t, h.server.Withdraw(t.Context(), nil))
		if !left {
			t.Error("a page that lasts is still there")
		}
		if _, body := lasting.Response("GET"); body != "the end" {
			t.Errorf("it ends with %q", body)
		}
		h.expect([]exchange{{"GET", "/metrics", "", "", 503, "following\n"}, {"GET", "/", "", "", 503, "following\n"},
			{"GET", "/healthz", "", "", 200, "ok\n"}})
		must.Do(t, h.server.Withdraw(t.Context(), &Pages{Console: echo})) // nothing to take away
		h.expect([]exchange{{"GET", "/x", "", "", 200, "console GET /x"}, {"GET", "/metrics", "", "", 404, "404"}})
		must.Do(t, h.server.Withdraw(t.Context(), nil))
	}
}

// Withdraw says when a page does not end in time.
func TestWithdrawInVain(t *testing.T) {
	h := newHouse(t, Options{})
	begun, end := make(chan bool), make(chan bool)
	h.server.Open(Pages{Console: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { begun <- true; <-end })})
	h.Dial().Send(httpfronttest.Request("GET", "/", "", ""))
	<-begun
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := h.server.Withdraw(over, nil); err != context.Canceled {
		t.Errorf("it answers %v", err)
	}
	close(end)
}
