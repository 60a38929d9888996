package generator

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"beanfield/storage/must"
	"beanfield/tools/bench/load"
	"beanfield/tools/bench/result"
	"beanfield/tools/bench/testserver"
)

// The correction for coordinated omission. One connection, 1000 operations a second,
// a server that stands still once for 300 ms: everything due meanwhile waits, so
// about 100 operations take 200 ms or more. Counted from when they were sent, only
// one would. The stall is at least its length, and slowness elsewhere only adds, so
// the bounds hold on any machine.
func TestOpenLoopCountsWhatAStallDelayed(t *testing.T) {
	const stall = 300 * time.Millisecond
	q, addr := testserver.Start(t)
	var puts atomic.Int64
	q.Stall(func(verb string) {
		if verb == "put" && puts.Add(1) == 50 {
			time.Sleep(stall)
		}
	})
	ld := brief(func(ld *load.Load) {
		ld.Kind, ld.Connections, ld.Rate, ld.Warmup, ld.Duration = load.KindPut, 1, 1000, 0, 600*time.Millisecond
	})
	must.Do(t, ld.Check())
	r := &run{target: Target{Addr: addr, Owned: true}, load: &ld, base: time.Now()}
	defer r.close()
	must.Do(t, r.connect())
	must.Do(t, r.drive(context.Background(), quiet))
	total := must.Get(r.total())
	h := &total.latency[opPut]
	if h.N != 600 {
		t.Errorf("%d operations were recorded, 600 were due", h.N)
	}
	// Of 600, about 100 are 200 ms late or more, and 300 are 150 ms late on average.
	if late := result.LatencyOf(h); late.P90 < 200e3 || late.Mean < 70e3 {
		t.Errorf("%+v", late)
	}
	if h.Max < int64(stall) {
		t.Errorf("the longest latency is %d ns", h.Max)
	}
}

// A write of whole cycles is three commands for each: so many are due, or missed.
func TestOpenLoopOfCycles(t *testing.T) {
	ld := brief(func(ld *load.Load) { ld.Kind, ld.Depth, ld.Rate = load.KindCycles, 4, 1200 })
	r := &run{load: &ld, base: time.Now(), end: 1e9}
	l := &loop{run: r}
	r.loop = l
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
	if l.tally.missed != 11+2*12 || l.tally.latency[opDelete].N != 4 || l.tally.latency[opReserve].N != 4 {
		t.Errorf("%d missed, %d of them delete, %d reserve", l.tally.missed, l.tally.latency[opDelete].N,
			l.tally.latency[opReserve].N)
	}
}
