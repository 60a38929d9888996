package main

import (
	"context"
	"encoding/json"
	"math"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// disturbedBy is a small disturbance.
func disturbedBy(by string, change func(*load)) load {
	return brief(func(ld *load) {
		ld.Kind, ld.Backlog, ld.Depth = kindNeighbour, 200, 2
		ld.Body = bodySize{64, 64} // the neighbour's have 100
		ld.Disturb = disturb{By: by, Large: 3<<20 + 12345, Again: 2, Peace: 20 * time.Millisecond}
		if change != nil {
			change(ld)
		}
	})
}

// Every disturbance must take place, be over, and be measured, as often as asked for,
// and leave nothing behind in a server that has other users.
func TestEveryDisturbance(t *testing.T) {
	for _, by := range disturbances {
		for _, owned := range []bool{true, false} {
			if !owned && by == disturbDue {
				continue // slow, and kick shows the same
			}
			t.Run(by, func(t *testing.T) {
				t.Parallel()
				q, addr := startFakeQueue(t)
				res, err := measure(context.Background(), target{addr: addr, owned: owned},
					disturbedBy(by, nil), settings{threads: 1, say: quiet})
				if err != nil {
					t.Fatal(err)
				}
				if len(res.Stalls.Each) != 2 || res.Stalls.By != by {
					t.Fatalf("%+v", res.Stalls)
				}
				for _, s := range res.Stalls.Each {
					if s.Peace.N == 0 || s.Stormy.N == 0 || s.Stormy.Max < s.Stormy.P999 || s.TookSec <= 0 || s.TookSec > 60 {
						t.Errorf("%+v", s)
					}
					// It always waits for something, and goes on for a while.
					if waited := s.Stormy.Mean * float64(s.Stormy.N); waited < (s.TookSec*1e6+200e3)/2 {
						t.Errorf("the neighbour waited %.0f µs in all: %+v", waited, s)
					}
				}
				text, err := json.Marshal(res)
				if err != nil || !strings.Contains(string(text), `"took_s":`) {
					t.Errorf("%s %v", text, err)
				}
				q.mu.Lock()
				left := len(q.jobs)
				q.mu.Unlock()
				if !owned && left != 0 {
					t.Errorf("%d jobs are left", left)
				}
			})
		}
	}
}

// A stall is one of the disturbance: what comes before or after it does not count.
func TestStallIsThatOfTheDisturbance(t *testing.T) {
	const stalled = 30 * time.Millisecond
	for _, test := range []struct {
		verb string // is slow
		by   string
		peak bool // the longest stall must be that
	}{
		{"kick", disturbKick, true},
		{"bury", disturbKick, false},
	} {
		q, addr := startFakeQueue(t)
		q.stall = func(verb string) {
			if verb == test.verb {
				q.mu.Lock()
				time.Sleep(stalled)
				q.mu.Unlock()
			}
		}
		ld := disturbedBy(test.by, func(ld *load) { ld.Backlog, ld.Disturb.Again = 3, 3 })
		res, err := runOn(t, addr, ld, 1)
		if err != nil {
			t.Fatal(err)
		}
		least := res.Stalls.all(longestStall).Min
		if peak := least >= float64(stalled/time.Microsecond)*0.9; peak != test.peak {
			t.Errorf("%s: the longest stall is %.0f µs at least", test.verb, least)
		}
		if !test.peak {
			continue
		}
		if took := res.Stalls.all(stallTook).Min; took < stalled.Seconds()*0.9 {
			t.Errorf("it took %v s", took)
		}
		if peace := res.Stalls.all(longestPeace).Min; peace >= least {
			t.Errorf("in peace the longest was %v µs, disturbed %v", peace, least)
		}
	}
}

// Wrong answers end the measurement, whoever gets them.
func TestDisturbancesThatGoWrong(t *testing.T) {
	swap := func(verb, old, new string) func(string, string) string {
		return func(v, reply string) string {
			if v == verb {
				return strings.Replace(reply, old, new, 1)
			}
			return reply
		}
	}
	for name, test := range map[string]struct {
		by      string
		tamper  func(verb, reply string) string
		message string
	}{
		"too few are kicked":      {disturbKick, swap("kick", "KICKED 200", "KICKED 199"), "KICKED 199"},
		"a job is not buried":     {disturbKick, swap("bury", "BURIED", "NOT_FOUND"), "bury was answered"},
		"a job is lost":           {disturbDeath, swap("stats-tube", "current-jobs-re", "current-jobs-xx"), "and should have 200"},
		"a pause is not":          {disturbPause, swap("pause-tube", "PAUSED", "NOT_FOUND"), "pause-tube"},
		"a body is changed":       {disturbBody, swap("reserve", "\x05\x06", "\x06\x05"), "not what was put"},
		"a body is cut off":       {disturbBody, swap("reserve", " 3158073\r\n", " 3158072\r\n"), "reserve was answered"},
		"a worker's body":         {disturbPause, swap("reserve", " 64\r\nabcdefghij", " 64\r\nabcdefghix"), "reserve was answered"},
		"the crowd's body":        {disturbDeath, swap("reserve-with-timeout", " 64\r\nabcdefghij", " 64\r\nabcdefghix"), "not put"},
		"the others' body":        {disturbBusy, swap("reserve", " 64\r\nabcdefghij", " 64\r\nabcdefghix"), "not put"},
		"a job that is not there": {disturbDue, swap("delete", "DELETED", "NOT_FOUND"), "delete was answered"},
		"the neighbour's counts":  {disturbKick, swap("stats-tube", neighbourTube+"\ntotal-jobs: ", neighbourTube+"\ntotal-jobz: "), "the neighbour's tube"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q, addr := startFakeQueue(t)
			q.tamper = test.tamper
			_, err := runOn(t, addr, disturbedBy(test.by, nil), 1)
			if err == nil || !strings.Contains(err.Error(), test.message) {
				t.Errorf("got %v, want an error with %q", err, test.message)
			}
		})
	}
}

