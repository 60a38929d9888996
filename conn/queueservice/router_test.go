package queueservice

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"beanfield/router"
	"beanfield/shard/queue/policy"
	"beanfield/storage"
	"beanfield/storage/must"

	"github.com/gobwas/ws"
)

// newRealHouse starts a server before a router in memory.
func newRealHouse(t testing.TB, shards int, set ...func(*Options)) (*house, *router.Router) {
	t.Helper()
	r := must.Get(router.New(router.Options{Shards: shards, Store: storage.Memory()}))
	t.Cleanup(func() { must.Do(t, r.Close()) })
	return newHouse(t, r, set...), r
}

// ok sends a request that must succeed, and returns the answer.
func (h *house) ok(method, target, headers, body string) string {
	h.T.Helper()
	r, reply := h.Say(method, target, headers, body)
	if r.StatusCode != 200 {
		h.T.Fatalf("%s %s: %d %s", method, target, r.StatusCode, reply)
	}
	return reply
}

// attribute asks for one of the queue s.
func (h *house) attribute(name string) string {
	h.T.Helper()
	all := map[string]string{}
	must.Do(h.T, json.Unmarshal([]byte(h.ok("GET", "/api/predict/s?_attrs_=true", "", "")), &all))
	return all[name]
}

// connect makes a WebSocket with any identity.
func (h *house) connect(target, headers string) *client {
	h.T.Helper()
	c := h.start("GET", target, headers+handshakeText, "")
	if r, body := c.handshaken(); r != 101 {
		h.T.Fatalf("handshake: %d %s", r, body)
	}
	return c
}

// handshaken reads the answer to a handshake.
func (c *client) handshaken() (status int, text string) {
	c.T.Helper()
	var lines []string
	for {
		line := must.Get(c.In.ReadString('\n'))
		if line == "\r\n" {
			break
		}
		lines = append(lines, line)
	}
	status, _ = strconv.Atoi(strings.Fields(lines[0])[1])
	return status, strings.Join(lines, "")
}

// item reads a frame with an item.
func (c *client) item() (index uint64, data string) {
	c.T.Helper()
	h, b := c.frame()
	if h.OpCode != ws.OpBinary {
		c.T.Fatalf("frame %d %q", h.OpCode, b)
	}
	it := frameOf(c.T, b)
	return it.index, it.body
}

// operations are held with a house before real shards.
var operations = []conversation{
	{"items go from producers to consumers and are gone when they are committed", plain, `
		POST ?k=v | $who | one = 200 plain 1
		a joins ?_watch_=true&_window_=2 | $who
		POST | $who | two = 200 plain 2
		POST | $who | three = 200 plain 3
		a brings 1 one
		a brings 2 two
		GET ?_attrs_=true = 200 json ..."consumers.list.[0]":"Id: eas.u1, Index: 2, Pending: 2, Status: Running...Window: 2, Slots: 0, AutoCommit: false...
		PUT ?_indexes_=1%2C2,0,99999 | $who = 200
		a brings 3 three
		PUT ?_indexes_=3 | $who = 200
		GET ?_attrs_=true = 200 json ..."stream.length":"0"...
		POST | $who | four = 200 plain 4
		a brings 4 four
		PUT ?_negative_=true&_indexes_=4 | $who | _code_=Shutdown&_reason_=bye = 200
		GET ?_search_=true&_index_=4 | $who = 200 json ..."Code":"Shutdown","Reason":"bye"}`},
	{"a batch that is too long", limited(func(l *policy.Limits) { l.MaxLength = 2 }), `
		POST ?_batch_=true | $lines | {}\n{}\n{} = 429 plain queue too long; put were [1,2]`},
	{"all the other operations, once", plain, `
		GET ?_attrs_=true = 200 json ..."stream.length":"0"...
		POST ?_batch_=true | $lines | {"data":"a"}\n{"data":"b","tags":{"t":"1"}}\n{"data":"c","priority":1} = 200 json [1,2,3]
		GET ?_attrs_=true = 200 json ..."stream.firstEntry":"1","stream.lastEntry":"3","stream.length":"3"...
		GET ?_count_=true = 200 plain 3
		GET ?_count_=true&t=1 = 200 plain 1
		GET ?_count_=true&_priority_=1 = 200 plain 1
		GET ?_auto_delete_=false&t=1 = 200 octet-stream b
		GET ?_search_=true&_index_=2 = 200 json ..."IsPending":false,"WaitCount":2,"Deliveries":0}
		GET ?_search_=true&_index_=12345 = 404 plain no data in stream
		DELETE ?_indexes_=2 = 200
		DELETE ?_trunc_=true&_index_=3 = 200
		GET ?_attrs_=true = 200 json ..."stream.length":"1"...
		POST ?_eos_=true&_force_=true = 200
		POST | | x = 410
		GET ?_attrs_=true = 200 json ..."meta.state":"End"..."stream.length":"0"...`},
	// A client that comes back to a queue that has ended is let in and not sent away again, so that one that always
	// connects again does so once. A stream has the consumer's name. A page is told each time.
	{"who comes back after the end", plain, `
		a joins ?_watch_=true&_window_=5 | $who
		POST | | a = 200 plain 1
		a brings 1 a
		POST ?_eos_=true = 200
		PUT ?_indexes_=1 | $who = 200
		a goes 1000
		a joins ?_watch_=true&_window_=5 | $who
		a sends ping still
		a gets pong still
		a hangs-up
		a joins ?_watch_=true&_window_=5 | $who
		a sends ping still
		a gets pong still
		a hangs-up
		GET ?_watch_=true&_window_=5 | X-EAS-QueueService-Uid: other = 200 vnd.google.protobuf
		b joins ?_watch_=true&_window_=5&_uid_=page | Sec-WebSocket-Protocol: beanfield.json
		b gets text {"ended":true}
		b hangs-up
		b joins ?_watch_=true&_window_=5&_uid_=page | Sec-WebSocket-Protocol: beanfield.json
		b gets text {"ended":true}
		b hangs-up
		GET ?_attrs_=true = 200 json ..."meta.state":"End"...`},
}

func TestOperations(t *testing.T) {
	for _, c := range operations {
		t.Run(c.name, func(t *testing.T) {
			h, _ := newRealHouse(t, 4, c.set)
			h.talk(c.text)
		})
	}
}
