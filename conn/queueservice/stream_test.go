package queueservice

import (
	"io"
	"net/http"
	"testing"

	"beanfield/shard/queue"
	"beanfield/storage/must"

	"golang.org/x/net/websocket"
)

// A watch over plain HTTP sends its headers at once, and each item with its length.
func TestStream(t *testing.T) {
	h := newHouse(t, nil)
	c := h.start("GET", "/api/predict/s?_watch_=true&_window_=3", who, "")
	r, err := http.ReadResponse(c.In, nil)
	if err != nil || r.StatusCode != 200 || r.Header.Get("Content-Type") != typeProtobuf {
		t.Fatal(r, err)
	}
	box := h.last(t).Ask.Receiver
	box.Receive(packed(sent{1, nil, "a"}, sent{2, nil, ""}), true)
	got := make([]byte, 4+5+4+2)
	if _, err := io.ReadFull(r.Body, got); err != nil || string(got) != "\x00\x00\x00\x05\x08\x01\x1a\x01a\x00\x00\x00\x02\x08\x02" {
		t.Errorf("%q, %v", got, err)
	}
	box.Replaced()
	if rest, err := io.ReadAll(r.Body); len(rest) > 0 || err != nil {
		t.Errorf("%q, %v", rest, err)
	}
	h.await(t, queue.AskLeave, 1)
	for n, end := range []func(){func() { c.Close() }, h.Close} {
		c = h.start("GET", "/api/predict/s?_watch_=true&_window_=3", who, "")
		h.await(t, queue.AskWatch, n+2)
		end()
		h.await(t, queue.AskLeave, n+2)
	}
}

// The client that the Go SDK is built on.
func TestRealClient(t *testing.T) {
	h := newHouse(t, nil)
	config := must.Get(websocket.NewConfig("ws://"+h.Address+"/api/predict/s?_watch_=true&_window_=5", "http://"+h.Address+"/api/predict/s"))
	config.Header.Set("Accept", typeProtobuf)
	c := must.Get(websocket.DialConfig(config))
	box := h.last(t).Ask.Receiver
	box.Receive(packed(sent{1, nil, "a"}), true)
	var got []byte
	if err := websocket.Message.Receive(c, &got); err != nil || string(got) != "\x08\x01\x1a\x01a" {
		t.Errorf("%q, %v", got, err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	h.await(t, queue.AskLeave, 1)
}
