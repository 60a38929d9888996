package queueservice

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"beanfield/conn/httpfront/httpfronttest"
	"beanfield/shard/queue"
	"beanfield/storage/must"
)

const base = "/api/predict/s"

var badRequests = []struct {
	method, target, headers, body string
	status                        int
}{
	{"GET", "/", "", "", 404},
	{"GET", "/other/path", "", "", 404},
	{"GET", "/api/predict", "", "", 404},
	{"GET", "/api/predict/", "", "", 400},
	{"GET", "/api/predict//sink", "", "", 400},
	{"GET", "/api/predict/-s", "", "", 400},
	{"GET", "/api/predict/s%20s", "", "", 400},
	{"GET", "/api/predict/s%zz", "", "", 400},
	{"GET", "/api/predict/" + strings.Repeat("s", 201), "", "", 400},
	{"GET", "/api/predict/s;rear", "X-EAS-QueueService-Access-Rear: true\r\n", "", 400},
	{"GET", "/api/predict/s", "X-EAS-QueueService-Access-Rear: yes\r\n", "", 400}, // it would take from the other queue
	{"HEAD", base, "", "", 405},
	{"PATCH", base, "", "", 405},
	{"OPTIONS", "*", "", "", 404},
	{"OPTIONS", base, "", "", 405},
	{"TRACE", base + "?_indexes_=1", "", "", 405},
	{"get", base, "", "", 405},
	{"LOCK", base, "", "", 405},
	{"GET", base + "?_index_=x", "", "", 400},
	{"GET", base + "?_index_=-2", "", "", 400},
	{"GET", base + "?_index_=18446744073709551616", "", "", 400},
	{"GET", base + "?_index_=%2B1", "", "", 400},
	{"GET", base + "?_length_=-1", "", "", 400},
	{"GET", base + "?_timeout_=soon", "", "", 400},
	{"GET", base + "?_raw_=maybe", "", "", 400},
	{"GET", base + "?_auto_delete_=2", "", "", 400},
	{"GET", base + "?a=%f", "", "", 400},
	{"GET", base + "?a=%gg", "", "", 400},
	{"GET", base + "?a=%ff", "", "", 400},
	{"GET", base + "?%ff=a", "", "", 400},
	{"GET", base + "?=a", "", "", 400},
	{"GET", base + "?" + strings.Repeat("a=1&", 3) + manyTags(mostTags+1), "", "", 400},
	{"GET", base + "?_watch_=true&_window_=x", "", "", 400},
	{"GET", base + "?_watch_=true&_auto_commit_=x", "", "", 400},
	{"GET", base + "?_watch_=true&_index_only_=x", "", "", 400},
	{"GET", base + "?_watch_=true&_index_=x", "", "", 400},
	{"GET", base + "?_search_=true&_index_=x", "", "", 400},
	{"GET", base + "?_count_=true&_priority_=x", "", "", 400},
	{"GET", base, "X-EAS-QueueService-Gid: " + strings.Repeat("g", 201) + "\r\n", "", 400},
	{"GET", base, "X-EAS-QueueService-Uid: \xff\r\n", "", 400},
	{"POST", base + "?a=" + strings.Repeat("t", 4096), "", "x", 400},
	{"GET", base + "?a=" + strings.Repeat("t", 4096), "", "", 400},
	{"GET", base + "?_watch_=true&a=" + strings.Repeat("t", 4096), "", "", 400},
	{"GET", base + "?_count_=true&a=" + strings.Repeat("t", 4096), "", "", 400},
	{"POST", base + "?_priority_=high", "", "x", 400},
	{"POST", base + "?_eos_=true&_force_=x", "", "", 400},
	{"POST", base, "Content-Length: x\r\n", "", 400},
	{"POST", base, "", strings.Repeat("x", 100001), 413},
	{"PUT", base, "", "", 400},
	{"PUT", base + "?_indexes_=1,x", "", "", 400},
	{"PUT", base + "?_negative_=true&_indexes_=x", "", "", 400},
	{"PUT", base + "?_negative_=true&_indexes_=1", "", "_code_=" + strings.Repeat("c", 65), 400},
	{"PUT", base + "?_negative_=true&_indexes_=1", "", "_code_=%ff", 400},
	{"PUT", base + "?_negative_=true&_indexes_=1", "", "_reason_=%", 400},
	{"PUT", base + "?_negative_=true&_indexes_=1", "", strings.Repeat("x", mostForm+1), 413},
	{"DELETE", base, "", "", 400},
	{"DELETE", base + "?_trunc_=true", "", "", 400},
	{"DELETE", base + "?_trunc_=true&_index_=x", "", "", 400},
	{"DELETE", base + "?_group_=", "", "", 400},
	{"DELETE", base + "?_group_=%0a", "", "", 400},
	{"GET", base, "X: " + strings.Repeat("h", DefaultMaxHeader+5000) + "\r\n", "", 431},
}

