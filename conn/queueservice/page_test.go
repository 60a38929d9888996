package queueservice

import (
	"io"
	"strings"
	"testing"

	"beanfield/conn/httpfront/httpfronttest"
	"beanfield/shard/queue"

	"github.com/gobwas/ws"
)

// page connects a consumer of the JSON subprotocol, as a browser does.
func (h *house) page() *watcher {
	h.T.Helper()
	before := h.times(queue.AskWatch)
	c := h.dial()
	c.Send(httpfronttest.Request("GET", "/api/predict/s?_watch_=true&_window_=5&_uid_=me&_gid_=us&_token_=secret",
		handshakeText+"Sec-WebSocket-Protocol: beanfield.json\r\nOrigin: https://good\r\n", ""))
	want := strings.TrimSuffix(handshakeReply, "\r\n") + "Sec-WebSocket-Protocol: beanfield.json\r\n\r\n"
	got := make([]byte, len(want))
	if _, err := io.ReadFull(c.In, got); err != nil || string(got) != want {
		h.T.Fatalf("handshake %q, %v", got, err)
	}
	return &watcher{c, h.await(h.T, queue.AskWatch, before+1).Ask.Receiver}
}

func newPageHouse(t *testing.T) *house {
	return newHouse(t, nil, func(o *Options) {
		o.Tokens, o.Origins = []string{"other", "secret"}, []string{"https://good"}
	})
}

// A page is sent items as text, and says what is done with them.
func TestPage(t *testing.T) {
	h := newPageHouse(t)
	c := h.page()
	if a := h.last(t).Ask; a.User != "me" || a.Group != "us" {
		t.Errorf("%s of %s watches", a.User, a.Group)
	}
	c.box.Receive(packed(sent{7, map[string]string{"k": "v"}, "tëxt \"\\\t\x7f"}, sent{8, nil, "\xff\x00"},
		sent{9, nil, strings.Repeat("l", 70000)}), true)
	c.expect(ws.OpText, `{"index":7,"tags":{"k":"v"},"data":"tëxt \"\\\u0009`+"\x7f"+`"}`)
	c.expect(ws.OpText, `{"index":8,"tags":{},"data64":"/wA="}`)
	c.expect(ws.OpText, `{"index":9,"tags":{},"data":"`+strings.Repeat("l", 70000)+`"}`)

	c.Send(masked(ws.OpText, `{"commit":[7,8]}`) + masked(ws.OpText, `{"commit":[],"id":0}`))
	c.expect(ws.OpText, `{"done":0}`)
	if a := h.await(t, queue.AskCommit, 1).Ask; len(a.Indexes) != 2 || a.Group != "us" || a.User != "me" ||
		a.Queue != "s" {
		t.Errorf("commit %+v", a)
	}
	first, second := ws.NewFrame(ws.OpText, false, []byte(`{"negative":[9],"co`)), ws.NewFrame(ws.OpContinuation, true,
		[]byte(`de":"Busy","reason":"r","id":-5}`))
	ws.WriteFrame(c, ws.MaskFrame(first))
	c.Send(masked(ws.OpPing, "between"))
	ws.WriteFrame(c, ws.MaskFrame(second))
	c.expect(ws.OpPong, "between")
	c.expect(ws.OpText, `{"done":-5}`)
	if a := h.await(t, queue.AskNegative, 1).Ask; len(a.Indexes) != 1 || a.Code != "Busy" || a.Reason != "r" {
		t.Errorf("negative %+v", a)
	}
	h.answer = status(queue.Failed)
	c.Send(masked(ws.OpText, `{"commit":[9]}`))
	c.closes(1011)
}

func TestPageMisconduct(t *testing.T) {
	h := newPageHouse(t)
	for _, x := range []struct {
		frame string
		code  ws.StatusCode
	}{
		{masked(ws.OpBinary, `{"commit":[1]}`), 1003},
		{masked(ws.OpText, "\"\xff\""), 1007},
		{masked(ws.OpText, `{`), 1008},
		{masked(ws.OpText, `{}`), 1008},
		{masked(ws.OpText, `{"commit":[1],"negative":[1]}`), 1008},
		{masked(ws.OpText, `{"commit":[-1]}`), 1008},
		{masked(ws.OpText, `{"commit":[1]} x`), 1008},
		{masked(ws.OpText, `{"negative":[1],"code":"`+strings.Repeat("c", 65)+`"}`), 1008},
		{masked(ws.OpText, `{"other":1}`), 1008},
		{masked(ws.OpText, strings.Repeat(" ", mostMessage+1)), 1009},
		{masked(ws.OpText, "x") + masked(ws.OpText, "y"), 1008},
	} {
		c := h.page()
		c.Send(x.frame)
		c.closes(x.code)
	}
	if n := h.times(queue.AskCommit) + h.times(queue.AskNegative); n > 0 {
		t.Errorf("%d operations", n)
	}
}

