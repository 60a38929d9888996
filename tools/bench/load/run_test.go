//go:build linux

package load

import (
	"errors"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"beanfield/conn/beanstalk/client"
	"beanfield/storage/must"
	"beanfield/tools/bench/testserver"
)

func TestMain(m *testing.M) { os.Exit(testserver.Run(m)) }

// brief is a load that ends soon.
func brief(ld Load) Load {
	ld.Connections, ld.Warmup, ld.Duration = 6, 10*time.Millisecond, 100*time.Millisecond
	return Of(ld)
}

func runOn(t *testing.T, addr string, ld Load) (*Result, error) {
	t.Helper()
	return Generate(t.Context(), Target{Addr: addr}, ld, Settings{Wait: Epoll})
}

var keyed = Load{Kind: Put, Keyed: true, Depth: 16, Backlog: 100, BacklogIn: InSame}

// Every load must run, and leave exactly the jobs that its own counts say: the audit of Generate tells. A busy machine
// may get nothing done in a short time: then it takes longer.
func TestEveryLoadRuns(t *testing.T) {
	for name, ld := range map[string]Load{
		"put": {Kind: Put}, "cycle": {}, "two at once": {Depth: 2}, "keyed": keyed,
		"cycles": {Kind: Cycles, Depth: 16}, "one cycle": {Kind: Cycles}, "open loop": {Rate: 3000},
		"cycles open": {Kind: Cycles, Depth: 4, Rate: 6000}, "cycles mixed": {Kind: Cycles, Depth: 16, Body: Sizes{10, 65535}},
		"watch all": {Tubes: 4, WatchAll: true}, "backlog": {Backlog: 500, BacklogIn: InSame, Tubes: 3},
		"hop": {Kind: Hop, Backlog: 100, BacklogIn: InSpread}, "hop of its own": {Kind: Hop},
		"apart": {Kind: Apart, Producers: 3, Depth: 3}, "wake": {Kind: Wake, Producers: 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for ld := brief(ld); ; ld.Duration *= 2 {
				_, addr := testserver.Start(t)
				res, err := runOn(t, addr, ld)
				if err == nil && res.Latency.N > 0 {
					return
				}
				if ld.Duration > 5*time.Second || err != nil && !errors.Is(err, ErrNothing) {
					t.Fatalf("%v in %v: %v", res, ld.Duration, err)
				}
			}
		})
	}
}

// Another run on the same server has other keys: one that is there already would be answered EXISTS.
func TestKeysAreNewInEachRun(t *testing.T) {
	_, addr := testserver.Start(t)
	for range 2 {
		must.Get(runOn(t, addr, brief(keyed)))
	}
}

func TestPushes(t *testing.T) {
	s := testserver.Launch(t)
	for name, ld := range map[string]Load{
		"auto-commit": {Kind: Push}, "windows": {Kind: Push, Window: 10, Commit: 7}, "a window of one": {Kind: Push, Window: 1, Commit: 1},
		"one pushed": {Kind: PushOne}, "one reserved": {Kind: WakeOne},
	} {
		ld = brief(ld)
		ld.Producers, ld.Depth, ld.Duration = 2, 4, 200*time.Millisecond
		if ld.one() {
			ld.Connections, ld.Producers, ld.Depth = 2, 1, 1
		}
		res, err := Generate(t.Context(), TargetOf(s), ld, Settings{Wait: Epoll})
		if err != nil || res.Ops == 0 || res.Server.CPUPerOp <= 0 || ld.one() && res.Latency.P50 <= 0 {
			t.Errorf("%s: %+v %v", name, res, err)
		}
	}
}

