package queueservice

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"beanfield/conn/access"
	"beanfield/conn/httpfront"
	"beanfield/shard/queue"
)

// What a page can have its browser send without asking the server first, and more.
var pageRequests = []struct{ method, query, headers, body string }{
	{"POST", "", "Content-Type: text/plain;charset=UTF-8\r\n", "x"},
	{"POST", "?_eos_=true&_force_=true", "", ""},
	{"POST", "?_batch_=true", "Content-Type: application/x-ndjson\r\n", "{}"},
	{"GET", "", "", ""}, {"GET", "?_attrs_=true", "", ""}, {"GET", "?_watch_=true", "", ""},
	{"GET", "?_watch_=true", handshakeText, ""},
	{"GET", "?_watch_=true&_token_=secret", handshakeText + "Sec-WebSocket-Protocol: beanfield.json\r\n", ""},
	{"PUT", "?_indexes_=1", "", ""}, {"DELETE", "?_indexes_=1", "", ""}, {"DELETE", "?_group_=g", "", ""},
	{"OPTIONS", "", "Access-Control-Request-Method: PUT\r\n", ""}, {"HEAD", "", "", ""},
}

// HA4: a page from elsewhere is refused before anybody looks at what it wants, or at its token, and
// nothing is asked of the shards. It is refused as well where rules let it in by its address.
func TestPagesFromElsewhere(t *testing.T) {
	book, guesses := &access.Current{}, &access.Guesses{}
	book.Replace(fromHere(access.All, "*"))
	for name, set := range map[string]func(*Options){
		"no tokens": func(*Options) {},
		"tokens":    func(o *Options) { o.Tokens, o.Authenticator.Guesses = []string{"secret"}, guesses },
		"networks":  func(o *Options) { o.Authenticator = httpfront.Authenticator{Current: book} },
	} {
		h := newHouse(t, nil, set)
		for _, r := range pageRequests {
			for _, page := range []string{"Origin: https://evil.example\r\n", "Origin: null\r\n",
				"Sec-Fetch-Site: cross-site\r\n", "Origin: http://localhost:1\r\n"} {
				c := h.start(r.method, base+r.query, page+auth("wrong")+r.headers, r.body)
				if a, body := c.Response(r.method); a.StatusCode != 403 ||
					a.Header.Get("Access-Control-Allow-Origin") != "" ||
					r.method != "HEAD" && !strings.Contains(body, "queue.origins") {
					t.Errorf("%s: %s %s with %q is answered %d %q", name, r.method, r.query, page, a.StatusCode, body)
				}
				c.Close()
			}
		}
		h.nothing(t)
		if h.server.Refusals()["Forbidden"] == 0 {
			t.Errorf("%s: refusals are counted as %v", name, h.server.Refusals())
		}
	}
	if d := guesses.Wrong(netip.MustParseAddr("127.0.0.1")); d != 100*time.Millisecond {
		t.Errorf("the next wrong token is answered after %v: some were counted, and hold up others", d)
	}
}

// A page whose own name leads here is refused unless a token is asked for, which it has not.
func TestReboundPages(t *testing.T) {
	const rebound = "evil.example:11380"
	book := &access.Current{}
	for name, c := range map[string]struct {
		set     func(*Options)
		rules   bool
		headers string
		status  int
	}{
		"no tokens":         {func(*Options) {}, false, "", 421},
		"a useless token":   {func(*Options) {}, false, auth("x"), 421},
		"a known name":      {func(o *Options) { o.Hosts = []string{"*.example"} }, false, "", 200},
		"tokens":            {func(o *Options) { o.Tokens = []string{"secret"} }, false, "", 401},
		"the right token":   {func(o *Options) { o.Tokens = []string{"secret"} }, false, auth("secret"), 200},
		"rules":             {func(*Options) {}, true, "", 421},
		"a token of a rule": {func(*Options) {}, true, auth("all"), 200},
	} {
		if book.Replace(nil); c.rules {
			book.Replace(rules(t, "all"))
		}
		h := openHouse(t, nil, false, c.set, func(o *Options) {
			o.Authenticator = httpfront.Authenticator{Current: book}
		})
		k := h.dial()
		k.Send("GET " + base + "?_attrs_=true HTTP/1.1\r\nHost: " + rebound + "\r\nOrigin: http://" + rebound + "\r\n" +
			c.headers + "\r\n")
		k.Expect(c.status)
		if asked := h.times(queue.AskAttrs); (asked > 0) != (c.status == 200) {
			t.Errorf("%s: %d attributes are asked for", name, asked)
		}
		k.Close()
	}
}
