package stalls

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"beanfield/storage/must"
	"beanfield/tools/bench/generator"
	"beanfield/tools/bench/load"
	"beanfield/tools/bench/result"
	"beanfield/tools/bench/talk"
	"beanfield/tools/bench/testserver"
)

// disturbedBy is a small disturbance.
func disturbedBy(by string, change func(*load.Load)) load.Load {
	ld := load.Default()
	ld.Connections, ld.Duration = 6, 100*time.Millisecond
	ld.Kind, ld.Backlog, ld.Depth = load.KindNeighbour, 200, 2
	ld.Tubes = 40
	ld.Body = load.Sizes(64, 64) // the neighbour's have 100
	ld.Disturb = load.Disturb{By: by, Large: 3<<20 + 12345, Again: 2, Peace: 20 * time.Millisecond}
	if change != nil {
		change(&ld)
	}
	return ld
}

func measureOn(t *testing.T, addr string, ld load.Load, owned bool) (*result.Result, error) {
	t.Helper()
	must.Do(t, ld.Check())
	set := generator.Settings{Say: func(string, ...any) {}}
	return Measure(context.Background(), generator.Target{Addr: addr, Owned: owned}, ld, set)
}

// Every disturbance must take place, be over, and be measured, as often as asked for,
// and leave nothing behind in a server that has other users.
func TestEveryDisturbance(t *testing.T) {
	for _, by := range load.Disturbances {
		if slices.Contains(load.QueueDisturbances, by) {
			continue // TestQueueDisturbances has a server that has a queue service
		}
		for _, owned := range []bool{true, false} {
			if !owned && by == load.DisturbDue {
				continue // slow, and kick shows the same
			}
			t.Run(by, func(t *testing.T) {
				t.Parallel()
				q, addr := testserver.Start(t)
				res, err := measureOn(t, addr, disturbedBy(by, nil), owned)
				if err != nil {
					t.Fatal(err)
				}
				if len(res.Stalls.Each) != 2 || res.Stalls.By != by {
					t.Fatalf("%+v", res.Stalls)
				}
				for _, s := range res.Stalls.Each {
					if s.Peace.N == 0 || s.Disturbed.N == 0 || s.Disturbed.Max < s.Disturbed.P999 || s.TookSec <= 0 {
						t.Errorf("%+v", s)
					}
					// It always waits for something, and goes on for a while.
					if waited := s.Disturbed.Mean * float64(s.Disturbed.N); waited < (s.TookSec*1e6+200e3)/2 {
						t.Errorf("the neighbour waited %.0f µs in all: %+v", waited, s)
					}
				}
				text, err := json.Marshal(res)
				if err != nil || !strings.Contains(string(text), `"took_s":`) {
					t.Errorf("%s %v", text, err)
				}
				left := int64(0)
				for _, state := range []string{"ready", "reserved", "delayed", "buried"} {
					left += q.Count(t, "current-jobs-"+state)
				}
				if !owned && left != 0 {
					t.Errorf("%d jobs are left", left)
				}
			})
		}
	}
}

// A server that is filled keeps what was put, and has it in another tube than the neighbour.
func TestFillOnlyPuts(t *testing.T) {
	q, addr := testserver.Start(t)
	if _, err := measureOn(t, addr, disturbedBy(load.DisturbFill, nil), true); err != nil {
		t.Fatal(err)
	}
	c := must.Get(talk.Dial(t.Context(), addr))
	defer c.Close()
	counts, err := c.Stats("stats-tube " + disturbedTube)
	if n := q.Count(t, "current-jobs-ready"); err != nil || n == 0 || counts.Number("total-jobs") != n {
		t.Errorf("%d jobs are left, of %d that were put, %v", n, counts.Number("total-jobs"), err)
	}
}

// A stall is one of the disturbance: what comes before or after it does not count. The
// machine may hold up anything, and a measurement that it has held up is made again.
func TestStallIsThatOfTheDisturbance(t *testing.T) {
	for _, test := range []struct {
		verb string // is slow
		peak bool   // the longest stall must be that
	}{{"kick", true}, {"bury", false}} {
		var err error
		for range 20 {
			if err = stalledBy(t, test.verb, test.peak); err == nil {
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
			q.Mu.Lock()
			time.Sleep(stalled)
			q.Mu.Unlock()
		}
	})
	ld := disturbedBy(load.DisturbKick, func(ld *load.Load) { ld.Backlog, ld.Disturb.Again = 3, 3 })
	res := must.Get(measureOn(t, addr, ld, true))
	least := res.Stalls.All(result.LongestStall).Min
	if got := least >= float64(stalled/time.Microsecond)*0.9; got != peak {
		return fmt.Errorf("%s: the longest stall is %.0f µs at least", verb, least)
	}
	if !peak {
		return nil
	}
	if took := res.Stalls.All(result.StallTook).Min; took < stalled.Seconds()*0.9 {
		return fmt.Errorf("it took %v s", took)
	}
	if peace := res.Stalls.All(result.LongestPeace).Min; peace >= least {
		return fmt.Errorf("in peace the longest was %v µs, disturbed %v", peace, least)
	}
	return nil
}

