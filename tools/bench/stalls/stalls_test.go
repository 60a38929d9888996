//go:build linux

package stalls

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"beanfield/storage/must"
	"beanfield/tools/bench/load"
	"beanfield/tools/bench/socket"
	"beanfield/tools/bench/testserver"
)

func TestMain(m *testing.M) { os.Exit(testserver.Run(m)) }

// disturbedBy is a small disturbance.
func disturbedBy(by string) load.Load {
	return load.Of(load.Load{
		Kind: load.Neighbour, Disturb: by, Connections: 6, Backlog: 200, Depth: 2, Tubes: 40, Large: 3<<20 + 12345,
		Body:     load.Sizes{64, 64}, // the neighbour's have 100
		Duration: 100 * time.Millisecond, Peace: 20 * time.Millisecond,
	})
}

// ofQueue are the disturbances by the queue service.
var ofQueue = []string{"touch", "group", "drop", "truncate", "truncate-view", "stuck"}

func check(t *testing.T, s *load.Stall) {
	t.Helper()
	if s.Peace.N == 0 || s.Disturbed.N == 0 || s.Disturbed.Max < s.Disturbed.P999 || s.TookSec <= 0 {
		t.Errorf("%+v", s)
	}
}

// Every disturbance must take place, be over, and be measured.
func TestEveryDisturbance(t *testing.T) {
	for by := range kinds {
		t.Run(by, func(t *testing.T) {
			t.Parallel()
			if strings.Contains(strings.Join(ofQueue, " "), by) {
				return // TestQueueDisturbances has a server that has a queue service
			}
			_, addr := testserver.Start(t)
			check(t, must.Get(Measure(t.Context(), load.Target{Addr: addr}, disturbedBy(by), load.Epoll)).Stall)
		})
	}
}

func TestQueueDisturbances(t *testing.T) {
	for _, by := range ofQueue {
		s := testserver.Launch(t)
		ld := disturbedBy(by)
		ld.Backlog = 5000
		res, err := Measure(t.Context(), load.TargetOf(s), ld, load.Epoll)
		if err != nil {
			t.Errorf("%s: %v", by, err)
			continue
		}
		check(t, res.Stall)
	}
}

// A stall is one of the disturbance: what comes before or after it does not count. The machine may hold up anything,
// and a measurement that it has held up is made again.
func TestStallIsThatOfTheDisturbance(t *testing.T) {
	for verb, peak := range map[string]bool{"kick": true, "bury": false} { // which is slow
		var err error
		for range 20 {
			if err = stalledBy(t, verb, peak); err == nil {
				break
			}
			t.Log(err)
		}
		if err != nil {
			t.Error(err)
		}
	}
}

// stalledBy measures kicks on a server on which a verb is slow.
func stalledBy(t *testing.T, verb string, peak bool) error {
	const stalled = 30 * time.Millisecond
	q, addr := testserver.Start(t)
	q.Stall(func(v string) {
		if v == verb {
			q.StandStill(stalled)
		}
	})
	ld := disturbedBy("kick")
	ld.Backlog = 3
	s := must.Get(Measure(t.Context(), load.Target{Addr: addr}, ld, load.Epoll)).Stall
	if got := s.Disturbed.Max >= float64(stalled/time.Microsecond)*0.9; got != peak {
		return fmt.Errorf("%s: the longest stall is %.0f µs", verb, s.Disturbed.Max)
	}
	if peak && (s.TookSec < stalled.Seconds()*0.9 || s.Peace.Max >= s.Disturbed.Max) {
		return fmt.Errorf("%+v", s)
	}
	return nil
}

// uncounted hides the neighbour's tube when it is counted in the end.
func uncounted(verb, reply string) string {
	if verb == "stats-tube" && strings.Contains(reply, neighbourTube) {
		return "NOT_FOUND\r\n"
	}
	return reply
}

