package queueservice

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"beanfield/conn"
	"beanfield/shard/queue"
	"beanfield/storage/must"
)

const ofLines = "Content-Type: application/x-ndjson\r\n"

// newCounting is a house that gives items their indexes.
func newCounting(t *testing.T, set ...func(*Options)) *house {
	h := newHouse(t, nil, set...)
	id := uint64(0)
	h.desk.answer = func(op *queue.Op) { id++; op.ID = id }
	return h
}

// released waits until nothing is held any more: a share ends after the answer.
func released(t *testing.T, r *conn.Budget) {
	t.Helper()
	must.Until(t, "nothing is held", func() bool { return r.Held() == 0 })
}

// A batch may be longer than an item; each item has the limit of one. Lines are found wherever
// the parts end in which the body has come.
func TestLargeBatch(t *testing.T) {
	h := newCounting(t, func(o *Options) { o.MaxBatch = 4 << 20 })
	var text strings.Builder
	var want []string
	for i := 0; text.Len() < 3<<20; i++ {
		data := strconv.Itoa(i) + strings.Repeat("x", i*7919%90000)
		want = append(want, data)
		fmt.Fprintf(&text, "{\"data\":%q}\n", data)
	}
	r, body := h.Say("POST", base+"?_batch_=true", ofLines, strings.TrimSuffix(text.String(), "\n"))
	if r.StatusCode != 200 || strings.Count(body, ",") != len(want)-1 || len(h.asked) != len(want) {
		t.Fatalf("%d %.100s, %d items", r.StatusCode, body, len(h.asked))
	}
	for i, data := range want {
		if string(h.asked[i].Data) != data {
			t.Fatalf("item %d is %.20q with %d bytes, want %d", i, h.asked[i].Data, len(h.asked[i].Data), len(data))
		}
	}
	if most := mostPutBytes/45000 + 30; h.desk.most > most { // 45000 bytes is what an item has on average
		t.Errorf("%d items are put at once: together they are large", h.desk.most)
	}
	h.asked = nil
	for name, c := range map[string]struct {
		text   string
		status int
		says   string
	}{
		"a large item":   {"{}\n\n{\"data\":\"" + strings.Repeat("x", 100001) + "\"}", 413, "line 3: "},
		"in base64":      {"{\"data64\":\"" + strings.Repeat("AAAA", 33334) + "\"}", 413, "line 1: "},
		"too many items": {strings.Repeat("{}\n", mostLines+1), 413, "500000 lines"},
		"a bad last one": {"{}\n{\"data\":1}", 400, "line 2: "},
	} {
		if r, body := h.Say("POST", base+"?_batch_=true", ofLines, c.text); r.StatusCode != c.status ||
			!strings.Contains(body, c.says) {
			t.Errorf("%s: %d %.100s", name, r.StatusCode, body)
		}
	}
	c := h.dial()
	c.Send(fmt.Sprintf("POST %s?_batch_=true HTTP/1.1\r\nHost: localhost\r\n%sContent-Length: %d\r\n\r\n", base,
		ofLines, 4<<20+1))
	if r, body := c.Response("POST"); r.StatusCode != 413 || body != "the body is too large" {
		t.Errorf("a batch that is too large: %d %s", r.StatusCode, body)
	}
	released(t, &h.server.bodies)
	h.nothing(t)
}

// The bodies of all batches together are bounded: one that does not fit is refused, and fits
// when another has gone.
func TestManyLargeBatches(t *testing.T) {
	h := newCounting(t)
	h.server.bodies.Bound(5 << 20)
	first := h.dial()
	first.Send("POST " + base + "?_batch_=true HTTP/1.1\r\nHost: localhost\r\n" + ofLines +
		"Content-Length: 2000000\r\n\r\n" + strings.Repeat(" ", 1999990))
	must.Until(t, "most has come", func() bool { return h.server.bodies.Held() > 1900000 })
	large := strings.Repeat(" ", 2000000)
	h.Expect(503, "POST", base+"?_batch_=true", ofLines, large)
	h.Expect(200, "POST", base+"?_batch_=true", ofLines, "{}")
	first.Send("        {}")
	if r, body := first.Response("POST"); r.StatusCode != 200 || body != "[2]" {
		t.Errorf("the first one: %d %s", r.StatusCode, body)
	}
	released(t, &h.server.bodies)
	h.Expect(200, "POST", base+"?_batch_=true", ofLines, large)
	released(t, &h.server.bodies)
}