// Wrong answers end the measurement, no matter which connection gets them.
func TestDisturbancesThatGoWrong(t *testing.T) {
	swap := func(verb, old, new string) func(string, string) string {
		return func(v, reply string) string {
			if v == verb {
				return strings.Replace(reply, old, new, 1)
			}
			return reply
		}
	}
	// swapLater leaves the first answer alone, with which the preparation ends.
	swapLater := func(verb, old, new string) func(string, string) string {
		var seen atomic.Int64
		later := swap(verb, old, new)
		return func(v, reply string) string {
			if v != verb || !strings.Contains(reply, old) || seen.Add(1) == 1 {
				return reply
			}
			return later(v, reply)
		}
	}
	miscount := func(verb, reply string) string {
		if strings.Contains(reply, "\nname: "+neighbourTube+"\n") {
			return strings.Replace(reply, "\ntotal-jobs: ", "\ntotal-jobz: ", 1)
		}
		return reply
	}
	for name, test := range map[string]struct {
		by      string
		tamper  func(verb, reply string) string
		message string
	}{
		"too few are kicked":         {load.DisturbKick, swap("kick", "KICKED 200", "KICKED 199"), "KICKED 199"},
		"a job is not buried":        {load.DisturbKick, swap("bury", "BURIED", "NOT_FOUND"), "bury was answered"},
		"a job is lost":              {load.DisturbDeath, swap("stats-tube", "current-jobs-re", "current-jobs-xx"), "and should have 200"},
		"a pause is not":             {load.DisturbPause, swap("pause-tube", "PAUSED", "NOT_FOUND"), "pause-tube"},
		"a body is changed":          {load.DisturbBody, swap("reserve", "\x05\x06", "\x06\x05"), "not what was put"},
		"a body is cut off":          {load.DisturbBody, swap("reserve", " 3158073\r\n", " 3158072\r\n"), "reserve was answered"},
		"a worker's body":            {load.DisturbPause, swap("reserve", " 64\r\nabcdefghij", " 64\r\nabcdefghix"), "not put"},
		"the crowd's body":           {load.DisturbDeath, swap("reserve-with-timeout", " 64\r\nabcdefghij", " 64\r\nabcdefghix"), "not put"},
		"the others' body":           {load.DisturbBusy, swap("reserve", " 64\r\nabcdefghij", " 64\r\nabcdefghix"), "not put"},
		"a job that is not there":    {load.DisturbDue, swap("delete", "DELETED", "NOT_FOUND"), "delete was answered"},
		"a tube is not watched":      {load.DisturbWatch, swap("watch", "WATCHING 30\r", "WATCHING 29\r"), "was answered \"WATCHING 29\""},
		"a tube is not listed":       {load.DisturbList, swap("list-tubes", "- bench-watched-7\n", "- bench-watcher-7\n"), "has 39 of 40 tubes"},
		"a waiter is not counted":    {load.DisturbStats, swapLater("stats-tube", "current-waiting: 6", "current-waiting: 5"), "no line"},
		"a job that is not there's":  {load.DisturbReserve, swap("reserve-with-timeout", "TIMED_OUT", "RESERVED 1 1\r\nx"), "was answered \"RESERVED"},
		"another job is handed over": {load.DisturbReserve, swap("put", "INSERTED ", "INSERTED 9"), "reserve was answered"},
		"too many are left":          {load.DisturbHangup, swapLater("stats-tube", "current-watching: ", "current-watching:9"), "watch the tube, and at most"},
		"the neighbour's counts":     {load.DisturbKick, miscount, "the neighbour's tube"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q, addr := testserver.Start(t)
			q.Tamper(test.tamper)
			_, err := measureOn(t, addr, disturbedBy(test.by, nil), true)
			if err == nil || !strings.Contains(err.Error(), test.message) {
				t.Errorf("got %v, want an error with %q", err, test.message)
			}
		})
	}
}

// The neighbour's own answers are checked like those of any load.
func TestNeighbourIsChecked(t *testing.T) {
	q, addr := testserver.Start(t)
	var reserves atomic.Int64
	q.Tamper(func(verb, reply string) string {
		if verb == "reserve" && reserves.Add(1) == 5 {
			return strings.Replace(reply, "ijkl", "ijkm", 1)
		}
		return reply
	})
	_, err := measureOn(t, addr, disturbedBy(load.DisturbKick, nil), true)
	if err == nil || !strings.Contains(err.Error(), "the neighbour: job") {
		t.Errorf("got %v", err)
	}
}
