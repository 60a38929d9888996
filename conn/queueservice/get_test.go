package queueservice

import (
	"fmt"
	"testing"
	"time"

	"beanfield/shard/queue"
	"beanfield/shard/queue/policy"
)

// A get that takes nothing away looks behind what it has found.
func TestGetWaitsWithoutTaking(t *testing.T) {
	h := newHouse(t, nil)
	h.answer = func(op *queue.Op) {
		if op.Ask.Index == 0 {
			finds(sent{7, nil, "a"}, sent{5, nil, "a"})(op)
		} else if op.Ask.Index == 8 {
			finds(sent{8, nil, "b"})(op)
		}
	}
	r, _ := h.Say("GET", "/api/predict/s?_length_=3&_timeout_=60&_auto_delete_=false", who, "")
	if n := h.times(queue.AskGet); r.StatusCode != 200 || n != 2 {
		t.Errorf("%d after %d gets", r.StatusCode, n)
	}
}

// A get is answered just before its time: with nothing, or with what there is. The shard
// is told that nobody waits.
func TestGetGivesUp(t *testing.T) {
	h := newHouse(t, nil)
	h.answer = func(op *queue.Op) { op.Status = queue.Waiting }
	begin := time.Now()
	h.Expect(204, "GET", "/api/predict/s?_timeout_=0.4", who, "")
	if took := time.Since(begin); took < 380*time.Millisecond {
		t.Errorf("it has waited %v", took)
	}
	got := h.await(t, queue.AskUnget, 1)
	if get := h.await(t, queue.AskGet, 1); get.Ask.Getter != got.Ask.Getter || got.Ask.Queue != "s" {
		t.Errorf("unget %+v", got.Ask)
	}
}

// The many forms of a timeout.
func TestTimeouts(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"": 0, "0": 0, "0s": 0, "5": 5 * time.Second, "5s": 5 * time.Second, "1.5s": 1500 * time.Millisecond,
		"1m0s": time.Minute,
		"0.25": 250 * time.Millisecond, "-1": 0, "-5s": 0, "1e300": time.Hour, "100h": time.Hour, "inf": time.Hour,
	} {
		q, _ := parseQuery("_timeout_=" + text)
		if got, err := q.timeout(); got != want || err != nil {
			t.Errorf("%q: %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"x", "5x", "nan", "1s1"} {
		q, _ := parseQuery("_timeout_=" + text)
		if got, err := q.timeout(); err == nil {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// A get takes nothing if its client has hung up before: the item would be lost.
func TestGetOfClientThatHungUp(t *testing.T) {
	for _, secured := range []bool{false, true} {
		t.Run(fmt.Sprintf("TLS=%v", secured), func(t *testing.T) { getAfterHangUps(t, secured) })
	}
}

func getAfterHangUps(t *testing.T, secured bool) {
	opened, goOn := make(chan struct{}), make(chan struct{})
	h := openHouse(t, nil, secured, func(o *Options) {
		o.LimitsFor = func(string) *policy.Limits {
			opened <- struct{}{}
			<-goOn
			return someLimits
		}
	})
	for i, c := range []struct {
		query string
		stays bool
		gets  int // asked so far
	}{{"", false, 0}, {"?_timeout_=1h", false, 0}, {"?_auto_delete_=false", false, 1}, {"", true, 2}} {
		one := h.start("GET", base+c.query, "", "")
		<-opened
		if !c.stays {
			one.Close()
		}
		goOn <- struct{}{}
		if c.stays {
			one.Response("GET")
			one.Close()
		}
		h.AllLeft()
		if n := h.times(queue.AskGet); n != c.gets {
			t.Errorf("%d: %d gets are asked, want %d", i, n, c.gets)
		}
	}
}