// A get that stops because of size says so, and one that has found all does not.
func TestGetThatStopsShort(t *testing.T) {
	h := newHouse(t, nil)
	size, cut := 0, false
	h.answer = func(op *queue.Op) {
		finds(sent{7, nil, strings.Repeat("b", size)})(op)
		op.Ask.Cut = cut
	}
	for _, c := range []struct {
		query string
		size  int
		cut   bool
		items int
		short bool
	}{
		{"?_length_=4", mostAnswer/3 + 1, false, 3, true},
		{"?_length_=4&_timeout_=1h", mostAnswer/3 + 1, false, 3, true},
		{"?_length_=3", mostAnswer/3 + 1, false, 3, false},
		{"?_length_=4", 10, false, 4, false},
		{"?_length_=2&_index_=-1&_auto_delete_=false", 10, true, 1, true},
		{"?_length_=2&_index_=-1&_auto_delete_=false", 10, false, 1, false},
		{"", mostAnswer + 1, false, 1, false},
	} {
		size, cut = c.size, c.cut
		r, body := h.Say("GET", base+c.query, who, "")
		items := strings.Count(body, `"index"`)
		if c.query == "" {
			items = 1
		}
		if short := r.Header.Get("X-EAS-QueueService-Stopped"); r.StatusCode != 200 || (short == "size") != c.short ||
			items != c.items {
			t.Errorf("%+v: %d, %d items, stopped %q", c, r.StatusCode, items, short)
		}
		released(t, &h.server.answers)
	}
}

// What all gets have found together is bounded: beside one whose client does not read, others
// find a portion, and say that they have stopped.
func TestManyLargeGets(t *testing.T) {
	h := newHouse(t, nil)
	h.answer = finds(sent{7, nil, strings.Repeat("b", 1<<20)})
	h.server.answers.Bound(80 << 20)
	slow := h.start("GET", base+"?_length_=20", who, "")
	must.Until(t, "all is found", func() bool { return h.times(queue.AskGet) >= 20 })
	if held := h.server.answers.Held(); held < 19*3<<20 {
		t.Fatalf("%d bytes are held", held)
	}
	r, body := h.Say("GET", base+"?_length_=20", who, "")
	if n := strings.Count(body, `"index"`); n >= 20 || n == 0 || r.Header.Get("X-EAS-QueueService-Stopped") != "size" {
		t.Errorf("%d items are found beside a large answer", n)
	}
	if r, _ := h.Say("GET", base, who, ""); r.StatusCode != 200 || r.Header.Get("X-EAS-QueueService-Stopped") != "" {
		t.Errorf("one item is found beside a large answer: %d", r.StatusCode)
	}
	slow.Expect(200)
	slow.Close()
	h.AllLeft()
}

// 50,000 items are committed, refused or deleted in one request: in its line if their indexes
// are short, and in its body in any case.
func TestFiftyThousandIndexes(t *testing.T) {
	h := newHouse(t, nil)
	const n = 50000
	short, long := "1000000", "18446744073709551614"
	for _, c := range []struct{ method, query, body string }{
		{"PUT", "?_indexes_=" + short + strings.Repeat("%2C"+short, n-1), ""},
		{"PUT", "", "_indexes_=" + long + strings.Repeat("%2C"+long, n-1)},
		{"PUT", "?_negative_=true", "_code_=Busy&_indexes_=" + long + strings.Repeat("%2C"+long, n-1)},
		{"DELETE", "", "_indexes_=" + long + strings.Repeat(","+long, n-1)},
		{"DELETE", "", long + strings.Repeat(","+long, n-1)},
		{"PUT", "", "[" + short + strings.Repeat(", "+short, n-1) + "]\n"},
		{"PUT", "?_negative_=false", "7" + strings.Repeat(",7", n-1)},
	} {
		r, body := h.Say(c.method, base+c.query, who, c.body)
		if got := len(h.last(t).Ask.Indexes); r.StatusCode != http.StatusOK || got != n {
			t.Errorf("%s %.20s %.20s: %d %s, %d indexes", c.method, c.query, c.body, r.StatusCode, body, got)
		}
	}
	h.forget()
	for _, c := range []struct {
		method, query, body string
		status              int
	}{
		{"PUT", "", strings.Repeat("1", mostList+1), 413}, {"PUT", "?_indexes_=1", strings.Repeat("x", mostForm+1),
			413}, {"PUT", "", "hello", 400},
		{"PUT", "?_indexes_=1", "_negative_=true&_code_=Busy", 400}, {"PUT", "?_indexes_=1", "_code_=Busy", 400},
		{"PUT", "", "_indexes_=1&_negative_=yes", 400},
		{"PUT", "?_indexes_=1", "_indexes_=2", 400}, {"PUT", "", "_indexes_=1&_indexes_=2", 400},
		{"PUT", "", "_indexs_=1", 400}, {"PUT", "?_indexes_=1", "_negativ_=true", 400}, {"PUT", "", "1,2;3", 400},
		{"DELETE", "?_indexes_=1", "_trunc_=true", 400}, {"DELETE", "", "_index_=4", 400}, {"DELETE", "", " ", 400},
		{"PUT", "", "[]", 400},
	} {
		h.Expect(c.status, c.method, base+c.query, who, c.body)
	}
	released(t, &h.server.bodies)
	h.nothing(t)
}