// A client that asks for answers and does not read them is sent away.
func TestPageThatNeverReads(t *testing.T) {
	h := newPageHouse(t)
	c := h.page()
	c.box.Receive(bulky(12), true) // its writer is stuck from now on
	go io.WriteString(c.Conn, strings.Repeat(masked(ws.OpText, `{"commit":[],"id":1}`), 2000))
	h.await(t, queue.AskLeave, 1)
}

func TestBatch(t *testing.T) {
	h := newHouse(t, nil, func(o *Options) { o.MaxBatch = 100000 })
	next := uint64(40)
	h.answer = func(op *queue.Op) {
		if next++; next == 46 {
			op.Status = queue.TooLong
		}
		op.ID = next
	}
	const lines = "Content-Type: application/x-ndjson; charset=utf-8\r\n"
	text := `{"data":"a","tags":{"k":"v"}}` + "\n\r\n" + `{"data64":"/w==","priority":3}` + "\r\n" + `{}`
	r, body := h.Say("POST", "/api/predict/s?_batch_=true", lines, text)
	if r.StatusCode != 200 || body != "[41,42,43]" || r.Header.Get("Content-Type") != typeJSON {
		t.Errorf("%d %s", r.StatusCode, body)
	}
	a, b, c := h.asked[0], h.asked[1], h.asked[2]
	if v, _ := a.Ask.Tags.Get("k"); string(v) != "v" || string(a.Data) != "a" || a.Pri != 1024 ||
		string(b.Data) != "\xff" || b.Pri != 1021 || c.Size != 0 {
		t.Errorf("put %+v %+v %+v", a, b, c)
	}
	if id, ok := c.Ask.Tags.Get("requestId"); !ok || len(id) != 36 {
		t.Errorf("id %q", id)
	}
	r, body = h.Say("POST", "/api/predict/s?_batch_=true", lines, "{}\n{}\n{}\n")
	if r.StatusCode != 429 || body != "queue too long; put were [44,45]" {
		t.Errorf("%d %s", r.StatusCode, body)
	}
	r, body = h.Say("POST", "/api/predict/s?_batch_=true", lines, "")
	if r.StatusCode != 200 || body != "[]" {
		t.Errorf("%d %s", r.StatusCode, body)
	}
	h.forget()
	for text, status := range map[string]int{
		`x`: 400, `{"data":"a","data64":"YQ=="}`: 400, `{"data64":"?"}`: 400, `{} {}`: 400, `{"priority":"1"}`: 400,
		`{"tags":{"":"x"}}`:    400,
		`{"tags":{"_x_":"x"}}`: 400, `{"tags":{"a":1}}`: 400, "{\"data\":\"\xff\"}": 400, `{"tags":{"a":"` +
			strings.Repeat("v", 5000) + `"}}`: 400,
		strings.Repeat(`{}`+"\n", 40000): 413,
	} {
		if r, body := h.Say("POST", "/api/predict/s?_batch_=true", lines, "{}\n"+text); r.StatusCode != status ||
			status == 400 && !strings.HasPrefix(body, "line 2: ") {
			t.Errorf("%.50q: %d %s", text, r.StatusCode, body)
		}
	}
	h.Expect(415, "POST", "/api/predict/s?_batch_=true", "", "{}")
	h.nothing(t)
}

// A batch of many items is put in portions, so that others are served in between.
func TestBatchOfMany(t *testing.T) {
	h := newCounting(t)
	body := h.Expect(200, "POST", base+"?_batch_=true", ofLines, strings.Repeat("{}\n", 1000))
	if !strings.HasPrefix(body, "[1,2,3,") || !strings.HasSuffix(body, ",999,1000]") ||
		strings.Count(body, ",") != 999 {
		t.Errorf("a batch of many items is answered %.20s", body)
	}
	if h.desk.most > queue.Slice {
		t.Errorf("%d items were put at once", h.desk.most)
	}
}
