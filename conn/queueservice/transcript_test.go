package queueservice

import (
	"strings"
	"testing"

	"beanfield/shard/queue"
)

const who = "X-EAS-QueueService-Uid: u1\r\nX-EAS-QueueService-Gid: eas\r\n"

func status(s queue.Status) func(*queue.Op) { return func(op *queue.Op) { op.Status = s } }

func finds(items ...sent) func(*queue.Op) {
	return func(op *queue.Op) { op.Ask.Found = packed(items...) }
}

// A put answers with the bare index and the request id, which is one of the item's
// tags.
func TestPut(t *testing.T) {
	h := newHouse(t, nil)
	h.answer = func(op *queue.Op) { op.ID = 1033 }
	for _, size := range []int{0, 1, smallBody - 1, smallBody, smallBody + 1, 3 * smallBody, 99999, 100000} {
		body := strings.Repeat("b", size)
		r, reply := h.Say("POST", "/api/predict/s/api_prompt?task_id=1&_x_=2",
			"Content-Type: application/x-www-form-urlencoded\r\n", body)
		op := h.last(t)
		id, _ := op.Ask.Tags.Get("requestId")
		if reply != "1033" || r.Header.Get("Content-Length") != "4" || r.Header.Get(headerRequest) != string(id) ||
			len(id) != 36 {
			t.Errorf("%d bytes: %d %q, header %v, id %q", size, r.StatusCode, reply, r.Header, id)
		}
		if string(op.Data) != body || int(op.Size) != size || op.Pri != 1024 || op.Ask.What != queue.AskPut ||
			op.ID != 1033 || op.TTR != 0 {
			t.Errorf("%d bytes: %d asked, %+v", size, len(op.Data), op.Size)
		}
		if v, _ := op.Ask.Tags.Get("task_id"); string(v) != "1" {
			t.Errorf("tag %q", v)
		}
	}
	r, _ := h.Say("POST", "/api/predict/s?requestId=mine", "X-Eas-Queueservice-Priority: 7\r\n", "x")
	if op := h.last(t); r.Header.Get(headerRequest) != "mine" || op.Pri != 1017 {
		t.Errorf("%v, priority %d", r.Header, op.Pri)
	}
	h.Say("POST", "/api/predict/s?_priority_=5000", "X-Eas-Queueservice-Priority: 7\r\n", "x")
	if op := h.last(t); op.Pri != 0 {
		t.Errorf("priority %d", op.Pri)
	}
	c := h.dial()
	c.Send("POST /api/predict/s HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: " +
		"chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n")
	if r, _ := c.Response("GET"); r.StatusCode != 200 || string(h.last(t).Data) != "abcde" {
		t.Errorf("chunked: %d %q", r.StatusCode, h.last(t).Data)
	}
}

func TestAttributes(t *testing.T) {
	h := newHouse(t, nil)
	h.answer = func(op *queue.Op) {
		op.Ask.Attrs = &queue.Attrs{Length: 2, Rear: 1, First: 3, Last: 9, Ended: true, ConsumersTotal: 1,
			GroupsTotal: 1,
			Consumers: []queue.ConsumerInfo{{Group: "g", User: "u", Index: 9, Pending: 1, Status: queue.StatusRunning,
				Idle:   2_091_400_000,
				Window: 5, Slots: 4, AutoCommit: false, Tags: queue.MakeTags(map[string]string{"b": "2", "a": "1"})}},
			Groups: []queue.GroupInfo{{Group: "g", Index: 9, Pending: 1, Delivered: 12, Consumers: 1}}}
	}
	r, body := h.Say("GET", "/api/predict/s?_attrs_=true", "", "")
	want := `{"consumers.list.[0]":"Id: g.u, Index: 9, Pending: 1, Status: Running, Idle: 2.091s, Window: 5, Slots: ` +
		`4, AutoCommit: false, Tags: tags[a=1 b=2]",` +
		`"consumers.stats.total":"1","consumers.status.total":"1","groups.list.[0]":"Id: g, Index: 9, Pending: 1, Delivered: 12, Consumers: 1","groups.stats.total":"1",` +
		`"meta.backend":"memory","meta.header.group":"X-EAS-QueueService-Gid","meta.header.groupIdentifyHeader":"X-EAS-QueueService-Gid",` +
		`"meta.header.priority":"X-EAS-QueueService-Priority","meta.header.user":"X-EAS-QueueService-Uid","meta.header.userIdentifyHeader":"X-EAS-QueueService-Uid",` +
		`"meta.maxPayloadBytes":"100000","meta.name":"s","meta.state":"End","stream.approxMaxLength":"1000","stream.firstEntry":"3","stream.lastEntry":"9","stream.length":"2","stream.rearLength":"1"}`
	if r.StatusCode != 200 || body != want || r.Header.Get("Content-Type") != typeJSON {
		t.Errorf("%d %s\nwant %s", r.StatusCode, body, want)
	}
	h.answer = nil
	r, body = h.Say("GET", "/api/predict/s?_attrs_=true", "Accept: application/vnd.google.protobuf\r\n", "")
	if !strings.Contains(body, "\x0a\x12\x0a\x0dstream.length\x12\x010") ||
		r.Header.Get("Content-Type") != typeProtobuf || strings.Contains(body, "lastEntry") {
		t.Errorf("%q", body)
	}
}
