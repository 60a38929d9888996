package admin

import (
	"strings"
	"testing"

	"beanfield/conn/hall"
)

// On a loopback address, a name that another site's page may have been given leads nowhere.
func TestHosts(t *testing.T) {
	h := opened(t, Options{Options: hall.Options{Hosts: []string{"queue.example.org"}}, Profiles: true})
	pages := []string{"/", "/api/v1/put", "/debug/pprof/cmdline", "/metrics", "/healthz", "/readyz"}
	for _, good := range []string{"127.0.0.1:11381", "127.0.0.1", "[::1]:80", "[::1]", "localhost:1", "Localhost.", "Queue.Example.Org:80", "queue.example.org."} {
		for _, page := range pages {
			h.named(good, page, 200)
		}
	}
	for _, bad := range []string{"evil.example", "evil.example:11381", "127.0.0.1.evil.example", "xqueue.example.org", "queue.example.org.evil", "localhost.evil.example:1", "queue01"} {
		for _, page := range pages {
			h.named(bad, page, 421)
		}
	}
}

// On another address, only the console has this rule, and names without a dot will do.
func TestHostsElsewhere(t *testing.T) {
	h := anywhere(t, Options{Options: hall.Options{Hosts: []string{"queue.example.org"}}, Profiles: true})
	h.server.Open(Pages{Metrics: figures, Console: echo})
	for _, good := range []string{"127.0.0.1:11381", "[::1]", "localhost:1", "queue01", "Queue.Example.Org:80", "queue.example.org."} {
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
	h := opened(t, Options{Options: hall.Options{Origins: []string{"https://good.example"}, Tokens: []string{"x"}}})
	for headers, status := range map[string]int{
		"": 200, "Origin: http://" + h.Address: 200, "Sec-Fetch-Site: same-origin": 200, "Sec-Fetch-Site: none": 200,
		"Origin: https://good.example\r\nSec-Fetch-Site: cross-site": 200, "Origin: http://evil.example": 403, "Origin: null": 403,
		"Sec-Fetch-Site: cross-site": 403, "Sec-Fetch-Site: same-site": 403,
	} {
		for _, page := range []string{"/", "/api/v1/put", "/metrics", "/healthz", "/readyz"} {
			h.named(h.Address+"\r\nAuthorization: Bearer x\r\n"+headers, page, status)
		}
	}
}

// With tokens, every name will do: a page from elsewhere has none.
func TestHostsWithTokens(t *testing.T) {
	h := opened(t, Options{Options: hall.Options{Tokens: []string{"x"}}})
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
