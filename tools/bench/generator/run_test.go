package generator

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"beanfield/conn/beanstalk/client"
	"beanfield/storage/must"
	"beanfield/tools/bench/load"
	"beanfield/tools/bench/result"
	"beanfield/tools/bench/testserver"
)

func quiet(string, ...any) {}

// brief is a load that ends soon.
func brief(change func(*load.Load)) load.Load {
	ld := load.Default()
	ld.Connections, ld.Warmup, ld.Duration = 6, 10*time.Millisecond, 100*time.Millisecond
	if change != nil {
		change(&ld)
	}
	return ld
}

func runOn(t *testing.T, addr string, ld load.Load) (*result.Result, error) {
	t.Helper()
	must.Do(t, ld.Check())
	return Generate(context.Background(), Target{Addr: addr, Owned: true}, ld, Settings{Say: quiet})
}

// Every load must run, be counted in commands that belong to it, and leave exactly
// the jobs that its own counts say: measure audits that.
func TestEveryLoadRuns(t *testing.T) {
	for name, test := range map[string]struct {
		change   func(*load.Load)
		commands string
	}{
		"put":       {func(ld *load.Load) { ld.Kind = load.KindPut }, "put"},
		"cycle":     {nil, "put reserve delete"},
		"pipelined": {func(ld *load.Load) { ld.Depth = 16 }, "put reserve delete"},
		"cycles":    {func(ld *load.Load) { ld.Kind, ld.Depth = load.KindCycles, 16 }, "put reserve delete"},
		"one cycle": {func(ld *load.Load) { ld.Kind = load.KindCycles }, "put reserve delete"},
		"cycles open": {func(ld *load.Load) { ld.Kind, ld.Depth, ld.Rate = load.KindCycles, 4, 6000 },
			"put reserve delete"},
		"cycles mixed": {func(ld *load.Load) {
			ld.Kind, ld.Depth, ld.Body = load.KindCycles, 16, load.Sizes(10, 65535)
		}, "put reserve delete"},
		"two at once": {func(ld *load.Load) { ld.Depth = 2 }, "put reserve delete"},
		"own tubes":   {func(ld *load.Load) { ld.Tubes = 3 }, "put reserve delete"},
		"watch all":   {func(ld *load.Load) { ld.Tubes, ld.WatchAll = 4, true }, "put reserve delete"},
		"mixed":       {func(ld *load.Load) { ld.Body, ld.Depth = load.Sizes(10, 65535), 4 }, "put reserve delete"},
		"no body":     {func(ld *load.Load) { ld.Body = load.Sizes(0, 0) }, "put reserve delete"},
		"backlog": {func(ld *load.Load) { ld.Backlog, ld.BacklogIn, ld.Tubes = 500, load.BacklogSame, 3 },
			"put reserve delete"},
		"hop": {func(ld *load.Load) {
			ld.Kind, ld.Backlog, ld.BacklogIn = load.KindHop, 100,
				load.BacklogSpread
		}, "use put reserve-job delete"},
		"keyed": {func(ld *load.Load) { *ld = keyed(*ld); ld.Backlog, ld.BacklogIn = 100, load.BacklogSame },
			"put"},
		"apart":      {func(ld *load.Load) { ld.Kind = load.KindApart }, "put reserve delete delivery"},
		"apart deep": {func(ld *load.Load) { ld.Kind, ld.Depth = load.KindApart, 3 }, "put reserve delete delivery"},
		"wake":       {func(ld *load.Load) { ld.Kind, ld.Producers = load.KindWake, 2 }, "put reserve delete delivery"},
		"open loop":  {func(ld *load.Load) { ld.Rate = 3000 }, "put reserve delete"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// A busy machine may get nothing done in a short time: then take longer.
			for ld := brief(test.change); ; ld.Duration *= 2 {
				_, addr := testserver.Start(t)
				res, err := runOn(t, addr, ld)
				missing := ""
				if err == nil {
					missing = missingCommand(t, res, strings.Fields(test.commands))
				}
				if err == nil && missing == "" {
					return
				}
				if ld.Duration > 5*time.Second || err != nil && !strings.Contains(err.Error(), "nothing was answered") {
					t.Fatalf("error %v, no %s in %v", err, missing, ld.Duration)
				}
			}
		})
	}
}

func keyed(ld load.Load) load.Load {
	ld.Kind, ld.Keyed, ld.Depth = load.KindPut, true, 16
	return ld
}

// Another run on the same server has other keys: one that is there already would be answered EXISTS.
func TestKeysAreNewInEachRun(t *testing.T) {
	_, addr := testserver.Start(t)
	for range 2 {
		must.Get(runOn(t, addr, keyed(brief(nil))))
	}
}

