package queueservice

import (
	"encoding/base64"
	"io"
	"net/netip"
	"strings"
	"testing"
	"time"

	"beanfield/conn/access"
	"beanfield/conn/httpfront"
	"beanfield/conn/httpfront/httpfronttest"
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

// When the right is taken away, watches and gets that wait end at once, and their consumers
// leave; those that still have it stay.
func TestRightsTakenAway(t *testing.T) {
	h, book := newGuarded(t)
	h.desk.answer = getsWait
	loses, stays := h.watch("", auth("reserve")), h.watch("", auth("all"))
	stream := h.start("GET", base+"?_watch_=true", who+auth("reserve"), "")
	h.await(t, queue.AskWatch, 3)
	waits := h.start("GET", base+"?_timeout_=1h", auth("reserve"), "")
	peeks := h.start("GET", base+"?_timeout_=1h&_auto_delete_=false", auth("peek"), "")
	h.await(t, queue.AskGet, 2)
	book.Replace(rules(t, "all", "peek"))
	waits.Expect(403)
	if r, body := stream.Response("GET"); r.StatusCode != 200 || body != "" {
		t.Errorf("the stream is answered %d, and %q before it ends", r.StatusCode, body)
	}
	loses.sentAway(closeForbidden)
	h.await(t, queue.AskLeave, 2)
	stays.Send(masked(ws.OpPing, "x"))
	stays.expect(ws.OpPong, "x")
	if n := h.times(queue.AskUnget); n != 1 {
		t.Errorf("%d gets have ended, want 1", n)
	}
	book.Replace(rules(t, "put"))
	stays.sentAway(closeForbidden)
	peeks.Expect(403)
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

// newRevocable is a house in which nothing but a lost right ends a connection.
func newRevocable(t *testing.T) (*house, *access.Current) {
	return newGuarded(t, func(o *Options) {
		o.WriteTimeout, o.DeadAfter, o.ReadTimeout = time.Hour, time.Hour, time.Hour
		o.Origins = []string{"https://good"}
	})
}

// Whoever may not reserve any more commits nothing, also while its writer is stuck and the end
// of its watch cannot be sent.
func TestRevokedDoesNotCommit(t *testing.T) {
	for _, message := range []string{`{"commit":[1],"id":1}`, `{"negative":[1]}`} {
		t.Run(message, func(t *testing.T) {
			h, book := newRevocable(t)
			c := h.dial()
			c.Send(httpfronttest.Request("GET", base+"?_watch_=true&_window_=5&_token_=reserve",
				handshakeText+"Sec-WebSocket-Protocol: beanfield.json\r\nOrigin: https://good\r\n", ""))
			c.clog(h.await(t, queue.AskWatch, 1).Ask.Receiver)
			book.Replace(rules(t, "all"))
			c.Send(masked(ws.OpText, message))
			h.await(t, queue.AskLeave, 1)
			if n := h.times(queue.AskCommit) + h.times(queue.AskNegative); n != 0 {
				t.Errorf("%s takes effect", message)
			}
		})
	}
}

// A consumer that does not read leaves all the same when it may not reserve any more, over
// WebSocket and over plain HTTP, so that others get its items.
func TestRevokedThatNeverReads(t *testing.T) {
	for name, headers := range map[string]string{"WebSocket": handshakeText, "HTTP": ""} {
		t.Run(name, func(t *testing.T) {
			h, book := newRevocable(t)
			c := h.start("GET", base+"?_watch_=true&_window_=5", who+headers+auth("reserve"), "")
			c.clog(h.await(t, queue.AskWatch, 1).Ask.Receiver)
			book.Replace(rules(t, "all"))
			h.await(t, queue.AskLeave, 1)
			h.AllLeft()
		})
	}
}

// A request whose body comes slowly is judged again when it has come.
func TestRevokedDuringBody(t *testing.T) {
	const lines = "Content-Type: application/x-ndjson\r\n"
	for _, c := range []struct{ method, query, headers, half, rest, right string }{
		{"POST", "", "", "ab", "cd", "put"},
		{"POST", "?_batch_=true", lines, "{}\n", "{}\n", "put"},
		{"PUT", "?_negative_=true&_indexes_=1", "", "_code_=", "Busy", "reserve"},
		{"GET", "?_auto_delete_=false", "", "ab", "cd", "peek"},
	} {
		t.Run(c.method+c.query, func(t *testing.T) {
			h, book := newRevocable(t)
			k := h.dial()
			whole := httpfronttest.Request(c.method, base+c.query, c.headers+auth(c.right)+"Expect: 100-continue\r\n",
				c.half+c.rest)
			k.Send(whole[:len(whole)-len(c.rest)])
			const more = "HTTP/1.1 100 Continue\r\n\r\n" // the client has been let in, and its body is read
			got := make([]byte, len(more))
			if _, err := io.ReadFull(k.In, got); err != nil || string(got) != more {
				t.Fatalf("answered %q, %v", got, err)
			}
			book.Replace(rules(t, "all"))
			k.Send(c.rest)
			if r, body := k.Response(c.method); r.StatusCode != 403 {
				t.Errorf("%s %s is answered %d %q", c.method, c.query, r.StatusCode, body)
			}
			h.nothing(t)
		})
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

// A token that a rule knows is never stored: not as an item, nor as one of a batch, of which then
// nothing is.
func TestKnownTokenIsNoItem(t *testing.T) {
	h, book := newGuarded(t)
	const lines = "Content-Type: application/x-ndjson\r\n"
	ways := map[string]func(body string) (query, headers, text string){
		"one": func(body string) (string, string, string) { return "", "", body },
		"batch": func(body string) (string, string, string) {
			return "?_batch_=true", lines, `{"data": "x"}` + "\n" + `{"data": "` + body + `"}`
		},
		"data64": func(body string) (string, string, string) {
			return "?_batch_=true", lines, `{"data64": "` + base64.StdEncoding.EncodeToString([]byte(body)) + `"}`
		},
	}
	for name, way := range ways {
		for _, body := range []string{"oauth stats", "oauth stats and more", "oauth  stats " + strings.Repeat("x",
			3*smallBody)} {
			query, headers, text := way(body)
			r, answer := h.Say("POST", "/api/predict/s"+query, auth("put")+headers, text)
			if r.StatusCode != 400 || !strings.Contains(answer, "shows a token") || strings.Contains(answer, "stats") {
				t.Errorf("%s, %.20s: %d %q", name, body, r.StatusCode, answer)
			}
		}
	}
	h.nothing(t)
	for _, way := range ways {
		query, headers, text := way("oauth other")
		h.Expect(200, "POST", "/api/predict/s"+query, auth("put")+headers, text)
	}
	book.Replace((*access.Policy)(nil))
	h.Expect(200, "POST", "/api/predict/s", "", "oauth stats")
}
