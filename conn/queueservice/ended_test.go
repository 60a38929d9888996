package queueservice

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"beanfield/shard/queue"
	"beanfield/storage/must"

	"github.com/gobwas/ws"
)

// over is a delivery batch behind which nothing more comes.
func over(items ...sent) *queue.DeliveryBatch {
	p := packed(items...)
	p.Over = true
	return p
}

// The end of a queue comes behind the items of its delivery batch and of those before, whatever is
// pushed afterwards: as a close frame, as the end of an answer, or as a message.
func TestTheEndOfTheQueue(t *testing.T) {
	h := newPageHouse(t)
	const let = "Authorization: secret\r\n"
	c := h.watch("", let)
	c.box.Receive(packed(sent{1, nil, "a"}), true)
	c.box.Receive(over(sent{2, nil, "b"}), true)
	c.box.Receive(packed(sent{3, nil, "c"}), true)
	c.expect(ws.OpBinary, "\x08\x01\x1a\x01a")
	c.expect(ws.OpBinary, "\x08\x02\x1a\x01b")
	if f, got := c.frame(); f.OpCode != ws.OpClose || string(got) != "\x03\xe8the queue has ended" {
		t.Errorf("frame %d %q", f.OpCode, got)
	}
	c.Send(masked(ws.OpClose, "\x03\xe8"))
	c.ended()
	h.await(t, queue.AskLeave, 1)

	stream := h.start("GET", "/api/predict/s?_watch_=true&_window_=3", who+let, "")
	r := must.Get(http.ReadResponse(stream.In, nil))
	h.last(t).Ask.Receiver.Receive(over(sent{1, nil, "a"}), true)
	if rest, err := io.ReadAll(r.Body); string(rest) != "\x00\x00\x00\x05\x08\x01\x1a\x01a" || err != nil {
		t.Errorf("%q, %v", rest, err)
	}
	h.await(t, queue.AskLeave, 2)

	page := h.page()
	page.box.Receive(over(sent{7, nil, "x"}), true)
	page.expect(ws.OpText, `{"index":7,"tags":{},"data":"x"}`)
	page.expect(ws.OpText, `{"ended":true}`)
	page.box.Receive(packed(sent{8, nil, "y"}), true)
	page.expect(ws.OpText, `{"index":8,"tags":{},"data":"y"}`)
	page.Send(masked(ws.OpText, `{"commit":[8],"id":1}`))
	page.expect(ws.OpText, `{"done":1}`)
}

// A stream that has ended, however that came about, is no visit any more, which a change of the
// rules would have to judge.
func TestStreamsLeaveNoVisit(t *testing.T) {
	h := newHouse(t, nil)
	for n, end := range []func(queue.Receiver){
		func(box queue.Receiver) { box.Receive(over(), true) },
		queue.Receiver.Replaced,
		func(box queue.Receiver) { box.Receive(packed(), false) },
	} {
		c := h.start("GET", "/api/predict/s?_watch_=true", who, "")
		r := must.Get(http.ReadResponse(c.In, nil))
		end(h.await(t, queue.AskWatch, n+1).Ask.Receiver)
		io.Copy(io.Discard, r.Body) // it ends when the handler has returned
		h.server.mu.Lock()
		if len(h.server.visits) > 0 {
			t.Errorf("%d: %d visits are left", n, len(h.server.visits))
		}
		h.server.mu.Unlock()
	}
}

// QS2: what has not been sent when a watch is stopped is not kept for its writer.
func TestStopDropsDeliveries(t *testing.T) {
	for _, code := range []ws.StatusCode{closeGoing, closeReplaced, closeForbidden} {
		var o outbox
		o.init()
		o.Receive(packed(sent{1, nil, "a"}), true)
		o.say(ws.OpPong, nil)
		o.stop(code, "")
		o.Receive(packed(sent{2, nil, "b"}), true)
		if l, some := o.take(load{}); !some || !l.over || len(l.deliveries)+len(l.control) > 0 {
			t.Errorf("code %d: %d deliveries and %d bytes are to be sent, over: %t", code, len(l.deliveries),
				len(l.control), l.over)
		}
	}
}

// A client that comes back to a queue that has ended is let in and not sent away again, so
// that one that always connects again does so once. A page is told each time.
func TestWhoComesBackAfterTheEnd(t *testing.T) {
	h, _ := newRealHouse(t, 2)
	const target = base + "?_watch_=true&_window_=5"
	c := h.connect(target, who)
	h.ok("POST", base, "", "a")
	c.item()
	h.ok("POST", base+"?_eos_=true", "", "")
	h.ok("PUT", base+"?_indexes_=1", who, "")
	c.sentAway(1000)
	for range 3 {
		c = h.connect(target, who)
		c.Send(masked(ws.OpPing, "still"))
		c.expect(ws.OpPong, "still")
		c.Close()
	}
	// A stream is a connection like any other: it has the consumer's name.
	s := h.start("GET", target, strings.ReplaceAll(who, "u1", "other"), "")
	r := must.Get(http.ReadResponse(s.In, nil))
	if rest, err := io.ReadAll(r.Body); len(rest) > 0 || err != nil {
		t.Errorf("%q, %v", rest, err)
	}
	for range 2 {
		p := h.connect(target+"&_uid_=page", "Sec-WebSocket-Protocol: beanfield.json\r\n")
		p.expect(ws.OpText, messageEnded)
		p.Close()
	}
	if got := h.attribute("meta.state"); got != "End" {
		t.Errorf("the queue is %s", got)
	}
}