// missingCommand names a command that was not counted. Others than those wanted must
// never be.
func missingCommand(t *testing.T, res *result.Result, want []string) string {
	sum, missing := uint64(0), ""
	for _, command := range want {
		n := res.ByCommand[command]
		sum += n
		if command == opDelivery.String() {
			n = res.Latency[command].N
		}
		if n == 0 {
			missing = command
		}
	}
	if sum != res.Ops {
		t.Errorf("%d operations, of which %d of the commands %s: %v", res.Ops, sum, want, res.ByCommand)
	}
	return missing
}

func TestPutEndsAfterItsJobs(t *testing.T) {
	q, addr := testserver.Start(t)
	ld := brief(func(ld *load.Load) { ld.Kind, ld.MaxJobs, ld.Warmup, ld.Duration = load.KindPut, 1000, 0, time.Hour })
	res := must.Get(runOn(t, addr, ld))
	if total := q.Count(t, "total-jobs"); total < 1000 || total > int64(1000+ld.Connections) || res.Ops == 0 {
		t.Errorf("%d jobs were put, %d counted; the bound was 1000", total, res.Ops)
	}
}

// A whole load is measured from its first job to its last, whatever time was asked for.
func TestWholeLoads(t *testing.T) {
	for kind, commands := range map[string]int{load.KindPut: 1, load.KindCycle: 3, load.KindCycles: 3} {
		_, addr := testserver.Start(t)
		ld := brief(func(ld *load.Load) {
			ld.Kind, ld.MaxJobs, ld.Whole, ld.Depth, ld.Warmup, ld.Duration = kind, 500, true, 2, time.Hour,
				time.Nanosecond
		})
		res := must.Get(runOn(t, addr, ld))
		most := 500 + ld.Connections*ld.Batch()
		if puts := int(res.ByCommand["put"]); puts < 500-ld.Connections*ld.Batch() || puts > most ||
			int(res.Ops) > most*commands {
			t.Errorf("%s: %v, of 500 jobs", kind, res.ByCommand)
		}
	}
}

// A loop that sees nothing of the measurement: because it had no processor then, which
// another try may mend, or because the load came to its end before.
func TestMeasurementThatPassedUnseen(t *testing.T) {
	r := &run{begin: 100, end: 200, loop: &loop{}}
	if _, err := r.total(); !errors.Is(err, ErrNothing) {
		t.Errorf("no processor for a while: %v", err)
	}
	r.end = 50
	if _, err := r.total(); err == nil || errors.Is(err, ErrNothing) {
		t.Errorf("the load ended during the warm-up: %v", err)
	}
}

// untilWrong goes on until something goes wrong, or for long.
func untilWrong() load.Load { return brief(func(ld *load.Load) { ld.Duration = 30 * time.Second }) }

// A server that answers wrongly, once, late in the run, must not get a result. What is wrong, the tests of consume say.
func TestWrongReplyEndsTheRun(t *testing.T) {
	for _, kind := range []string{load.KindCycle, load.KindCycles} {
		q, addr := testserver.Start(t)
		var n atomic.Int64
		q.Tamper(func(verb, reply string) string {
			if verb == "delete" && n.Add(1) == 20 {
				return "NOT_FOUND\r\n"
			}
			return reply
		})
		ld := untilWrong()
		ld.Kind = kind
		if _, err := runOn(t, addr, ld); err == nil || !strings.Contains(err.Error(), "delete was answered") {
			t.Errorf("%s: got %v", kind, err)
		}
	}
}

// A server that loses a job answers every command well; only its counts tell.
func TestAuditFindsLostJobs(t *testing.T) {
	_, addr := testserver.Start(t)
	check := must.Get(startAudit(t.Context(), addr))
	text := client.Document{{Key: "total-jobs", Value: "3"}, {Key: "current-jobs-ready", Value: "0"}}
	if err := check.compare(text, &Tally{Inserted: 3, deleted: 3}); err != nil {
		t.Errorf("three put, three deleted, none there: %v", err)
	}
	if err := check.compare(text, &Tally{Inserted: 3, deleted: 2}); err == nil {
		t.Error("a job is missing, and the audit agrees")
	}
}

func TestServerThatHangsUp(t *testing.T) {
	q, addr := testserver.Start(t)
	var n atomic.Int64
	q.Stall(func(string) {
		if n.Add(1) == 300 {
			q.Mu.Lock()
			defer q.Mu.Unlock()
			for _, c := range q.Conns {
				c.Close()
			}
		}
	})
	if _, err := runOn(t, addr, untilWrong()); err == nil {
		t.Error("the server closed every connection, and the run succeeded")
	}
}
