package admin

import (
	"encoding/base64"
	"io"
	"net/http"
	"strings"
	"testing"

	"beanfield/conn/httpfront"
)

// echo is a console that says what was asked of it.
var echo = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
		return
	}
	io.WriteString(w, "console "+r.Method+" "+r.URL.Path+" "+string(body))
})

var figures = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "a 1\n") })

// exchange is a request and what is answered.
type exchange struct {
	method, target, headers, body string
	status                        int
	answer                        string // how it begins
}

func (h *house) expect(all []exchange) {
	h.T.Helper()
	for _, e := range all {
		r, body := h.Say(e.method, e.target, e.headers, e.body)
		if r.StatusCode != e.status || !strings.HasPrefix(body, e.answer) || e.answer == "" && body != "" {
			h.T.Errorf("%s %s %q: %d %q, want %d %q", e.method, e.target, e.headers, r.StatusCode, body, e.status,
				e.answer)
		}
		if e.status == http.StatusMethodNotAllowed && r.Header.Get("Allow") != "GET, HEAD" {
			h.T.Errorf("%s %s: allowed is %q", e.method, e.target, r.Header.Get("Allow"))
		}
		if asks := len(r.Header.Values("Www-Authenticate")); (asks == 2) != (e.status == http.StatusUnauthorized) {
			h.T.Errorf("%s %s: %d ways of sending a token", e.method, e.target, asks)
		}
	}
}

func TestPages(t *testing.T) {
	h := opened(t, Options{Profiles: true})
	h.expect([]exchange{
		{"GET", "/healthz", "", "", 200, "ok\n"},
		{"HEAD", "/healthz", "", "", 200, ""},
		{"POST", "/healthz", "", "x", 405, "only GET and HEAD\n"},
		{"DELETE", "/readyz", "", "", 405, "only GET and HEAD\n"},
		{"GET", "/readyz", "", "", 200, "ok\nputs: accepted\n"},
		{"GET", "/metrics", "", "", 200, "a 1\n"},
		{"PUT", "/metrics", "", "", 405, "only GET and HEAD\n"},
		{"GET", "/", "", "", 200, "console GET /"},
		{"POST", "/api/jobs", "", "hello", 200, "console POST /api/jobs hello"},
		{"GET", "/healthz/x", "", "", 200, "console GET /healthz/x"},
		{"GET", "/debug/pprof/goroutine?debug=1", "", "", 200, "goroutine profile: "},
		{"GET", "/debug/pprof/none", "", "", 404, "Unknown profile"},
		{"GET", "/debug/pprof/trace?seconds=0.01", "", "", 200, "go 1."},
		{"GET", "/debug/pprof/profile?seconds=301", "", "", 400, "seconds must be from 0 to 300\n"},
		{"GET", "/debug/pprof/profile?seconds=NaN", "", "", 400, "seconds must be"},
		{"POST", "/debug/pprof/heap", "", "", 405, "only"},
	})
}

// What has no handler, and profiles that nobody has allowed, do not exist.
func TestPagesThatDoNotExist(t *testing.T) {
	h := newHouse(t, Options{})
	h.server.Open(Pages{})
	for _, target := range []string{"/", "/metrics", "/metrics/", "/debug/pprof/", "/debug/pprof/heap", "/health",
		"*"} {
		h.expect([]exchange{{"GET", target, "", "", 404, "404 page not found\n"}})
	}
}

// Until the jobs are recovered only the health is shown, and /readyz says why.
func TestPagesBeforeOpen(t *testing.T) {
	problems := []string{"recovering", "and more"}
	leads := false
	h := newHouse(t, Options{Problems: func() []string { return problems }, PassesOn: func() bool { return leads }})
	h.expect([]exchange{
		{"GET", "/readyz?any=1", "", "", 503, "recovering\nand more\n"},
		{"GET", "/readyz?any=2", "", "", 400, "any must be 0 or 1\n"},
		{"GET", "/healthz", "", "", 200, "ok\n"},
		{"GET", "/readyz", "", "", 503, "recovering\nand more\n"},
		{"HEAD", "/readyz", "", "", 503, ""},
		{"GET", "/metrics", "", "", 503, "recovering\nand more\n"},
		{"GET", "/", "", "", 503, "recovering\nand more\n"},
	})
	leads = true
	h.expect([]exchange{
		{"GET", "/readyz", "", "", 503, "recovering\nand more\n"},
		{"GET", "/readyz?any=1", "", "", 200, "ok\nclients are passed on to the node that serves\n"},
	})
}

// AD2: without a right token only the health is shown. A token may come as a password.
func TestTokens(t *testing.T) {
	h := opened(t, Options{Options: httpfront.Options{Tokens: []string{"first", "sec:ond"}}, Profiles: true})
	basic := func(pair string) string {
		return "Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte(pair)) + "\r\n"
	}
	for _, wrong := range []string{
		"", "Authorization: first\r\n", "Authorization: Bearer\r\n", "Authorization: Bearer \r\n",
		"Authorization: Basic first\r\n", "Authorization: Digest first\r\n", basic("first"), basic("first:"),
		basic(":"),
	} {
		h.expect([]exchange{
			{"GET", "/healthz", wrong, "", 200, "ok\n"},
			{"GET", "/readyz", wrong, "", 200, "ok\nputs: accepted\n"},
			{"GET", "/metrics", wrong, "", 401, "a token is needed\n"},
			{"POST", "/metrics", wrong, "", 401, "a token is needed\n"},
			{"GET", "/", wrong, "", 401, "a token is needed\n"},
			{"GET", "/debug/pprof/heap", wrong, "", 401, "a token is needed\n"},
			{"POST", "/api", wrong, "x", 401, "a token is needed\n"},
		})
	}
	h.expect([]exchange{ // few, because each is answered later than the one before
		{"GET", "/readyz", "Authorization: Bearer firs\r\n", "", 200, "ok\nputs: accepted\n"},
		{"GET", "/metrics", "Authorization: Bearer firs\r\n", "", 401, "a wrong token\n"},
		{"GET", "/", "Authorization: Bearer first2\r\n", "", 401, "a wrong token\n"},
		{"POST", "/api", basic("x:secret"), "x", 401, "a wrong token\n"},
	})
	for _, right := range []string{
		"Authorization: Bearer first\r\n", "authorization: bearer  sec:ond \r\n", basic("x:first"), basic(":sec:ond"),
	} {
		h.expect([]exchange{
			{"GET", "/metrics", right, "", 200, "a 1\n"},
			{"GET", "/", right, "", 200, "console GET /"},
			{"GET", "/none", right, "", 200, "console"},
		})
	}
}

// Pages are served over TLS, more than one on a connection.
func TestOverTLS(t *testing.T) {
	h := openHouse(t, true, Options{})
	c := h.Dial()
	for range 2 {
		c.Send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
		c.Expect(200)
	}
}