// The neighbour's own answers are checked like those of any load.
func TestNeighbourIsChecked(t *testing.T) {
	q, addr := startFakeQueue(t)
	var reserves atomic.Int64
	q.tamper = func(verb, reply string) string {
		if verb == "reserve" && reserves.Add(1) == 5 {
			return strings.Replace(reply, "ijkl", "ijkm", 1)
		}
		return reply
	}
	_, err := runOn(t, addr, disturbedBy(disturbKick, nil), 1)
	if err == nil || !strings.Contains(err.Error(), "the neighbour: job") {
		t.Errorf("got %v", err)
	}
}

func TestDisturbIsChecked(t *testing.T) {
	for name, change := range map[string]func(*load){
		"unknown":     func(ld *load) { ld.Disturb.By = "rain" },
		"too large":   func(ld *load) { ld.Disturb.Large, ld.Disturb.By = 1<<30+1, disturbBody },
		"never":       func(ld *load) { ld.Disturb.Again = 0 },
		"no peace":    func(ld *load) { ld.Disturb.Peace = 0 },
		"sizes":       func(ld *load) { ld.Body = bodySize{1, 2} },
		"few jobs":    func(ld *load) { ld.Disturb.By, ld.Connections = disturbPause, 201 },
		"no memory":   func(ld *load) { ld.Backlog = math.MaxInt32 * 100 },
		"connections": func(ld *load) { ld.Connections = 0 },
	} {
		ld := disturbedBy(disturbKick, change)
		if ld.check() == nil {
			t.Errorf("%s passes", name)
		}
	}
	plain := defaultLoad()
	if err := plain.check(); err != nil || plain.Disturb != (disturb{}) {
		t.Errorf("%v, %+v", err, plain.Disturb)
	}
}

// A client of a bare server waits for something, but not all the time; and the threads
// of others stay where they are.
func TestLongestAnswer(t *testing.T) {
	before, err := ownAffinity()
	if err != nil {
		t.Fatal(err)
	}
	const lasting = 20 * time.Millisecond
	longest, err := longestAnswer("0", "0", lasting)
	if err != nil || longest <= 0 || longest > time.Minute {
		t.Errorf("the longest answer took %v, %v", longest, err)
	}
	if after, err := ownAffinity(); err != nil || after != before {
		t.Errorf("the affinity has become %x, %v", after, err)
	}
	for _, cpus := range [][2]string{{"1000", "0"}, {"0", "1000"}} {
		if _, err := longestAnswer(cpus[0], cpus[1], lasting); err == nil {
			t.Errorf("%v: there is no such processor", cpus)
		}
	}
}
