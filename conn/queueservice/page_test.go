package queueservice

import (
	"io"
	"strings"
	"testing"

	"beanfield/conn/httpfront/httpfronttest"
	"beanfield/shard/queue"
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
