package queueservice

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"beanfield/conn/access"
	"beanfield/conn/hall"
	"beanfield/conn/hall/halltest"
	"beanfield/shard/queue"
	"beanfield/storage/must"

	"github.com/gobwas/ws"
)

// rules makes a policy in which a token's name says what it may do: "put", "all", "none".
// Each rule is for the queue s.
func rules(t testing.TB, tokens ...string) *access.Policy {
	t.Helper()
	var list []access.Rule
	for _, token := range tokens {
		r := access.Rule{Name: token, Tokens: []string{access.HashOf(token).String()}, Tubes: []string{"s"}}
		switch token {
		case "all":
			r.May = access.All
		case "none":
			r.May, r.Tubes = access.All, []string{"other"}
		default:
			for name := range strings.SplitSeq(token, "+") {
				right := must.Get(access.ParseRight(name))
				r.May |= right
			}
		}
		list = append(list, r)
	}
	p := must.Get(access.New(list))
	return p
}

// newGuarded is a house with rules. The book may be given others.
func newGuarded(t testing.TB, set ...func(*Options)) (*house, *access.Book) {
	t.Helper()
	book := &access.Book{}
	book.Replace(rules(t, append(access.RightNames(), "all", "none", "put+delete")...))
	h := newHouse(t, nil, append(set, func(o *Options) { o.Authenticator = hall.Authenticator{Book: book} })...)
	return h, book
}

func auth(token string) string {
	if token == "" {
		return ""
	}
	return "Authorization: " + token + "\r\n"
}

// Each operation needs the right that the table in doc.go says, on its queue and on the
// queue's rear queue, and nothing reaches the shards without it.
func TestRights(t *testing.T) {
	h, _ := newGuarded(t)
	const item = "/api/predict/s"
	for _, c := range []struct{ method, query, needs string }{
		{"POST", "", "put"}, {"POST", "?_batch_=true", "put"}, {"POST", "?_eos_=true", "put"}, {"POST", "?_eos_=true&_force_=true", "put+delete"},
		{"GET", "", "reserve"}, {"GET", "?_auto_delete_=true", "reserve"}, {"GET", "?_timeout_=1ms", "reserve"},
		{"GET", "?_watch_=true&_window_=x", "reserve"}, // without the right, nobody looks at the window
		{"GET", "?_auto_delete_=false", "peek"}, {"GET", "?_auto_delete_=0&_index_=-1", "peek"},
		{"PUT", "?_indexes_=1", "reserve"}, {"PUT", "?_indexes_=1&_negative_=true", "reserve"},
		{"GET", "?_attrs_=true", "stats"}, {"GET", "?_search_=true&_index_=1", "stats"}, {"GET", "?_count_=true", "stats"},
		{"DELETE", "?_indexes_=1", "delete"}, {"DELETE", "?_trunc_=true&_index_=1", "delete"}, {"DELETE", "?_group_=g", "admin"},
	} {
		for _, token := range append(access.RightNames(), "all", "none", "put+delete", "") {
			want := 403
			switch {
			case token == "":
				want = 401
			case token == "all", token == "admin", token == c.needs, token == "put+delete" && (c.needs == "put" || c.needs == "delete"):
				want = 0
			}
			for _, rear := range []string{"", "X-EAS-QueueService-Access-Rear: true\r\n"} {
				h.mu.Lock()
				before := len(h.asked)
				h.mu.Unlock()
				r, body := h.Say(c.method, item+c.query, auth(token)+rear, "")
				if refused := r.StatusCode == 401 || r.StatusCode == 403; refused != (want != 0) || refused && r.StatusCode != want {
					t.Errorf("%s %s with %q is answered %d %q, want %d", c.method, c.query, token, r.StatusCode, body, want)
				}
				h.mu.Lock()
				if want != 0 && len(h.asked) != before {
					t.Errorf("%s %s with %q: the shards are asked", c.method, c.query, token)
				}
				h.mu.Unlock()
			}
		}
	}
	if got := h.server.Refusals(); got["Unauthorized"] == 0 || got["Forbidden"] == 0 {
		t.Errorf("refusals are counted as %v", got)
	}
}

