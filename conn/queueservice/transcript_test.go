package queueservice

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"beanfield/shard/queue"
)

// exchange is a request, what the shard is asked and answers, and the reply.
type exchange struct {
	method, target, headers, body string
	op                            queue.Op // Kind and Limits are added; Ask.Tags too with tags
	tags                          map[string]string
	answer                        func(*queue.Op)
	status                        int
	kind, reply                   string
}

const who = "X-EAS-QueueService-Uid: u1\r\nX-EAS-QueueService-Gid: eas\r\n"

func ask(a queue.Ask) queue.Op {
	if a.Queue == "" {
		a.Queue = "s"
	}
	if a.Group == "" {
		a.Group, a.User = "eas", "u1"
	}
	return queue.Op{Ask: &a}
}

func status(s queue.Status) func(*queue.Op) { return func(op *queue.Op) { op.Status = s } }

func finds(items ...sent) func(*queue.Op) {
	return func(op *queue.Op) { op.Ask.Found = packed(items...) }
}

// with sets what an Op has beside Ask.
func with(op queue.Op, set func(*queue.Op)) queue.Op {
	set(&op)
	return op
}

var exchanges = []exchange{
	{"PUT", "/api/predict/s?_indexes_=1%2C7", who, "", ask(queue.Ask{What: queue.AskCommit, Indexes: []uint64{1, 7}}),
		nil, nil, 200, typeText, "OK"},
	{"PUT", "/api/predict/s?_indexes_=", who, "", ask(queue.Ask{What: queue.AskCommit, Indexes: []uint64{}}), nil, nil,
		200, typeText, "OK"},
	{"PUT", "/api/predict/s/sink/deep?_indexes_=18446744073709551615",
		"X-EAS-QueueService-Redis-Uid: a\r\nX-EAS-QueueService-Redis-Gid: b\r\n", "",
		ask(queue.Ask{What: queue.AskCommit, Queue: "s/sink", Group: "b", User: "a",
			Indexes: []uint64{queue.NewestIndex}}), nil, nil, 200, typeText, "OK"},
	{"PUT", "/api/predict/g.s/a/b?_indexes_=5&_delete_=true", "", "", ask(queue.Ask{What: queue.AskCommit, Queue: "g.s",
		Group: "default_group", Indexes: []uint64{5}}), nil, nil, 200, typeText, "OK"},
	{"PUT", "/api/predict/s?_negative_=true&_indexes_=3", who + "Content-Type: application/x-www-form-urlencoded\r\n",
		"_code_=Shutdown&_reason_=going+away",
		ask(queue.Ask{What: queue.AskNegative, Indexes: []uint64{3}, Code: "Shutdown", Reason: "going away"}), nil, nil,
		200, typeText, "OK"},
	{"PUT", "/api/predict/s?_negative_=true", who, "_code_=Shutdown",
		ask(queue.Ask{What: queue.AskNegative, Indexes: []uint64{}, Code: "Shutdown"}), nil, nil, 200, typeText, "OK"},
	{"DELETE", "/api/predict/s?_indexes_=9", who, "", ask(queue.Ask{What: queue.AskDelete, Indexes: []uint64{9}}), nil,
		nil, 200, typeText, "OK"},
	{"DELETE", "/api/predict/s?_index_=9&_trunc_=true", who + "X-EAS-QueueService-Access-Rear: true\r\n", "",
		ask(queue.Ask{What: queue.AskTruncate, Queue: "s;rear", Index: 9}), nil, nil, 200, typeText, "OK"},
	{"DELETE", "/api/predict/s/sink?_group_=other", who + "X-EAS-QueueService-Access-Rear: true\r\n", "",
		ask(queue.Ask{What: queue.AskDropGroup, Queue: "s/sink;rear", Group: "other", User: "u1"}), nil, nil, 200,
		typeText, "OK"},
	{"POST", "/api/predict/s?_eos_=true&_force_=true", who, "", ask(queue.Ask{What: queue.AskEnd, Force: true}), nil,
		nil, 200, typeText, "OK"},
	{"GET", "/api/predict/s?_search_=true&_index_=4", who, "", with(ask(queue.Ask{What: queue.AskSearch}),
		func(op *queue.Op) { op.ID = 4 }), nil,
		func(op *queue.Op) {
			op.Ask.Search = queue.SearchInfo{Consumer: "eas.u2", Pending: true, Deliveries: 1, Code: "Shutdown",
				Reason: "bye"}
		},
		200, typeJSON, `{"ConsumerId":"eas.u2","IsPending":true,"WaitCount":0,"Deliveries":1,"Code":"Shutdown","Reason":"bye"}`},
	{"GET", "/api/predict/s?_search_=true&_index_=4", who, "", with(ask(queue.Ask{What: queue.AskSearch}),
		func(op *queue.Op) { op.ID = 4 }), nil,
		status(queue.NotFound), 404, typeText, "no data in stream"},
	{"GET", "/api/predict/s?_count_=true&_priority_=1&a=b", who, "",
		with(ask(queue.Ask{What: queue.AskCount, ByPri: true}), func(op *queue.Op) { op.Pri = 1023 }),
		map[string]string{"a": "b"}, func(op *queue.Op) { op.Ask.Count = 17 }, 200, typeText, "17"},
	{"GET", "/api/predict/s?requestId=r&_raw_=false", who + "Accept: */*\r\n", "",
		ask(queue.Ask{What: queue.AskGet, Length: 1, Take: true}),
		map[string]string{"requestId": "r"}, finds(sent{7, map[string]string{"k": "ä\"\n"}, "hello"}), 200, typeJSON,
		`[{"index":7,"tags":{"k":"ä\"\u000a"},"data":"aGVsbG8="}]`},
	{"GET", "/api/predict/s?_index_=-1&_length_=2&_auto_delete_=false&_timeout_=0s", who, "",
		ask(queue.Ask{What: queue.AskGet, Index: queue.NewestIndex, Length: 2}), nil,
		finds(sent{7, nil, "a"}, sent{8, nil, ""}), 200, typeJSON,
		`[{"index":7,"tags":{},"data":"YQ=="},{"index":8,"tags":{},"data":""}]`},
	{"GET", "/api/predict/s", who, "", ask(queue.Ask{What: queue.AskGet, Length: 1, Take: true}), nil,
		finds(sent{7, nil, "raw\x00"}), 200, typeBytes, "raw\x00"},
	{"GET", "/api/predict/s", who + "Accept: application/vnd.google.protobuf\r\n", "",
		ask(queue.Ask{What: queue.AskGet, Length: 1, Take: true}), nil,
		finds(sent{1, nil, "x"}), 200, typeProtobuf, "\x0a\x05\x08\x01\x1a\x01x"},
	{"GET", "/api/predict/s", who, "", ask(queue.Ask{What: queue.AskGet, Length: 1, Take: true}), nil, nil, 204, "",
		""},
	{"GET", "/api/predict/s?_attrs_=true", "Accept: application/vnd.google.protobuf\r\n", "",
		ask(queue.Ask{What: queue.AskAttrs, Group: "default_group"}), nil,
		status(queue.Failed), 500, typeText, "internal error"},
}

