package queueservice

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"beanfield/router"
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

// Items go from producers to consumers and are gone when they are committed.
func TestPutWatchCommit(t *testing.T) {
	h, _ := newRealHouse(t, 4)
	first := h.ok("POST", base+"?k=v", who, "one")
	c := h.connect(base+"?_watch_=true&_window_=2", who)
	second := h.ok("POST", base, who, "two")
	h.ok("POST", base, who, "three")
	for _, want := range []string{first + " one", second + " two"} {
		if index, data := c.item(); fmt.Sprint(index, " ", data) != want {
			t.Errorf("%d %s, want %s", index, data, want)
		}
	}
	if got := h.attribute("consumers.list.[0]"); !strings.Contains(got, "Id: eas.u1, Index: "+second+
		", Pending: 2, Status: Running") || !strings.Contains(got, "Window: 2, Slots: 0, AutoCommit: false") {
		t.Error(got)
	}
	h.ok("PUT", base+"?_indexes_="+first+"%2C"+second+",0,99999", who, "")
	third, data := c.item()
	if data != "three" {
		t.Errorf("%d %s", third, data)
	}
	h.ok("PUT", fmt.Sprintf("%s?_indexes_=%d", base, third), who, "")
	if got := h.attribute("stream.length"); got != "0" {
		t.Errorf("length %s", got)
	}
}

// All the other operations, once.
func TestOperations(t *testing.T) {
	h, _ := newRealHouse(t, 1)
	for _, c := range []struct {
		method, query, body string
		status              int
		answer              string // what it has
	}{
		{"GET", "?_attrs_=true", "", 200, `"stream.length":"0"`},
		{"POST", "?_batch_=true", `{"data":"a"}` + "\n" + `{"data":"b","tags":{"t":"1"}}` + "\n" +
			`{"data":"c","priority":1}`, 200, "[1,2,3]"},
		{"GET", "?_attrs_=true", "", 200, `"stream.firstEntry":"1","stream.lastEntry":"3","stream.length":"3"`},
		{"GET", "?_count_=true", "", 200, "3"}, {"GET", "?_count_=true&t=1", "", 200, "1"},
		{"GET", "?_count_=true&_priority_=1", "", 200, "1"},
		{"GET", "?_auto_delete_=false&t=1", "", 200, "b"},
		{"GET", "?_search_=true&_index_=2", "", 200, `"IsPending":false,"WaitCount":2,"Deliveries":0}`},
		{"GET", "?_search_=true&_index_=12345", "", 404, "no data in stream"},
		{"DELETE", "?_indexes_=2", "", 200, ""}, {"DELETE", "?_trunc_=true&_index_=3", "", 200, ""},
		{"GET", "?_attrs_=true", "", 200, `"stream.length":"1"`},
		{"POST", "?_eos_=true&_force_=true", "", 200, ""}, {"POST", "", "x", 410, ""},
		{"GET", "?_attrs_=true", "", 200, `"meta.state":"End"`}, {"GET", "?_attrs_=true", "", 200,
			`"stream.length":"0"`},
	} {
		if answer := h.Expect(c.status, c.method, base+c.query, ofLines, c.body); !strings.Contains(answer, c.answer) {
			t.Errorf("%s %s: %s, want %s", c.method, c.query, answer, c.answer)
		}
	}
}
