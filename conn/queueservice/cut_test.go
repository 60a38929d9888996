package queueservice

import (
	"io"
	"net"
	"testing"

	"beanfield/conn/hall/halltest"
	"beanfield/shard/queue"

	"github.com/gobwas/ws"
)

// A put that is cut anywhere is either whole or not there, and nothing is left of it.
func TestPutCutAnywhere(t *testing.T) {
	h := newHouse(t, nil)
	text := halltest.Request("POST", "/api/predict/s?a=b", who, "body")
	for i := range len(text) {
		c := h.dial()
		c.Send(text[:i])
		c.Close()
	}
	h.AllLeft()
	if n := h.times(queue.AskPut); n > 0 {
		t.Errorf("%d puts", n)
	}
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
	text := halltest.Request("GET", "/api/predict/s?_watch_=true", who+handshakeText, "")
	for i := range len(text) {
		c := h.dial()
		c.Send(text[:i])
		c.Close()
	}
	h.AllLeft()
	if n := h.times(queue.AskWatch); n > 0 {
		t.Errorf("%d watches", n)
	}
	frames := masked(ws.OpPing, "hello") + masked(ws.OpPong, "") + masked(ws.OpClose, "\x03\xe8")
	for i := range len(frames) + 1 {
		c := h.dial()
		c.Send(text + frames[:i])
		io.ReadFull(c.In, make([]byte, len(handshakeReply)))
		c.Close()
	}
	h.AllLeft()
	if watches, leaves := h.times(queue.AskWatch), h.times(queue.AskLeave); watches != len(frames)+1 || leaves != watches {
		t.Errorf("%d watches, %d leave", watches, leaves)
	}
}

// A handshake whose client is gone when it is answered leaves nothing.
func TestHandshakeWithoutClient(t *testing.T) {
	h := newHouse(t, nil)
	for range 50 {
		c := h.dial()
		c.Send(halltest.Request("GET", "/api/predict/s?_watch_=true", who+handshakeText, ""))
		c.Close()
	}
	h.await(t, queue.AskWatch, 50)
	h.await(t, queue.AskLeave, 50)
	h.AllLeft()
}

// A client that resets the connection before it is upgraded leaves.
func TestHandshakeReset(t *testing.T) {
	h := newHouse(t, nil)
	c := h.dial()
	h.answer = func(op *queue.Op) {
		if op.Ask.What == queue.AskWatch {
			c.Conn.(*net.TCPConn).SetLinger(0)
			c.Close()
		}
	}
	c.Send(halltest.Request("GET", "/api/predict/s?_watch_=true", who+handshakeText, ""))
	h.await(t, queue.AskLeave, 1)
	h.AllLeft()
}

// QS3: who has not asked for anything is closed, too.
func TestShutdownOfSilentClients(t *testing.T) {
	h := newHouse(t, nil)
	for range 3 {
		h.dial()
	}
	h.Say("GET", "/api/predict/s", "", "") // those before it have been accepted
	h.Close()
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