// Wrong answers end the measurement, no matter which connection gets them.
func TestDisturbancesThatGoWrong(t *testing.T) {
	type tamper = func(verb, reply string) string
	swap := func(verb, old, new string) tamper {
		return func(v, reply string) string {
			if v == verb {
				return strings.Replace(reply, old, new, 1)
			}
			return reply
		}
	}
	// later leaves the first n answers alone.
	later := func(n int64, verb, old, new string) tamper {
		var seen atomic.Int64
		return func(v, reply string) string {
			if v != verb || !strings.Contains(reply, old) || seen.Add(1) <= n {
				return reply
			}
			return swap(verb, old, new)(v, reply)
		}
	}
	for name, test := range map[string]struct {
		by      string
		tamper  tamper
		message string
	}{
		"too few are kicked":  {"kick", swap("kick", "KICKED 200", "KICKED 199"), "KICKED 199"},
		"a job is not buried": {"kick", swap("bury", "BURIED", "NOT_FOUND"), "not found"},
		"a job is lost": {"death", swap("stats-tube", "current-jobs-re", "current-jobs-xx"),
			"and should have 200"},
		"a pause is not":    {"pause", swap("pause-tube", "PAUSED", "NOT_FOUND"), "pause-tube"},
		"a body is changed": {"body", swap("reserve", "\x05\x06", "\x06\x05"), "not what was put"},
		"a body is cut off": {"body", swap("reserve", " 3158073\r\n", " 3158072\r\n"), "reserve was answered"},
		"a worker's body":   {"pause", swap("reserve", " 64\r\nabcdefghij", " 64\r\nabcdefghix"), "not put"},
		"the crowd's body": {"death", swap("reserve-with-timeout", "64\r\nabcdefghij", "64\r\nabcdefghix"),
			"not put"},
		"the others' body":        {"busy", swap("reserve", " 64\r\nabcdefghij", " 64\r\nabcdefghix"), "not put"},
		"a job that is not there": {"due", swap("delete", "DELETED", "NOT_FOUND"), "not found"},
		"a tube is not watched": {"watch", swap("watch", "WATCHING 30\r", "WATCHING 29\r"),
			"was answered \"WATCHING 29\""},
		"a tube is not listed": {"list", swap("list-tubes", "- bench-watched-7\n", "- bench-watcher-7\n"),
			"has 39 of 40"},
		"a waiter is not counted": {"stats", later(1, "stats-tube", "current-waiting: 6", "current-waiting: 5"),
			"no line"},
		"a job that is not there's":  {"reserve", swap("reserve-with-timeout", "TIMED_OUT", "RESERVED 1 1\r\nx"), "answered \"RESERVED"},
		"another job is handed over": {"reserve", swap("put", "INSERTED ", "INSERTED 9"), "reserve was answered"},
		"too many are left":          {"hangup", later(1, "stats-tube", "current-watching: ", "current-watching:9"), "at most"},
		"the neighbour's counts":     {"kick", uncounted, "not found"},
		"the neighbour's job":        {"kick", later(5, "reserve", "ijkl", "ijkm"), "the neighbour: job"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q, addr := testserver.Start(t)
			q.Tamper(test.tamper)
			_, err := Measure(t.Context(), load.Target{Addr: addr}, disturbedBy(test.by), load.Epoll)
			if err == nil || !strings.Contains(err.Error(), test.message) {
				t.Errorf("got %v, want an error with %q", err, test.message)
			}
		})
	}
}

// An answer of the queue service other than the right one ends the measurement.
func TestAnswersOfTheQueue(t *testing.T) {
	for answer, right := range map[string]bool{
		"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n": true, "HTTP/1.1 404 Not Found\r\n\r\n": false,
		"HTTP/1.1 200 OK\r\n": false, "": false,
	} {
		near, far := net.Pipe()
		go func() {
			in := bufio.NewReader(far)
			for line := ""; line != "\r\n"; {
				line, _ = in.ReadString('\n')
			}
			io.WriteString(far, answer)
			far.Close()
		}()
		if err := socket.NewRequester(near, headPiece).Fetch(truncate.request, truncate.want); err == nil != right {
			t.Errorf("%q: %v", answer, err)
		}
	}
}
