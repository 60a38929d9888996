package queueservice

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"beanfield/router"
	"beanfield/shard/queue"
	"beanfield/storage"
	"beanfield/storage/must"

	"github.com/gobwas/ws"
)

// newRealHouse starts a server before a router in memory.
func newRealHouse(t testing.TB, shards int, set ...func(*Options)) (*house, *router.Router) {
	t.Helper()
	r := must.Get(router.New(router.Options{Shards: shards, Store: storage.Memory()}))
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
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
	if got := h.attribute("consumers.list.[0]"); !strings.Contains(got, "Id: eas.u1, Index: "+second+", Pending: 2, Status: Running") || !strings.Contains(got, "Window: 2, Slots: 0, AutoCommit: false") {
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

// A connection that takes over is sent what was pending again.
func TestTakeover(t *testing.T) {
	h, _ := newRealHouse(t, 4)
	old := h.connect(base+"?_watch_=true&_window_=5", who)
	h.ok("POST", base, "", "a")
	old.item()
	c := h.connect(base+"?_watch_=true&_window_=5", who)
	if _, data := c.item(); data != "a" {
		t.Errorf("item %s", data)
	}
	old.closes(closeReplaced)
	if got := h.attribute("consumers.stats.total"); got != "1" {
		t.Errorf("%s consumers", got)
	}
	c.Close()
}

// A get that waits has the item as soon as it is put.
func TestGetWaitsForPut(t *testing.T) {
	h, _ := newRealHouse(t, 4)
	c := h.start("GET", base+"/sink?requestId=r1&_timeout_=1h", who, "")
	h.ok("POST", base+"/sink?requestId=r2", "", "other")
	h.ok("POST", base+"/sink?requestId=r1", "", "mine")
	if r, body := c.Response("GET"); r.StatusCode != 200 || body != "mine" || r.Header.Get(headerRequest) != "r1" {
		t.Errorf("%d %s", r.StatusCode, body)
	}
	if got := h.ok("GET", base+"/sink?_count_=true", "", ""); got != "1" {
		t.Errorf("%s are left", got)
	}
}

// All the other operations, once.
func TestOperations(t *testing.T) {
	h, _ := newRealHouse(t, 4)
	if got := h.attribute("stream.length") + h.attribute("stream.lastEntry"); got != "0" {
		t.Errorf("nothing: %s", got)
	}
	indexes := h.ok("POST", base+"?_batch_=true", "Content-Type: application/x-ndjson\r\n", `{"data":"a"}`+"\n"+`{"data":"b","tags":{"t":"1"}}`+"\n"+`{"data":"c","priority":1}`)
	var list []uint64
	if json.Unmarshal([]byte(indexes), &list); len(list) != 3 {
		t.Fatal(indexes)
	}
	if got := h.attribute("stream.firstEntry") + h.attribute("stream.lastEntry"); got != fmt.Sprint(list[0])+fmt.Sprint(list[2]) {
		t.Errorf("entries %s", got)
	}
	for target, want := range map[string]string{"?_count_=true": "3", "?_count_=true&t=1": "1", "?_count_=true&_priority_=1": "1"} {
		if got := h.ok("GET", base+target, "", ""); got != want {
			t.Errorf("%s: %s, want %s", target, got, want)
		}
	}
	if got := h.ok("GET", base+"?_auto_delete_=false&t=1", "", ""); got != "b" {
		t.Errorf("got %s", got)
	}
	if got := h.ok("GET", fmt.Sprintf("%s?_search_=true&_index_=%d", base, list[1]), who, ""); !strings.Contains(got, `"IsPending":false`) {
		t.Errorf("search %s", got)
	}
	if r, body := h.Say("GET", base+"?_search_=true&_index_=12345", who, ""); r.StatusCode != 404 || body != "no data in stream" {
		t.Errorf("search: %d %s", r.StatusCode, body)
	}
	h.ok("DELETE", fmt.Sprintf("%s?_indexes_=%d", base, list[1]), "", "")
	h.ok("DELETE", fmt.Sprintf("%s?_trunc_=true&_index_=%d", base, list[2]), "", "")
	if got := h.attribute("stream.length"); got != "1" {
		t.Errorf("length %s", got)
	}
	h.ok("POST", base+"?_eos_=true&_force_=true", "", "")
	h.Expect(410, "POST", base, "", "x")
	if got := h.attribute("meta.state") + h.attribute("stream.length"); got != "End0" {
		t.Errorf("state %s", got)
	}
}

// A negative gives an item to another consumer, and Shutdown ends pushes.
func TestNegatives(t *testing.T) {
	h, _ := newRealHouse(t, 4)
	a := h.connect(base+"?_watch_=true&_window_=5", "X-EAS-QueueService-Redis-Uid: a\r\nX-EAS-QueueService-Redis-Gid: eas\r\n")
	index := h.ok("POST", base, "", "x")
	a.item()
	b := h.connect(base+"?_watch_=true&_window_=5", "X-EAS-QueueService-Redis-Uid: b\r\nX-EAS-QueueService-Redis-Gid: eas\r\n")
	h.ok("PUT", base+"?_negative_=true&_indexes_="+index, "X-EAS-QueueService-Redis-Uid: a\r\nX-EAS-QueueService-Redis-Gid: eas\r\n", "_code_=Shutdown&_reason_=bye")
	if got, data := b.item(); fmt.Sprint(got) != index || data != "x" {
		t.Errorf("%d %s", got, data)
	}
	if got := h.ok("GET", base+"?_search_=true&_index_="+index, "X-EAS-QueueService-Redis-Gid: eas\r\n", ""); !strings.Contains(got, `"ConsumerId":"eas.b","IsPending":true`) || !strings.Contains(got, `"Code":"Shutdown","Reason":"bye"`) {
		t.Errorf("search %s", got)
	}
}

// The limits of a queue hold for it and its rear queue.
func TestQueueTooLong(t *testing.T) {
	h, _ := newRealHouse(t, 1, limited(func(l *queue.Limits) { *l = queue.Limits{MaxLength: 2} }))
	h.ok("POST", base, "", "x")
	h.ok("POST", base, "X-EAS-QueueService-Access-Rear: true\r\n", "x")
	if r, body := h.Say("POST", base, "", "x"); r.StatusCode != 429 || body != "queue too long" {
		t.Errorf("%d %s", r.StatusCode, body)
	}
}
