package admin

import "testing"

// A name that another site's page may have been given does not lead to the console.
func TestHosts(t *testing.T) {
	h := newHouse(t, Options{Hosts: []string{"queue.example.org"}, Profiles: true})
	h.server.Open(Pages{Metrics: figures, Console: echo})
	for _, good := range []string{"127.0.0.1:11381", "127.0.0.1", "[::1]:80", "[::1]", "localhost:1", "queue01", "Queue.Example.Org:80", "queue.example.org."} {
		h.named(good, "/", 200)
		h.named(good, "/debug/pprof/cmdline", 200)
	}
	for _, bad := range []string{"evil.example", "evil.example:11381", "127.0.0.1.evil.example", "xqueue.example.org", "queue.example.org.evil", "localhost.evil.example:1"} {
		h.named(bad, "/", 403)
		h.named(bad, "/api/v1/put", 403)
		h.named(bad, "/debug/pprof/cmdline", 403)
		h.named(bad, "/metrics", 200)
		h.named(bad, "/healthz", 200)
		h.named(bad, "/readyz", 200)
	}
}

// With tokens, every name will do: a page from elsewhere has none.
func TestHostsWithTokens(t *testing.T) {
	h := newHouse(t, Options{Tokens: []string{"x"}})
	h.server.Open(Pages{Console: echo})
	h.named("some.example", "/", 401)
	h.named("some.example\r\nAuthorization: Bearer x", "/", 200)
}

// named asks for a page under a name of the server's.
func (h *house) named(host, target string, status int) {
	h.T.Helper()
	c := h.Dial()
	defer c.Close()
	c.Send("GET " + target + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n")
	if r, body := c.Response("GET"); r.StatusCode != status {
		h.T.Errorf("%s of %q: %d %q, want %d", target, host, r.StatusCode, body, status)
	}
}
