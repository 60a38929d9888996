package queueservice

import (
	"io"
	"net/http"
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