// With rules the tokens of the options do not count; without rules, they do.
func TestListedTokens(t *testing.T) {
	h, book := newGuarded(t, func(o *Options) { o.Tokens = []string{"listed"} })
	for _, c := range []struct {
		token string
		rules bool
		want  int
	}{{"listed", true, 401}, {"put", true, 200}, {"listed", false, 200}, {"put", false, 401}, {"", false, 401}} {
		if c.rules {
			book.Replace(rules(t, "put"))
		} else {
			book.Replace(nil)
		}
		if r, body := h.Say("POST", base, auth(c.token), "x"); r.StatusCode != c.want {
			t.Errorf("%q, with rules %v: %d %q, want %d", c.token, c.rules, r.StatusCode, body, c.want)
		}
	}
}

// A client may be known by where it comes from, without a token.
func TestNetworkRule(t *testing.T) {
	h, book := newGuarded(t)
	p := must.Get(access.New([]access.Rule{{Networks: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, May: access.Put, Tubes: []string{"s*"}}}))
	book.Replace(p)
	for target, want := range map[string]int{"/api/predict/s": 200, "/api/predict/s/sink": 200, "/api/predict/x": 403} {
		if r, body := h.Say("POST", target, "", "x"); r.StatusCode != want {
			t.Errorf("%s: %d %q, want %d", target, r.StatusCode, body, want)
		}
	}
}

// When the right is taken away, watches and gets that wait end at once, and their consumers
// leave; those that still have it stay.
func TestRightsTakenAway(t *testing.T) {
	h, book := newGuarded(t)
	h.desk.answer = func(op *queue.Op) {
		if op.Ask.What == queue.AskGet {
			op.Status = queue.Waiting
		}
	}
	loses, stays := h.watch("", auth("reserve")), h.watch("", auth("all"))
	stream := h.dial()
	stream.Send(halltest.Request("GET", base+"?_watch_=true", who+auth("reserve"), ""))
	h.await(t, queue.AskWatch, 3)
	waits, peeks := h.dial(), h.dial()
	waits.Send(halltest.Request("GET", base+"?_timeout_=1h", auth("reserve"), ""))
	peeks.Send(halltest.Request("GET", base+"?_timeout_=1h&_auto_delete_=false", auth("peek"), ""))
	h.await(t, queue.AskGet, 2)
	book.Replace(rules(t, "all", "peek"))
	if r, body := waits.Response("GET"); r.StatusCode != 403 {
		t.Errorf("the get is answered %d %q", r.StatusCode, body)
	}
	if r, body := stream.Response("GET"); r.StatusCode != 200 || body != "" {
		t.Errorf("the stream is answered %d, and %q before it ends", r.StatusCode, body)
	}
	loses.closes(closeForbidden)
	h.await(t, queue.AskLeave, 2)
	stays.Send(masked(ws.OpPing, "x"))
	stays.expect(ws.OpPong, "x")
	if n := h.times(queue.AskUnget); n != 1 {
		t.Errorf("%d gets have ended, want 1", n)
	}
	book.Replace(rules(t, "put"))
	stays.closes(closeForbidden)
	if r, body := peeks.Response("GET"); r.StatusCode != 403 {
		t.Errorf("the look is answered %d %q", r.StatusCode, body)
	}
}

// Tokens that are taken out of the list end watches too.
func TestListedTokenTakenAway(t *testing.T) {
	var o Options
	h := newHouse(t, nil, func(set *Options) { set.Tokens = []string{"a", "b"}; o = *set })
	loses, stays := h.watch("", auth("a")), h.watch("", auth("b"))
	o.Tokens = []string{"b"}
	apply := must.Get(h.server.Change(o))
	apply()
	loses.closes(closeForbidden)
	stays.Send(masked(ws.OpPing, "x"))
	stays.expect(ws.OpPong, "x")
}