func TestTranscript(t *testing.T) {
	for _, secured := range []bool{false, true} {
		t.Run(fmt.Sprintf("TLS=%v", secured), func(t *testing.T) { exchangeAll(t, openHouse(t, nil, secured)) })
	}
}

func exchangeAll(t *testing.T, h *house) {
	for _, x := range exchanges {
		t.Run(x.method+x.target, func(t *testing.T) {
			h.T, h.answer = t, x.answer
			r, body := h.Say(x.method, x.target, x.headers, x.body)
			if r.StatusCode != x.status || body != x.reply || r.Header.Get("Content-Type") != x.kind {
				t.Errorf("%d %s %q, want %d %s %q", r.StatusCode, r.Header.Get("Content-Type"), body, x.status, x.kind,
					x.reply)
			}
			x.compare(t, h.last(t))
		})
	}
	h.T = t
}

// compare compares what was asked with what should have been.
func (x *exchange) compare(t *testing.T, got queue.Op) {
	t.Helper()
	want := x.op
	want.Kind, want.Ask.Limits = queue.Service, someLimits
	if x.tags != nil {
		want.Ask.Tags = queue.MakeTags(x.tags)
	}
	got.Status = 0
	got.Ask.Found, got.Ask.Count, got.Ask.Search, got.Ask.Attrs = nil, 0, queue.SearchInfo{}, nil
	if len(got.Data) == 0 {
		got.Data = nil
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("asked:\n%+v\n%+v\nwant:\n%+v\n%+v", got, *got.Ask, want, *want.Ask)
	}
}

// Paths without a service are those of the default service, if there is one.
func TestDefaultService(t *testing.T) {
	h := newHouse(t, nil, func(o *Options) { o.DefaultService = "dflt" })
	for target, want := range map[string]string{
		"/": "dflt", "/sink": "dflt/sink", "/sink/x": "dflt/sink", "/a/b": "dflt", "/sinker": "dflt",
		"/api/predict/s/sink": "s/sink",
	} {
		r, _ := h.Say("GET", target, "", "")
		if op := h.last(t); r.StatusCode != 204 || op.Ask.Queue != want {
			t.Errorf("%s: %d, queue %q, want %q", target, r.StatusCode, op.Ask.Queue, want)
		}
	}
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
