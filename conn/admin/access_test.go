package admin

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"beanfield/conn/access"
	"beanfield/conn/httpfront"
	"beanfield/storage/must"
)

func rulesOf(t *testing.T, rules ...access.Rule) *access.Policy {
	t.Helper()
	return must.Get(access.New(rules))
}

func rule(token string, may access.Rights, tubes string) access.Rule {
	return access.Rule{Name: token, Tokens: []string{access.HashOf(token).String()}, May: may, Tubes: []string{tubes}}
}

// AD2: with rules each page needs its right, the tokens of the options do not count, and what
// the rules say holds from the next request on.
func TestRules(t *testing.T) {
	current := &access.Current{}
	current.Replace(rulesOf(t, rule("all", access.Admin, "*"), rule("stats", access.Stats, "*"),
		rule("some", access.All,
			"a*"), rule("put", access.Put, "*")))
	h := opened(t, Options{Options: httpfront.Options{Tokens: []string{"listed"},
		Authenticator: httpfront.Authenticator{Current: current}}, Profiles: true})
	const pprof = "/debug/pprof/cmdline"
	ask := func(token, page string, want int) {
		t.Helper()
		header := ""
		if token != "" {
			header = "Authorization: Bearer " + token + "\r\n"
		}
		h.Expect(want, "GET", page, header, "")
	}
	for page, want := range map[string]map[string]int{
		"/metrics": {"all": 200, "stats": 200, "some": 403, "put": 403, "": 401},
		pprof:      {"all": 200, "stats": 403, "some": 403, "put": 403, "": 401},
		"/":        {"all": 200, "stats": 200, "some": 200, "put": 200, "": 401},
		"/api/v1/": {"some": 200, "": 401},
		"/healthz": {"": 200, "put": 200},
	} {
		for token, status := range want {
			ask(token, page, status)
		}
	}
	ask("listed", "/", 401)
	current.Replace(rulesOf(t, rule("some", access.Stats, "*"), rule("else", access.Put, "*")))
	ask("some", "/metrics", 200)
	ask("all", "/metrics", 401)
	current.Replace(nil)
	ask("listed", pprof, 200)
	ask("", "/", 401)
}

// Pages that are passed on know who asks. A client that is known by its address alone could
// be a browser in which another site's page has taken the server's address.
func TestClientOf(t *testing.T) {
	current := &access.Current{}
	here := access.Rule{Name: "here", Networks: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, May: access.Peek,
		Tubes: []string{"*"}}
	current.Replace(rulesOf(t, here, rule("all", access.Admin, "*")))
	h := newHouse(t, Options{Options: httpfront.Options{Authenticator: httpfront.Authenticator{Current: current}}})
	var seen *Client
	h.server.Open(Pages{Console: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen = ClientOf(r) })})
	h.named("some.example", "/", 421)
	h.named("some.example\r\nAuthorization: Bearer all", "/", 200)
	if seen.Subject.Who() != "here, all" || !netip.MustParseAddrPort(seen.From).Addr().IsLoopback() {
		t.Errorf("%q from %q", seen.Subject.Who(), seen.From)
	}
	h.named("localhost", "/", 200)
	if seen.Subject.Who() != "here" || seen.Subject.Everywhere() != access.Peek {
		t.Errorf("%q with %v", seen.Subject.Who(), seen.Subject.Everywhere())
	}
	r, _ := http.NewRequest("GET", "/", nil)
	if c := ClientOf(r); c.Subject.Anywhere() != 0 {
		t.Errorf("a request that has not come through this package may %v", c.Subject.Anywhere())
	}
}

// On a loopback address, a name that another site's page may have been given leads nowhere.
func TestHosts(t *testing.T) {
	h := opened(t, Options{Options: httpfront.Options{Hosts: []string{"queue.example.org"}}, Profiles: true})
	pages := []string{"/", "/api/v1/put", "/debug/pprof/cmdline", "/metrics", "/healthz", "/readyz"}
	for _, good := range []string{"127.0.0.1:11381", "127.0.0.1", "[::1]:80", "[::1]", "localhost:1", "Localhost.",
		"Queue.Example.Org:80", "queue.example.org."} {
		for _, page := range pages {
			h.named(good, page, 200)
		}
	}
	for _, bad := range []string{"evil.example", "evil.example:11381", "127.0.0.1.evil.example", "xqueue.example.org",
		"queue.example.org.evil", "localhost.evil.example:1", "queue01"} {
		for _, page := range pages {
			h.named(bad, page, 421)
		}
	}
}

// On another address, only the console has this rule, and names without a dot will do.
func TestHostsElsewhere(t *testing.T) {
	h := anywhere(t, Options{Options: httpfront.Options{Hosts: []string{"queue.example.org"}}, Profiles: true})
	h.server.Open(Pages{Metrics: figures, Console: echo})
	for _, good := range []string{"127.0.0.1:11381", "[::1]", "localhost:1", "queue01", "Queue.Example.Org:80",
		"queue.example.org."} {
		h.named(good, "/", 200)
	}
	for _, bad := range []string{"evil.example", "127.0.0.1.evil.example", "xqueue.example.org"} {
		h.named(bad, "/", 421)
		h.named(bad, "/api/v1/put", 421)
		h.named(bad, "/debug/pprof/cmdline", 421)
		h.named(bad, "/metrics", 200)
		h.named(bad, "/healthz", 200)
		h.named(bad, "/readyz", 200)
	}
}

// What a page of another origin sends is refused, whatever it asks for; Prometheus and health
// checks send no origin.
func TestOrigins(t *testing.T) {
	h := opened(t, Options{Options: httpfront.Options{Origins: []string{"https://good.example"},
		Tokens: []string{"x"}}})
	for headers, status := range map[string]int{
		"": 200, "Origin: http://" + h.Address: 200, "Sec-Fetch-Site: same-origin": 200, "Sec-Fetch-Site: none": 200,
		"Origin: https://good.example\r\nSec-Fetch-Site: cross-site": 200, "Origin: http://evil.example": 403,
		"Origin: null":               403,
		"Sec-Fetch-Site: cross-site": 403, "Sec-Fetch-Site: same-site": 403,
	} {
		for _, page := range []string{"/", "/api/v1/put", "/metrics", "/healthz", "/readyz"} {
			h.named(h.Address+"\r\nAuthorization: Bearer x\r\n"+headers, page, status)
		}
	}
}

// With tokens, every name will do: a page from elsewhere has none.
func TestHostsWithTokens(t *testing.T) {
	h := opened(t, Options{Options: httpfront.Options{Tokens: []string{"x"}}})
	h.named("some.example", "/", 401)
	h.named("some.example\r\nAuthorization: Bearer x", "/", 200)
}

// named asks for a page under a name of the server's.
func (h *house) named(host, target string, status int) {
	h.T.Helper()
	c := h.Dial()
	defer c.Close()
	c.Send("GET " + target + " HTTP/1.1\r\nHost: " + strings.TrimSpace(host) + "\r\n\r\n")
	c.Expect(status)
}
