package httpfront

import (
	"net/http"
	"strings"
	"testing"

	"beanfield/storage/must"
)

// ask is what a guard looks at, one header a line.
func ask(method, host string, headers ...string) *http.Request {
	r := &http.Request{Method: method, Host: host, Header: http.Header{}}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Add(name, value)
	}
	return r
}

func guard(t testing.TB, hosts, origins []string) *Guard {
	t.Helper()
	return must.Get(NewGuard(hosts, origins))
}

// An Origin must name the request's own host and port.
func TestOwnOrigin(t *testing.T) {
	g := guard(t, nil, nil)
	for _, c := range []struct {
		host, origin string
		secured, own bool
	}{
		{"10.0.0.5:11380", "http://10.0.0.5:11380", false, true},
		{"10.0.0.5:11380", "http://10.0.0.5:11380/api/predict/orders", false, true}, // Go's SDK
		{"10.0.0.5:11380", "HTTP://10.0.0.5:11380/", false, true},
		{"10.0.0.5:11380", "ws://10.0.0.5:11380", false, true},
		{"10.0.0.5:11380", "https://10.0.0.5:11380", false, true}, // Go's SDK dials ws:// for https:// too
		{"Queue.Example.org:11380", "http://queue.example.ORG.:11380", false, true},
		{"queue.example.org", "http://queue.example.org", false, true},
		{"queue.example.org", "https://queue.example.org", false, true}, // TLS ends at a proxy
		{"queue.example.org", "http://queue.example.org:80", false, true},
		{"queue.example.org:80", "http://queue.example.org", false, true},
		{"queue.example.org:443", "wss://queue.example.org", true, true},
		{"queue.example.org", "https://queue.example.org", true, true},
		{"[::1]:11380", "http://[0:0:0:0:0:0:0:1]:11380", false, true},
		{"[fe80::1]:11380", "http://[fe80::1%25eth0]:11380/api", false, true}, // Go leaves the zone out of Host only

		{"queue.example.org", "http://queue.example.org", true, false},
		{"queue.example.org", "http://queue.example.org:8080", false, false},
		{"queue.example.org:443", "http://queue.example.org", false, false},
		{"10.0.0.5:11380", "http://10.0.0.5", false, false},
		{"10.0.0.5:11380", "http://10.0.0.5:11381", false, false},
		{"10.0.0.5:11380", "http://evil.example:11380", false, false},
		{"10.0.0.5:11380", "null", false, false},
		{"10.0.0.5:11380", "", false, false},
		{"10.0.0.5:11380", "10.0.0.5:11380", false, false},
		{"10.0.0.5:11380", "//10.0.0.5:11380", false, false},
		{"10.0.0.5:11380", "file://10.0.0.5:11380", false, false},
		{"10.0.0.5:11380", "http://10.0.0.5:11380@evil.example", false, false},
		{"10.0.0.5:11380", "http://evil.example@10.0.0.5:11380", false, false},
		{"10.0.0.5:11380", `http://evil.example\@10.0.0.5:11380`, false, false},
		{"10.0.0.5:11380", "http://evil.example/10.0.0.5:11380", false, false},
		{"10.0.0.5:11380", "http://evil.example#10.0.0.5:11380", false, false},
		{"10.0.0.5:11380", "http://10.0.0.5:11380.evil.example", false, false},
		{"10.0.0.5:11380", "http://10.0.0.5:11380:11380", false, false},
		{"10.0.0.5:11380", "http://10.0.0.5:11380 http://evil.example", false, false},
		{"10.0.0.5:11380", "http://10.0.0.5:11380,http://evil.example", false, false},
		{"10.0.0.5:11380", " http://10.0.0.5:11380", false, false},
		{"10.0.0.5:11380", "http://10.0.0.5:+11380", false, false},
		{"10.0.0.5:11380", "http://10.0.0.5:77916", false, false}, // 11380 + 65536 + 1000
		{"localhost:80", "http://foo.localhost:80", false, false},
		{"[::1]:80", "http://[::1", false, false},
		{"[::1]:80", "http://[::1]x:80", false, false},
		{"", "http://", false, false},
		{"", "http://10.0.0.5", false, false}, // HTTP/1.0
		{":11380", "http://:11380", false, false},
	} {
		if err := g.check(ask("POST", c.host, "Origin: "+c.origin), c.secured, false); (err == nil) != c.own {
			t.Errorf("Origin %q for %q, TLS %v: %v", c.origin, c.host, c.secured, err)
		}
	}
}

