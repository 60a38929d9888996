package compare

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"beanfield/storage/must"
	"beanfield/tools/bench/load"
	"beanfield/tools/bench/result"
)

// Rows of stalls, scaled down, from their start to their tables.
func TestCompareStalls(t *testing.T) {
	chosen := must.Get(chooseRows("stall-kick,stall-busy,stall-hangup,stall-reserve,stall-body-disk"))
	for i := range chosen {
		chosen[i].load.Disturb.Peace = 10 * time.Millisecond
	}
	fake := func(name, class string) peer {
		return peer{Name: name, Class: class, Command: "{self} queue -p {port} -d {dir}",
			baseline: name == nameBeanstalkd}
	}
	c := comparer{
		peers: []peer{
			fake(nameBeanfield, classMemory), fake(nameBeanstalkd, classMemory),
			fake(nameBeanfield, classAlways), fake(nameBeanstalkd, classAlways),
		},
		rows: chosen, rounds: 2, scale: 0.0002, duration: 50 * time.Millisecond, seed: 1, data: t.TempDir(),
	}
	must.Do(t, c.compare(context.Background()))
	for i, want := range []int{2, 2, 1, 1, 1} {
		r := &c.out.Rows[i]
		if len(r.Peers) != want || len(r.Peers[0].Rounds) != 2 || len(r.Peers[0].Rounds[0].Stalls.Each) != 1 {
			t.Errorf("%s: %d servers, want %d: %+v", r.Name, len(r.Peers), want, r.Peers)
		}
	}
	text := c.out.markdown()
	tells(t, text,
		"| 200 buried jobs kicked at once | beanfield |",
		"| 50 connections, 16 cycles pipelined | beanstalkd |",
		"| a job of 0 MiB is put, reserved and deleted, fsync before each reply | beanfield |",
		"| 50 connections that watch 2 tubes each hang up | beanfield |",
		"| a client that watches 20 tubes reserves, twenty times | beanfield |",
		"| 200 buried jobs kicked at once | "+string(metricStall)+" | at most 2,000 |",
		stallHead,
	)
	if strings.Contains(text, "not measured") || strings.Count(text, "at most 2,000") != 4 {
		t.Errorf("a goal too many, or without its number:\n%s", text)
	}
	if chart := c.out.chart(); !strings.Contains(chart, "buried jobs kicked") || strings.Contains(chart, "a job of") ||
		strings.Contains(chart, "reserves, twenty times") {
		t.Error("the chart has not the rows with beanstalkd alone")
	}
}

// The goal is judged by the median.
func TestStallsAreJudgedByTheMedian(t *testing.T) {
	beside := func(bare float64, longest ...float64) *result.Result {
		res := &result.Result{Stalls: &result.Stalls{BareUs: bare}}
		for _, us := range longest {
			res.Stalls.Each = append(res.Stalls.Each, result.Stall{Disturbed: result.Latency{Max: us}})
		}
		return res
	}
	round := func(longest ...float64) *result.Result { return beside(0, longest...) }
	for _, test := range []struct {
		rounds  []*result.Result
		verdict string
	}{
		{[]*result.Result{beside(2500, 2300), beside(3, 2300), beside(2000, 2300)},
			"2,300 | missed (at the floor: a bare loop stalls 2,000 µs here) |"},
		{[]*result.Result{beside(2500, 2301), beside(3, 2301), beside(2000, 2301)}, "2,301 | missed |"},
		{[]*result.Result{round(9000), round(1999), round(100)}, "1,999 (100–9,000) | yes |"},
		{[]*result.Result{round(100), round(2001), round(9000)}, "2,001 (100–9,000) | missed |"},
		{[]*result.Result{round(9000, 1999, 100)}, "1,999 | yes |"},
	} {
		c := &comparison{Rows: []rowResult{{
			row:   stallKinds[0].row(),
			Peers: []peerResult{{Name: nameBeanfield, Rounds: test.rounds}},
		}}}
		tells(t, c.markdown(), fmt.Sprintf("| %s | at most 2,000 | %s", metricStall, test.verdict))
	}
}

// Each round disturbs a new server once: rows with others' rules would mix them up.
func TestStallRows(t *testing.T) {
	chosen, err := chooseRows(stallSet)
	if err != nil || len(chosen) != len(stallKinds)+5 {
		t.Fatalf("%d rows, %v", len(chosen), err)
	}
	seen := map[string]bool{}
	for _, r := range chosen {
		seen[r.load.Disturb.By] = true
		if r.load.Disturb.Again != 1 || !strings.Contains(r.flags, "-shards 1") || r.unpinned {
			t.Errorf("%s: %+v", r.name, r)
		}
		by := r.load.Disturb.By
		if busy := by == load.DisturbBusy || by == load.DisturbFill; busy != (len(r.goals) == 0) {
			t.Errorf("%s: goals %v", r.name, r.goals)
		}
		if large := r.load.Disturb.By == load.DisturbBody; large != (r.everybody == "-z 1073741824") {
			t.Errorf("%s: %q", r.name, r.everybody)
		}
	}
	for _, by := range load.Disturbances {
		if !seen[by] {
			t.Errorf("no row is disturbed by %s", by)
		}
	}
}
