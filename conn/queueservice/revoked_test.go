package queueservice

import (
	"io"
	"testing"
	"time"

	"beanfield/conn/access"
	"beanfield/conn/hall/halltest"
	"beanfield/shard/queue"

	"github.com/gobwas/ws"
)

// clog sends a consumer so much that its writer is stuck until the client reads all of it.
func (c *client) clog(box queue.Receiver) {
	c.T.Helper()
	box.Receive(bulky(12), true)
	if _, err := io.CopyN(io.Discard, c.In, 64<<10); err != nil { // it has begun
		c.T.Fatal(err)
	}
}

// newRevocable is a house in which nothing but a lost right ends a connection.
func newRevocable(t *testing.T) (*house, *access.Book) {
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
			c.Send(halltest.Request("GET", base+"?_watch_=true&_window_=5&_token_=reserve",
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
			whole := halltest.Request(c.method, base+c.query, c.headers+auth(c.right)+"Expect: 100-continue\r\n", c.half+c.rest)
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