// Everything else that a browser says of a page, or somebody might say in place of one.
func TestWhatAPageSends(t *testing.T) {
	g := guard(t, nil, []string{"https://good.example", "http://*.corp.example:8080", "wss://Shop.example:443/",
		"http://localhost:*"})
	const host, own = "10.0.0.5:11380", "Origin: http://10.0.0.5:11380"
	for _, c := range []struct {
		headers []string
		pass    bool
	}{
		{nil, true},
		{[]string{own, "Sec-Fetch-Site: same-origin"}, true},
		{[]string{"Sec-Fetch-Site: none"}, true},
		{[]string{"Sec-Fetch-Mode: cors", "User-Agent: node"}, true},
		{[]string{"Origin: https://good.example", "Sec-Fetch-Site: cross-site"}, true},
		{[]string{"Origin: https://GOOD.example:443/path"}, true},
		{[]string{"Origin: http://a.corp.example:8080"}, true},
		{[]string{"Origin: https://shop.example"}, true},
		{[]string{"Origin: http://localhost:3000"}, true},
		{[]string{"Referer: https://good.example/wiki?a=b", "Sec-Fetch-Site: cross-site"}, true}, // a link to the console

		{[]string{"Sec-Fetch-Site: cross-site"}, false},
		{[]string{"Sec-Fetch-Site: same-site"}, false},
		{[]string{"Sec-Fetch-Site: Same-Origin"}, false},
		{[]string{"Sec-Fetch-Site: "}, false},
		{[]string{own, "Sec-Fetch-Site: cross-site"}, false},
		{[]string{"Sec-Fetch-Site: same-origin", "Sec-Fetch-Site: cross-site"}, false},
		{[]string{"Sec-Fetch-Site: same-origin", "Origin: https://evil.example"}, false},
		{[]string{own, "Origin: https://evil.example"}, false},
		{[]string{"Origin: https://evil.example", own}, false},
		{[]string{own, own}, false},
		{[]string{"Origin: null"}, false},
		{[]string{"Origin: http://good.example"}, false},
		{[]string{"Origin: https://good.example:8443"}, false},
		{[]string{"Origin: https://good.example.evil.example"}, false},
		{[]string{"Origin: https://evil.example/https://good.example"}, false},
		{[]string{"Origin: http://evil.example/.corp.example:8080"}, false},
		{[]string{"Origin: http://evil.example#.corp.example:8080"}, false},
		{[]string{"Origin: http://evil.example?.corp.example:8080"}, false},
		{[]string{`Origin: http://evil.example\.corp.example:8080`}, false},
		{[]string{"Origin: http://a@b.corp.example:8080"}, false},
		{[]string{"Origin: http://corp.example:8080"}, false},
		{[]string{"Origin: http://localhost:3000.evil.example"}, false},
		{[]string{"Referer: https://evil.example/https://good.example", "Sec-Fetch-Site: cross-site"}, false},
		{[]string{"Referer: http://10.0.0.5:11380/", "Sec-Fetch-Site: cross-site"}, false},
		{[]string{"X-Forwarded-Host: evil.example", "Origin: https://evil.example"}, false},
		{[]string{"Forwarded: host=evil.example", "Origin: https://evil.example"}, false},
	} {
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"} {
			pass := c.pass && (method == "GET" || !strings.HasPrefix(strings.Join(c.headers, ""), "Referer"))
			if err := g.check(ask(method, host, c.headers...), false, false); (err == nil) != pass {
				t.Errorf("%s with %q: %v", method, c.headers, err)
			}
		}
	}
	for origins, pass := range map[string]bool{"*": false, "null": true, "https://*": false} {
		g := guard(t, nil, []string{origins})
		if err := g.check(ask("GET", host, "Origin: null", "Sec-Fetch-Site: cross-site"), false, false); (err == nil) != pass {
			t.Errorf("null, with %s listed: %v", origins, err)
		}
	}
}

