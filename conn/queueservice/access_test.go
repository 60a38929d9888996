package queueservice

import (
	"io"
	"net/netip"
	"strings"
	"testing"

	"beanfield/conn/access"
	"beanfield/conn/httpfront"
	"beanfield/shard/queue"
	"beanfield/shard/queue/policy"
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
				r.May |= must.Get(access.ParseRight(name))
			}
		}
		list = append(list, r)
	}
	return must.Get(access.New(list))
}

// newGuarded is a house with rules. The book may be given others.
func newGuarded(t testing.TB, set ...func(*Options)) (*house, *access.Current) {
	t.Helper()
	book := &access.Current{}
	book.Replace(rules(t, append(access.RightNames(), "all", "none", "put+delete")...))
	h := newHouse(t, nil, append(set, func(o *Options) { o.Authenticator = httpfront.Authenticator{Current: book} })...)
	return h, book
}

// fromHere is a policy for whoever comes from this machine.
func fromHere(may access.Rights, tubes string) *access.Policy {
	here := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	return must.Get(access.New([]access.Rule{{Networks: here, May: may, Tubes: []string{tubes}}}))
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
		{"POST", "", "put"}, {"POST", "?_batch_=true", "put"}, {"POST", "?_eos_=true", "put"},
		{"POST", "?_eos_=true&_force_=true", "put+delete"},
		{"GET", "", "reserve"}, {"GET", "?_auto_delete_=true", "reserve"}, {"GET", "?_timeout_=1ms", "reserve"},
		{"GET", "?_watch_=true&_window_=x", "reserve"}, // without the right, nobody looks at the window
		{"GET", "?_auto_delete_=false", "peek"}, {"GET", "?_auto_delete_=0&_index_=-1", "peek"},
		{"PUT", "?_indexes_=1", "reserve"}, {"PUT", "?_indexes_=1&_negative_=true", "reserve"},
		{"GET", "?_attrs_=true", "stats"}, {"GET", "?_search_=true&_index_=1", "stats"}, {"GET", "?_count_=true",
			"stats"},
		{"DELETE", "?_indexes_=1", "delete"}, {"DELETE", "?_trunc_=true&_index_=1", "delete"}, {"DELETE", "?_group_=g",
			"admin"},
	} {
		for _, token := range append(access.RightNames(), "all", "none", "put+delete", "") {
			want := 403
			switch {
			case token == "":
				want = 401
			case token == "all", token == "admin", token == c.needs, token == "put+delete" &&
				(c.needs == "put" || c.needs == "delete"):
				want = 0
			}
			for _, rear := range []string{"", "X-EAS-QueueService-Access-Rear: true\r\n"} {
				h.forget()
				r, body := h.Say(c.method, item+c.query, auth(token)+rear, "")
				if refused := r.StatusCode == 401 || r.StatusCode == 403; refused != (want != 0) || refused &&
					r.StatusCode != want {
					t.Errorf("%s %s with %q is answered %d %q, want %d", c.method, c.query, token, r.StatusCode, body,
						want)
				}
				if want != 0 {
					h.nothing(t)
				}
			}
		}
	}
	if got := h.server.Refusals(); got["Unauthorized"] == 0 || got["Forbidden"] == 0 {
		t.Errorf("refusals are counted as %v", got)
	}
}

// Tokens that are taken out of the list end watches too.
func TestListedTokenTakenAway(t *testing.T) {
	var o Options
	h := newHouse(t, nil, func(set *Options) { set.Tokens = []string{"a", "b"}; o = *set })
	loses, stays := h.watch("", auth("a")), h.watch("", auth("b"))
	o.Tokens = []string{"b"}
	must.Get(h.server.Change(o))()
	loses.sentAway(closeForbidden)
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
		watch := h.start("GET", base+"?_watch_=true", who+handshakeText+auth("reserve"), "")
		get := h.start("GET", base+"?_timeout_=1h", auth("reserve"), "")
		for range i * 1000 {
			book.Load() // some time passes
		}
		book.Replace(without)
		get.Expect(403)
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

// clog sends a consumer so much that its writer is stuck until the client reads all of it.
func (c *client) clog(box queue.Receiver) {
	c.T.Helper()
	box.Receive(bulky(12), true)
	if _, err := io.CopyN(io.Discard, c.In, 64<<10); err != nil { // it has begun
		c.T.Fatal(err)
	}
}

// A client that loses its right after it was let in, and before it is a consumer, does not become
// one: nobody would end its watch.
func TestRightLostBeforeUpgrade(t *testing.T) {
	book := &access.Current{}
	book.Replace(rules(t, "reserve"))
	h := newHouse(t, nil, func(o *Options) { o.Authenticator = httpfront.Authenticator{Current: book} })
	// The limits are asked for when the client has been let in, once they have changed since the
	// request came.
	later := options()
	later.Authenticator.Current = book
	later.LimitsFor = func(string) *policy.Limits {
		book.Replace(rules(t, "peek"))
		return someLimits
	}
	change := must.Get(h.server.Change(later))
	early := options()
	early.Authenticator.Current = book
	early.LimitsFor = func(string) *policy.Limits {
		change()
		return someLimits
	}
	must.Get(h.server.Change(early))()
	c := h.start("GET", base+"?_watch_=true", auth("reserve")+handshakeText, "")
	c.Expect(403)
	if n := h.times(queue.AskWatch); n != 0 {
		t.Errorf("%d watches are asked for", n)
	}
	if _, n := h.server.Open(); n != 0 {
		t.Errorf("%d consumers are left", n)
	}
}
