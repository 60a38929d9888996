package queueservice

import (
	"io"
	"net"
	"testing"

	"beanfield/conn/httpfront/httpfronttest"
	"beanfield/shard/queue"

	"github.com/gobwas/ws"
)

// cutAnywhere sends each beginning of a request and hangs up. None of them may ask for anything.
func (h *house) cutAnywhere(text string) {
	h.T.Helper()
	for i := range len(text) {
		c := h.dial()
		c.Send(text[:i])
		c.Close()
	}
	h.AllLeft()
	h.nothing(h.T)
}

// A put that is cut anywhere is either whole or not there, and nothing is left of it.
func TestPutCutAnywhere(t *testing.T) {
	h := newHouse(t, nil)
	text := httpfronttest.Request("POST", "/api/predict/s?a=b", who, "body")
	h.cutAnywhere(text)
	c := h.dial()
	c.Send(text)
	c.Close()
	if op := h.await(t, queue.AskPut, 1); string(op.Data) != "body" {
		t.Errorf("%q is put", op.Data)
	}
}

// QS4: a handshake that is cut anywhere is none, and whoever has become a consumer leaves once,
// wherever the frames after it are cut.
func TestWatchCutAnywhere(t *testing.T) {
	h := newHouse(t, nil)
	text := httpfronttest.Request("GET", "/api/predict/s?_watch_=true", who+handshakeText, "")
	h.cutAnywhere(text)
	frames := masked(ws.OpPing, "hello") + masked(ws.OpPong, "") + masked(ws.OpClose, "\x03\xe8")
	for i := range len(frames) + 1 {
		c := h.dial()
		c.Send(text + frames[:i])
		io.ReadFull(c.In, make([]byte, len(handshakeReply)))
		c.Close()
	}
	h.AllLeft()
	if watches, leaves := h.times(queue.AskWatch), h.times(queue.AskLeave); watches != len(frames)+1 ||
		leaves != watches {
		t.Errorf("%d watches, %d leave", watches, leaves)
	}
}

// A client that closes or resets the connection before it is upgraded leaves.
func TestHandshakeWithoutClient(t *testing.T) {
	h := newHouse(t, nil)
	for i, linger := range []int{-1, 0} {
		c := h.dial()
		h.replies(func(op *queue.Op) {
			if op.Ask.What == queue.AskWatch {
				c.Conn.(*net.TCPConn).SetLinger(linger)
				c.Close()
			}
		})
		c.Send(httpfronttest.Request("GET", "/api/predict/s?_watch_=true", who+handshakeText, ""))
		h.await(t, queue.AskLeave, i+1)
		h.AllLeft()
	}
}

// A client that goes while it is pushed items leaves.
func TestPushCutAnywhere(t *testing.T) {
	h := newHouse(t, nil)
	p := packed(sent{1, map[string]string{"k": "v"}, "body"})
	frame := 2 + sizeFrame(p, 0, true)
	for i := range frame {
		c := h.watch("", "")
		c.box.Receive(packed(sent{1, map[string]string{"k": "v"}, "body"}), true)
		io.ReadFull(c.In, make([]byte, i))
		c.Close()
	}
	h.await(t, queue.AskLeave, frame)
	h.AllLeft()
}