// Where no token is asked for, the Host must be one that no page can have for itself.
func TestKnownHosts(t *testing.T) {
	g := guard(t, []string{"Queue.Example.org", "*.corp.example"}, nil)
	for host, known := range map[string]bool{
		"127.0.0.1": true, "127.0.0.1:11380": true, "[::1]:11380": true, "[::1%25lo]": true, "10.1.2.3": true,
		"localhost": true, "LOCALHOST.:1": true,
		"queue.example.org": true, "QUEUE.example.org.:80": true, "a.corp.example:8": true, "": true, // HTTP/1.0
		"evil.example": false, "queue": false, "evil.localhost": false, "127.0.0.1.evil.example": false,
		"xqueue.example.org":             false,
		"queue.example.org.evil.example": false, "corp.example": false, "localhost:80:80": false, "localhost:x": false,
		"a@localhost": false,
		"[::1":        false, "::1": false, "[localhost]": false, "127.1": false, ".": false, ":80": false,
		"evil.example/a.corp.example": false,
	} {
		if err := g.check(ask("GET", host), false, true); (err == nil) != known {
			t.Errorf("%q: %v", host, err)
		}
		if err := g.check(ask("GET", host), false, false); err != nil {
			t.Errorf("%q where a token is asked for: %v", host, err)
		}
	}
	// A page that has its own name lead here: all that it sends is of its own origin.
	if err := g.check(ask("POST", "evil.example:11380", "Origin: http://evil.example:11380",
		"Sec-Fetch-Site: same-origin"), false, true); err != ErrHost {
		t.Errorf("rebound: %v", err)
	}
}

// What can be listed, and what nobody can have meant.
func TestLists(t *testing.T) {
	for _, good := range []string{"http://a", "https://a.b:8443", "https://a/", "http://*", "http://10.0.0.1:*",
		"https://*.a", "http://[::1]:3000", "*", "null", "chrome-extension://abc"} {
		if _, err := NewGuard(nil, []string{good}); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
	for _, bad := range []string{"", "a.b", "a.b:80", "https://", "https://a/b", "https://*/b", "https://a b",
		"https://u@a", "https://a:0", "https://a:http", "//a"} {
		if _, err := NewGuard(nil, []string{bad}); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
	for _, bad := range []string{"", "http://a", "a:80", "a/b", "u@a", "."} {
		if _, err := NewGuard([]string{bad}, nil); err == nil {
			t.Errorf("the host %q is taken", bad)
		}
	}
}

// Whom nothing but the Host keeps out: those who need no token, unless the certificate of the
// server keeps pages from elsewhere out too.
func TestExposed(t *testing.T) {
	free, ruled := newAuthenticator(t), newAuthenticator(t, home)
	free.Current.Replace(nil)
	plain := stranger("127.0.0.1:1")
	for _, c := range []struct {
		p       Authenticator
		token   bool
		listed  Tokens
		exposed bool
	}{
		{free, false, nil, true}, {free, true, nil, true}, {free, false, NewTokens([]string{"a"}), false},
		{ruled, false, nil, true}, {ruled, true, nil, false}, {ruled, false, NewTokens([]string{"a"}), true},
	} {
		if got := c.p.Exposed(plain, c.token, c.listed); got != c.exposed {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
