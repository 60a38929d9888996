package main

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func quiet(string, ...any) {}

// brief is a load that ends soon.
func brief(change func(*load)) load {
	ld := defaultLoad()
	ld.Connections, ld.Warmup, ld.Duration = 6, 10*time.Millisecond, 100*time.Millisecond
	if change != nil {
		change(&ld)
	}
	return ld
}

func runOn(t *testing.T, addr string, ld load, threads int) (*result, error) {
	t.Helper()
	return measure(context.Background(), target{addr: addr, owned: true}, ld, settings{threads: threads, say: quiet})
}

// Every load must run, be counted in commands that belong to it, and leave exactly
// the jobs that its own counts say: measure audits that.
func TestEveryLoadRuns(t *testing.T) {
	for name, test := range map[string]struct {
		change   func(*load)
		threads  int
		commands string
	}{
		"put":         {func(ld *load) { ld.Kind = kindPut }, 1, "put"},
		"cycle":       {nil, 1, "put reserve delete"},
		"pipelined":   {func(ld *load) { ld.Depth = 16 }, 1, "put reserve delete"},
		"cycles":      {func(ld *load) { ld.Kind, ld.Depth = kindCycles, 16 }, 1, "put reserve delete"},
		"one cycle":   {func(ld *load) { ld.Kind = kindCycles }, 2, "put reserve delete"},
		"cycles open": {func(ld *load) { ld.Kind, ld.Depth, ld.Rate = kindCycles, 4, 6000 }, 1, "put reserve delete"},
		"cycles mixed": {func(ld *load) {
			ld.Kind, ld.Depth, ld.Body = kindCycles, 16, bodySize{10, 65535}
		}, 1, "put reserve delete"},
		"two threads": {func(ld *load) { ld.Depth = 2 }, 2, "put reserve delete"},
		"own tubes":   {func(ld *load) { ld.Tubes = 3 }, 1, "put reserve delete"},
		"watch all":   {func(ld *load) { ld.Tubes, ld.WatchAll = 4, true }, 2, "put reserve delete"},
		"mixed":       {func(ld *load) { ld.Body, ld.Depth = bodySize{10, 65535}, 4 }, 1, "put reserve delete"},
		"no body":     {func(ld *load) { ld.Body = bodySize{0, 0} }, 1, "put reserve delete"},
		"backlog":     {func(ld *load) { ld.Backlog, ld.BacklogIn, ld.Tubes = 500, backlogSame, 3 }, 1, "put reserve delete"},
		"hop":         {func(ld *load) { ld.Kind, ld.Backlog, ld.BacklogIn = kindHop, 100, backlogSpread }, 1, "use put reserve-job delete"},
		"apart":       {func(ld *load) { ld.Kind = kindApart }, 1, "put reserve delete delivery"},
		"apart two":   {func(ld *load) { ld.Kind, ld.Depth = kindApart, 3 }, 2, "put reserve delete delivery"},
		"wake":        {func(ld *load) { ld.Kind, ld.Producers = kindWake, 2 }, 1, "put reserve delete delivery"},
		"poll":        {func(ld *load) { ld.Kind = kindPoll }, 1, "put poll delete"},
		"open loop":   {func(ld *load) { ld.Rate = 3000 }, 2, "put reserve delete"},
		"delayed": {func(ld *load) {
			ld.Kind, ld.Rate, ld.Warmup = kindDelayed, 500, 1100*time.Millisecond
		}, 1, "put reserve delete delivery"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// A busy machine may get nothing done in a short time: then take longer.
			for ld := brief(test.change); ; ld.Duration *= 2 {
				_, addr := startFakeQueue(t)
				res, err := runOn(t, addr, ld, test.threads)
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

// missingCommand names a command that was not counted. Others than those wanted must
// never be.
func missingCommand(t *testing.T, res *result, want []string) string {
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
	q, addr := startFakeQueue(t)
	ld := brief(func(ld *load) { ld.Kind, ld.MaxJobs, ld.Warmup, ld.Duration = kindPut, 1000, 0, time.Hour })
	res, err := runOn(t, addr, ld, 1)
	if err != nil {
		t.Fatal(err)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.total < 1000 || q.total > 1000+ld.Connections || res.Ops == 0 {
		t.Errorf("%d jobs were put, %d counted; the bound was 1000", q.total, res.Ops)
	}
}

// A loop that sees nothing of the measurement: because it had no processor then, which
// another try may mend, or because the load came to its end before.
func TestMeasurementThatPassedUnseen(t *testing.T) {
	r := &run{begin: 100, loops: []*loop{{}}}
	r.end.Store(200)
	if _, err := r.total(); !errors.Is(err, errNothing) {
		t.Errorf("no processor for a while: %v", err)
	}
	r.finish(50)
	if _, err := r.total(); err == nil || errors.Is(err, errNothing) {
		t.Errorf("the load ended during the warm-up: %v", err)
	}
}

// untilWrong goes on until something goes wrong, or for long.
func untilWrong() load { return brief(func(ld *load) { ld.Duration = 30 * time.Second }) }

// A server that answers wrongly, once, late in the run, must not get a result.
func TestWrongRepliesEndTheRun(t *testing.T) {
	for name, test := range map[string]struct {
		verb, message string
		wrong         func(reply string) string
	}{
		"another word":      {"delete", "delete was answered", func(string) string { return "NOT_FOUND\r\n" }},
		"an error":          {"put", "put was answered", func(string) string { return "OUT_OF_MEMORY\r\n" }},
		"an id twice":       {"put", "after id", func(string) string { return "INSERTED 1\r\n" }},
		"two replies":       {"delete", "nothing asked for", func(r string) string { return r + r }},
		"an altered body":   {"reserve", "not put", func(r string) string { return strings.Replace(r, "xyz", "xxx", 1) }},
		"a job never given": {"reserve", "delete was answered", func(r string) string { return strings.Replace(r, "RESERVED ", "RESERVED 99", 1) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q, addr := startFakeQueue(t)
			var n atomic.Int64
			q.tamper = func(verb, reply string) string {
				if verb == test.verb && n.Add(1) == 20 {
					return test.wrong(reply)
				}
				return reply
			}
			_, err := runOn(t, addr, untilWrong(), 1)
			if err == nil || !strings.Contains(err.Error(), test.message) {
				t.Errorf("got %v, want an error with %q", err, test.message)
			}
		})
	}
}

// Whole cycles are checked reply by reply as well.
func TestWrongRepliesEndCycles(t *testing.T) {
	for verb, message := range map[string]string{
		"put": "put was answered", "reserve": "reserve was answered", "delete": "delete was answered",
	} {
		t.Run(verb, func(t *testing.T) {
			t.Parallel()
			q, addr := startFakeQueue(t)
			var n atomic.Int64
			q.tamper = func(v, reply string) string {
				if v == verb && n.Add(1) == 200 {
					return "INTERNAL_ERROR\r\n"
				}
				return reply
			}
			ld := untilWrong()
			ld.Kind, ld.Depth = kindCycles, 16
			if _, err := runOn(t, addr, ld, 1); err == nil || !strings.Contains(err.Error(), message) {
				t.Errorf("got %v, want an error with %q", err, message)
			}
		})
	}
}

// A server that loses a job answers every command well; only its counts tell.
func TestAuditFindsLostJobs(t *testing.T) {
	q, addr := startFakeQueue(t)
	check, err := startAudit(addr)
	if err != nil {
		t.Fatal(err)
	}
	q.mu.Lock()
	q.total = 3
	text := map[string]int64{"total-jobs": 3, "current-jobs-ready": 0}
	q.mu.Unlock()
	if err := check.compare(text, &tally{inserted: 3, deleted: 3}); err != nil {
		t.Errorf("three put, three deleted, none there: %v", err)
	}
	if err := check.compare(text, &tally{inserted: 3, deleted: 2}); err == nil {
		t.Error("a job is missing, and the audit agrees")
	}
}

func TestServerThatHangsUp(t *testing.T) {
	q, addr := startFakeQueue(t)
	var n atomic.Int64
	q.stall = func(string) {
		if n.Add(1) == 300 {
			q.mu.Lock()
			defer q.mu.Unlock()
			for _, c := range q.conns {
				c.Close()
			}
		}
	}
	if _, err := runOn(t, addr, untilWrong(), 1); err == nil {
		t.Error("the server closed every connection, and the run succeeded")
	}
}

// The correction for coordinated omission. One connection, 1000 operations a second,
// a server that stands still once for 300 ms: everything due meanwhile waits, so
// about 100 operations take 200 ms or more. Counted from when they were sent, only
// one would. The stall is at least its length, and slowness elsewhere only adds, so
// the bounds hold on any machine.
func TestOpenLoopCountsWhatAStallDelayed(t *testing.T) {
	const stall = 300 * time.Millisecond
	q, addr := startFakeQueue(t)
	var puts atomic.Int64
	q.stall = func(verb string) {
		if verb == "put" && puts.Add(1) == 50 {
			time.Sleep(stall)
		}
	}
	ld := brief(func(ld *load) {
		ld.Kind, ld.Connections, ld.Rate, ld.Warmup, ld.Duration = kindPut, 1, 1000, 0, 600*time.Millisecond
	})
	if err := ld.check(); err != nil {
		t.Fatal(err)
	}
	r := &run{target: target{addr: addr, owned: true}, load: &ld, maxJobs: 1 << 40, base: time.Now()}
	r.progress = make([]atomic.Int64, 1)
	defer r.close()
	if err := r.connect(1); err != nil {
		t.Fatal(err)
	}
	if _, err := r.drive(context.Background(), settings{say: quiet}); err != nil {
		t.Fatal(err)
	}
	total, err := r.total()
	if err != nil {
		t.Fatal(err)
	}
	h := &total.latency[opPut]
	if h.n != 600 {
		t.Errorf("%d operations were recorded, 600 were due", h.n)
	}
	if slow := h.atLeast(int64(200 * time.Millisecond)); slow < 95 {
		t.Errorf("%d operations count as 200 ms late or more, want about 100", slow)
	}
	if slow := h.atLeast(int64(100 * time.Millisecond)); slow < 195 {
		t.Errorf("%d operations count as 100 ms late or more, want about 200", slow)
	}
	if h.max < int64(stall) {
		t.Errorf("the longest latency is %d ns", h.max)
	}
}

// What was due but never sent, since the server never came back, counts as well.
func TestOpenLoopGivesUp(t *testing.T) {
	ld := brief(func(ld *load) { ld.Kind, ld.Rate, ld.Connections = kindPut, 1000, 2 })
	r := &run{load: &ld, base: time.Now()}
	q := newRequests(&ld)
	r.end.Store(1e9)
	r.stop.Store(1e9)
	l := &loop{run: r, pacer: newPacer(0, 1000, 1, 2)}
	r.loops = []*loop{l}
	for i := range int64(2) {
		l.paced = append(l.paced, &conn{plan: putPlan{q}, paced: true, slot: 500 + i, op: opPut})
	}
	l.paced[0].left, l.paced[0].due = 1, 498e6
	l.giveUp(11e9)
	// Of 1000 due, slots 500 to 999 were not sent and 498 was not answered.
	h := &l.tally.latency[opPut]
	if l.tally.missed != 501 || h.n != 501 {
		t.Errorf("%d missed, %d recorded; want 501", l.tally.missed, h.n)
	}
	if h.max != 11e9-498e6 || h.min != 11e9-999e6 {
		t.Errorf("latencies from %d to %d", h.min, h.max)
	}
}

// A write of whole cycles is three commands for each: so many are due, or missed.
func TestOpenLoopOfCycles(t *testing.T) {
	ld := brief(func(ld *load) { ld.Kind, ld.Depth, ld.Rate = kindCycles, 4, 1200 })
	r := &run{load: &ld, base: time.Now()}
	r.end.Store(1e9)
	r.stop.Store(1e9)
	l := &loop{run: r}
	r.loops = []*loop{l}
	c := &conn{plan: cyclesPlan{newRequests(&ld)}, paced: true, slot: 98}
	l.paced = []*conn{c}
	l.pacer = l.timetable()
	l.pacer.start = 0
	if at := l.pacer.at(1); at != 10e6 {
		t.Errorf("12 commands are due every %d ns, want 10 ms for 1200 a second", at)
	}
	c.outstanding(request{op: opPut, n: 12, pattern: cycleCommands}, 970e6)
	c.passed()
	l.giveUp(11e9)
	// Of the write at 970 ms 11 replies are missing; those at 980 and 990 were not sent.
	if l.tally.missed != 11+2*12 || l.tally.latency[opDelete].n != 4 || l.tally.latency[opReserve].n != 4 {
		t.Errorf("%d missed, %d of them delete, %d reserve", l.tally.missed, l.tally.latency[opDelete].n, l.tally.latency[opReserve].n)
	}
}

func TestLoadsThatCannotRun(t *testing.T) {
	for name, change := range map[string]func(*load){
		"kind":       func(ld *load) { ld.Kind = "nap" },
		"no workers": func(ld *load) { ld.Kind, ld.Producers = kindApart, ld.Connections },
		"tubes":      func(ld *load) { ld.Kind, ld.Tubes = kindApart, 30 },
		"small body": func(ld *load) { ld.Kind, ld.Body = kindWake, bodySize{4, 4} },
		"delayed":    func(ld *load) { ld.Kind = kindDelayed },
		"depth":      func(ld *load) { ld.Depth = 0 },
		"backlog":    func(ld *load) { ld.BacklogIn = "nowhere" },
		"memory":     func(ld *load) { ld.Kind = kindMemory },
	} {
		ld := defaultLoad()
		change(&ld)
		if ld.check() == nil {
			t.Errorf("%s: %+v passed", name, ld)
		}
	}
}

func TestOnlyThisMachine(t *testing.T) {
	for addr, good := range map[string]bool{
		"127.0.0.1:11300": true, "[::1]:11300": true, "unix:/tmp/b": true,
		"192.0.2.1:11300": false, "0.0.0.0:11300": false, "example.com:11300": false, "127.0.0.1": false,
	} {
		if _, _, err := socketAddress(addr); (err == nil) != good {
			t.Errorf("%s: %v", addr, err)
		}
	}
}