// A whole load is measured from its first job to its last, whatever time it takes.
func TestWholeLoads(t *testing.T) {
	for kind, commands := range map[string]int{Put: 1, Cycle: 3, Cycles: 3} {
		q, addr := testserver.Start(t)
		ld := brief(Load{Kind: kind, MaxJobs: 500, Whole: true, Depth: 2})
		ld.Warmup, ld.Duration = 0, time.Hour
		res := must.Get(runOn(t, addr, ld))
		most := int64(500 + ld.Connections*ld.batch())
		if total := q.Count(t, "total-jobs"); total < 500 || total > most || int64(res.Ops) > most*int64(commands) {
			t.Errorf("%s: %d jobs, %d operations", kind, total, res.Ops)
		}
	}
}

// A loop that sees nothing of the measurement: because it had no processor then, which another try may mend, or
// because the load came to its end before.
func TestMeasurementThatPassedUnseen(t *testing.T) {
	r := &run{begin: 100, end: 200, loop: &loop{}}
	if _, err := r.result(); !errors.Is(err, ErrNothing) {
		t.Errorf("no processor for a while: %v", err)
	}
	r.end = 50
	if _, err := r.result(); err == nil || errors.Is(err, ErrNothing) {
		t.Errorf("the load ended during the warm-up: %v", err)
	}
}

// A server that answers wrongly or hangs up, once, late in the run, must not get a result.
func TestWrongServers(t *testing.T) {
	for _, kind := range []string{Cycle, Cycles} {
		q, addr := testserver.Start(t)
		var n atomic.Int64
		q.Tamper(func(verb, reply string) string {
			if verb == "delete" && n.Add(1) == 20 {
				return "NOT_FOUND\r\n"
			}
			return reply
		})
		ld := brief(Load{Kind: kind})
		ld.Duration = 30 * time.Second
		if _, err := runOn(t, addr, ld); err == nil || !strings.Contains(err.Error(), "delete was answered") {
			t.Errorf("%s: got %v", kind, err)
		}
		q.Tamper(func(verb, reply string) string {
			if verb == "reserve" {
				q.HangUp()
			}
			return reply
		})
		if _, err := runOn(t, addr, ld); err == nil || errors.Is(err, ErrNothing) {
			t.Errorf("%s: the server closed every connection: %v", kind, err)
		}
	}
}

// A server that loses a job answers every command well; only its counts tell.
func TestAuditFindsLostJobs(t *testing.T) {
	text := client.Document{{Key: "total-jobs", Value: "3"}, {Key: "current-jobs-ready", Value: "0"}}
	if err := (&Tally{inserted: 3, deleted: 3}).compare(nil, text); err != nil {
		t.Errorf("three put, three deleted, none there: %v", err)
	}
	if err := (&Tally{inserted: 3, deleted: 2}).compare(nil, text); err == nil {
		t.Error("a job is missing, and the audit agrees")
	}
}

// The correction for coordinated omission. One connection, 1000 operations a second, a server that stands still once
// for 300 ms: everything due meanwhile waits, so about 100 operations take 200 ms or more. Counted from when they were
// sent, only one would. The stall is at least its length, and slowness elsewhere only adds, so the bounds hold on any
// machine.
func TestOpenLoopCountsWhatAStallDelayed(t *testing.T) {
	const stall = 300 * time.Millisecond
	q, addr := testserver.Start(t)
	var puts atomic.Int64
	q.Stall(func(verb string) {
		if verb == "put" && puts.Add(1) == 50 {
			time.Sleep(stall)
		}
	})
	ld := Of(Load{Kind: Put, Connections: 1, Rate: 1000, Duration: 600 * time.Millisecond})
	r := newRun(Target{Addr: addr}, &ld, Epoll)
	defer r.close()
	must.Do(t, r.connect(1))
	must.Do(t, r.drive(t.Context()))
	h := &r.loop.tally.commands
	if h.n != 600 {
		t.Errorf("%d operations were recorded, 600 were due", h.n)
	}
	// Of 600, about 100 are 200 ms late or more, and 300 are 150 ms late on average.
	if h.quantile(0.88) < 200e6 || h.max < int64(stall) {
		t.Errorf("%+v", h.Latency())
	}
}