// A watch or a get that begins while the rules are replaced does not slip through: whatever
// the moment, it ends.
func TestRightsTakenAwayMeanwhile(t *testing.T) {
	h, book := newGuarded(t)
	hash := []string{access.HashOf("reserve").String()}
	without := must.Get(access.New([]access.Rule{{Tokens: hash, May: access.Put, Tubes: []string{"s"}}}))
	with := rules(t, "reserve")
	for i := range 60 {
		book.Replace(with)
		watch, get := h.dial(), h.dial()
		watch.Send(halltest.Request("GET", base+"?_watch_=true", who+handshakeText+auth("reserve"), ""))
		get.Send(halltest.Request("GET", base+"?_timeout_=1h", auth("reserve"), ""))
		for range i * 1000 {
			book.Load() // some time passes
		}
		book.Replace(without)
		if r, _ := get.Response("GET"); r.StatusCode != 403 {
			t.Fatalf("a get is answered %d", r.StatusCode)
		}
		if status, text := watch.handshaken(); status == 101 {
			if hd, _ := watch.frame(); hd.OpCode != ws.OpClose {
				t.Fatalf("a watch gets frame %d", hd.OpCode)
			}
		} else if status != 403 {
			t.Fatalf("a watch is answered %d %s", status, text)
		}
		watch.Close()
		get.Close()
	}
	h.AllLeft()
}

// Whoever guesses tokens is answered late, and a right token from there is not.
func TestGuessing(t *testing.T) {
	h, _ := newGuarded(t, func(o *Options) {})
	guesses := h.server.auth.Guesses
	begun := time.Now()
	if r, body := h.Say("POST", base, auth("guess"), "x"); r.StatusCode != 401 || body != hall.ErrWrongToken.Error() {
		t.Errorf("%d %q", r.StatusCode, body)
	}
	if d := time.Since(begun); d < 100*time.Millisecond {
		t.Errorf("the answer comes after %v", d)
	}
	addr := netip.MustParseAddr("127.0.0.1")
	for guesses.Wrong(addr) > 0 {
	}
	for range 25 {
		if r, body := h.Say("POST", base, auth("all"), "x"); r.StatusCode != 200 {
			t.Errorf("a right token after many wrong ones: %d %q", r.StatusCode, body)
		}
	}
}

// A page of another origin is refused before its token is looked at: it cannot make anybody
// else's answers late.
func TestOriginBeforeToken(t *testing.T) {
	guesses := &access.Guesses{}
	h, _ := newGuarded(t, func(o *Options) { o.Origins = []string{"https://good"} })
	h.server.auth.Guesses = guesses
	json := handshakeText + "Sec-WebSocket-Protocol: beanfield.json\r\nOrigin: https://evil\r\n"
	for _, query := range []string{"_watch_=true", "_count_=true", ""} {
		for _, token := range []string{"all", "bad"} {
			if r, body := h.Say("GET", base+"?"+query+"&_token_="+token, json, ""); r.StatusCode != 403 {
				t.Errorf("%s with %s: %d %q", query, token, r.StatusCode, body)
			}
		}
	}
	if d := guesses.Wrong(netip.MustParseAddr("127.0.0.1")); d != 100*time.Millisecond {
		t.Errorf("the next wrong token is answered after %v: some were counted", d)
	}
}

// A page that may only watch gets its token's rights, from the query.
func TestPagesToken(t *testing.T) {
	h, _ := newGuarded(t, func(o *Options) { o.Origins = []string{"https://good"} })
	json := handshakeText + "Sec-WebSocket-Protocol: beanfield.json\r\nOrigin: https://good\r\n"
	for token, want := range map[string]int{"reserve": 101, "put": 403, "x": 401} {
		c := h.dial()
		c.Send(halltest.Request("GET", fmt.Sprintf("%s?_watch_=true&_token_=%s", base, token), json, ""))
		if status, text := c.handshaken(); status != want {
			t.Errorf("%s: %d %q, want %d", token, status, text, want)
		}
		c.Close()
	}
}