// Requests that are wrong get a short text and the right status, and ask for nothing.
func TestBadRequests(t *testing.T) {
	h := newHouse(t, nil)
	for _, c := range badRequests {
		t.Run(fmt.Sprintf("%s %.60s", c.method, c.target), func(t *testing.T) {
			h.T = t
			conn := h.dial()
			// may be refused before its end
			io.WriteString(conn.Conn, httpfronttest.Request(c.method, c.target, c.headers, c.body))
			r := must.Get(http.ReadResponse(conn.In, &http.Request{Method: c.method}))
			body, _ := io.ReadAll(r.Body)
			if r.StatusCode != c.status || len(body) == 0 != (c.method == "HEAD") || len(body) > 100 ||
				(c.status == 405) != (r.Header.Get("Allow") != "") ||
				!strings.HasPrefix(r.Header.Get("Content-Type"), "text/plain") {
				t.Errorf("%d %q %v, want %d", r.StatusCode, body, r.Header, c.status)
			}
		})
	}
	h.T = t
	h.nothing(t)
}

func manyTags(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "t%d=&", i)
	}
	return b.String()
}

// QS6: a body without an end is refused at its limit, one that stalls after a while, and one
// that is cut is no item.
func TestEndlessBody(t *testing.T) {
	const post = "POST /api/predict/s HTTP/1.1\r\nHost: localhost\r\n"
	for head, want := range map[string]int{
		"Transfer-Encoding: chunked\r\n\r\n": 413, "Content-Length: 10\r\n\r\nabc": 408,
		"Expect: 100-continue\r\nContent-Length: 100001\r\n\r\n": 413,
	} {
		patiently(t, func(limit time.Duration) error {
			h := newHouse(t, nil, func(o *Options) { o.ReadTimeout = limit })
			defer h.Close()
			c := h.dial()
			defer c.Close()
			io.WriteString(c, post+head)
			if strings.Contains(head, "chunked") {
				go func() {
					for {
						if _, err := io.WriteString(c, "4000\r\n"+strings.Repeat("x", 0x4000)+"\r\n"); err != nil {
							return
						}
					}
				}()
			}
			r, _, err := c.Answer("POST")
			h.nothing(t)
			if err != nil || r.StatusCode != want {
				return fmt.Errorf("%q: %+v, %v, want %d", head, r, err, want)
			}
			return nil
		})
	}
}

// Half a request is not waited for for ever.
func TestStalledRequests(t *testing.T) {
	h := newHouse(t, nil, func(o *Options) { o.ReadTimeout, o.IdleTimeout = 50*time.Millisecond, 50*time.Millisecond })
	for _, text := range []string{"", "GET", "GET / HTTP/1.1\r\nUpgrade: webs", httpfronttest.Request("PUT",
		"/api/predict/s?_indexes_=", "", "")} {
		c := h.dial()
		c.Send(text)
		if _, err := io.ReadAll(c.In); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// A request whose body never comes is refused, and so is one that is refused anyhow: it
// must not become a consumer, nor keep its connection.
func TestBodyOfNoUse(t *testing.T) {
	for _, target := range []string{"GET " + base + "?_watch_=true", "GET " + base + "?_timeout_=1h", "GET " + base +
		"?_attrs_=true", "PUT " + base + "?_indexes_=1",
		"DELETE " + base + "?_indexes_=1", "POST " + base + "?_eos_=true", "POST " + base + "?_priority_=x"} {
		h := newHouse(t, nil, func(o *Options) { o.ReadTimeout = 50 * time.Millisecond })
		c := h.dial()
		c.Send(target + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n12345")
		io.Copy(io.Discard, c)
		h.AllLeft()
		if n := h.desk.times(queue.AskWatch); n != 0 {
			t.Errorf("%s: it has become a consumer", target)
		}
		h.Close()
	}
	h := newHouse(t, nil)
	h.desk.answer = func(op *queue.Op) { op.Status = queue.Waiting }
	c := h.dial()
	c.Send("GET " + base + "?_timeout_=1h HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\n12345")
	h.await(t, queue.AskGet, 1)
	c.Close()
	h.await(t, queue.AskUnget, 1)
	h.AllLeft()
}
