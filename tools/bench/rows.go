package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// A row is one load of the comparison. To add one, add it to the table below.
type row struct {
	name  string
	title string // {jobs} in it is the number of jobs put beforehand, {large} the size of a large one
	set   string // also part of this set
	load  load   // length, warm-up and seed come from the flags of compare
	// unpinned rows leave it to the system where servers and generator run.
	unpinned bool
	class    string // which servers take part; "": those that keep jobs in memory alone
	// own is a load of the same server that the row is compared with; nil: the row is
	// compared with the baseline, beanstalkd.
	own *load
	// half runs open loop, at half of what the baseline reaches at full speed.
	half  bool
	alone bool // beanfield's alone: the baseline cannot do it in sensible time
	// everybody's command is followed by this.
	everybody string
	// flags are added to beanfield's command; {config} in them is a file with config.
	flags  string
	config string
	rounds int // at most so many; 0: as many as asked for
	goals  []goal
}

func atLeast(m metric, bound float64) goal { return goal{metric: m, bound: bound, atLeast: true} }
func atMost(m metric, bound float64) goal  { return goal{metric: m, bound: bound} }

// number is a goal for the number itself, not for a ratio.
func number(m metric, most float64) goal { return goal{metric: m, bound: most, absolute: true} }

// base is a load with what the rows have in common: 50 connections, put, reserve and
// delete, 100 bytes, one tube.
func base(change func(*load)) load {
	ld := defaultLoad()
	if change != nil {
		change(&ld)
	}
	return ld
}

func ownLoad(change func(*load)) *load {
	ld := base(change)
	return &ld
}

func sixteenCycles(ld *load)   { ld.Kind, ld.Depth = kindCycles, 16 }
func sixteenCommands(ld *load) { ld.Depth = 16 }

const (
	million  = 1_000_000
	firstSet = "first"
	lifeSet  = "persistence"
)

var rows = slices.Concat([]row{
	{
		name: "unpinned", set: firstSet, title: "50 connections, nothing pinned", unpinned: true,
		load: base(nil), goals: []goal{atLeast(metricThroughput, 1.4)},
	},
	{
		name: "plain", set: firstSet, title: "50 connections", load: base(nil),
		goals: []goal{atLeast(metricThroughput, 2.0), atMost(metricCPU, 0.6), atMost(metricP99, 1)},
	},
	{
		name: "pipelined", set: firstSet, title: "50 connections, 16 cycles pipelined",
		load:  base(sixteenCycles),
		goals: []goal{atLeast(metricThroughput, 14), atMost(metricCPU, 0.06)},
	},
	{
		name: "single", set: firstSet, title: "1 connection, nothing pinned", unpinned: true,
		load:  base(func(ld *load) { ld.Connections = 1 }),
		goals: []goal{atLeast(metricThroughput, 1.1)},
	},
	{
		name: "watch", title: "50 workers, each watching 10 tubes, over 8 shards in beanfield",
		flags: "-shards 8",
		load:  base(func(ld *load) { ld.Tubes, ld.WatchAll = 10, true }),
		goals: []goal{atLeast(metricThroughput, 1.8)},
	},
	{
		name: "half", title: "open loop, half of beanstalkd's maximum", load: base(nil), half: true,
		goals: []goal{atMost(metricP99, 1), atMost(metricP999, 1)},
	},
	{
		name: "resident", title: "{jobs} jobs of 100 bytes resident, against its own empty", rounds: 2,
		load:  base(func(ld *load) { ld.Backlog, ld.BacklogIn = 10*million, backlogSame }),
		own:   ownLoad(nil),
		goals: []goal{atLeast(metricThroughput, 0.85), atMost(metricP999, 2)},
	},
	{
		name: "tubes", title: "{jobs} tubes, against its own one tube",
		load:  base(func(ld *load) { ld.Tubes, ld.Backlog, ld.BacklogIn = 50, 100_000, backlogSpread }),
		own:   ownLoad(nil),
		goals: []goal{atLeast(metricThroughput, 0.9)},
	},
	{
		name: "hop", title: "{jobs} tubes, each put into one drawn at random, against its own one tube",
		load:  base(func(ld *load) { ld.Kind, ld.Backlog, ld.BacklogIn = kindHop, 100_000, backlogSpread }),
		own:   ownLoad(func(ld *load) { ld.Kind = kindHop }),
		goals: []goal{atLeast(metricThroughput, 0.9)},
	},
	{
		name: "memory", title: "memory per ready job of 100 bytes, {jobs} jobs", rounds: 1,
		load:  base(func(ld *load) { ld.Kind, ld.Backlog = kindMemory, 5*million }),
		goals: []goal{atMost(metricBytes, 0.6)},
	},
	{
		name: "idle", title: "memory per idle connection, 10,000 connections", rounds: 1,
		load:  base(func(ld *load) { ld.Kind, ld.Connections = kindIdle, 10_000 }),
		goals: []goal{number(metricBytes, 6144)},
	},
	{
		name: "always", set: lifeSet, title: "50 connections, fsync before each reply", class: classAlways, load: base(nil),
		goals: []goal{atLeast(metricThroughput, 6)},
	},
	{
		name: "always-pipelined", set: lifeSet, title: "fsync before each reply, 16 cycles pipelined", class: classAlways,
		load:  base(sixteenCycles),
		goals: []goal{atLeast(metricThroughput, 50)},
	},
	{
		name: "interval", set: lifeSet, title: "50 connections, fsync every 50 ms", class: classInterval, load: base(nil),
		goals: []goal{atLeast(metricThroughput, 1)},
	},
	{
		name: "interval-pipelined", set: lifeSet, title: "fsync every 50 ms, 16 cycles pipelined", class: classInterval,
		load:  base(sixteenCycles),
		goals: []goal{atLeast(metricThroughput, 6)},
	},

	{
		name: "recovery", set: lifeSet, title: "{jobs} jobs of 100 bytes, restarted",
		class: classInterval, unpinned: true, rounds: 1,
		load: base(func(ld *load) { ld.Kind, ld.Backlog = kindRestart, 5*million }),
		goals: []goal{
			atMost(metricRecovery, 1), number(metricRecovery, 15), number(metricRecoveryPeak, 1.3),
		},
	},
	{
		name: "budget", set: lifeSet, title: "{jobs} jobs of 1,000 bytes, beanfield with memory_budget 64MiB, restarted",
		class: classInterval, unpinned: true, rounds: 1,
		flags: "-config {config}", config: "[storage]\nmemory_budget = \"64MiB\"\n",
		load: base(func(ld *load) {
			ld.Kind, ld.Backlog, ld.Body = kindRestart, 5*million, bodySize{1000, 1000}
		}),
		goals: []goal{number(metricLoadedMB, 700), number(metricRecoveredMB, 700)},
	},
	{
		name: "start", set: lifeSet, title: "start with an empty directory, beanfield with 2 shards",
		class: classInterval, unpinned: true, flags: "-shards 2",
		load:  base(func(ld *load) { ld.Kind = kindRestart }),
		goals: []goal{number(metricStart, 150)},
	},
	{
		name: "start-64", set: lifeSet, title: "start with an empty directory, beanfield with 64 shards",
		class: classInterval, unpinned: true, flags: "-shards 64",
		load:  base(func(ld *load) { ld.Kind = kindRestart }),
		goals: []goal{number(metricStart, 1000)},
	},

	// Without goals: loads that users have, to see that none falls behind.
	{name: "batched", title: "16 commands in a write", load: base(sixteenCommands)},
	{name: "put", title: "put only", load: base(func(ld *load) { ld.Kind, ld.MaxJobs = kindPut, 2*million })},
	{name: "apart", title: "25 producers, 25 workers", load: base(func(ld *load) { ld.Kind = kindApart })},
	{name: "wake", title: "10 producers wake 40 waiting workers", load: base(func(ld *load) {
		ld.Kind, ld.Producers = kindWake, 10
	})},
	{name: "poll", title: "polling with reserve-with-timeout 0", load: base(func(ld *load) { ld.Kind = kindPoll })},
	{name: "delayed", title: "10,000 delayed jobs a second coming due", load: base(func(ld *load) {
		ld.Kind, ld.Rate = kindDelayed, 10_000
	})},
	{name: "mixed", title: "bodies from 10 B to 64 KB, 4 cycles pipelined", load: base(func(ld *load) {
		ld.Body, ld.Depth = bodySize{10, 65535}, 4
	})},
}, stallRows())

// chooseRows reads a list of names of rows and sets, with commas; all is every row.
func chooseRows(list string) ([]row, error) {
	var chosen []row
	for name := range strings.SplitSeq(list, ",") {
		found := false
		for _, r := range rows {
			if name != r.name && name != "all" && (name != r.set || r.set == "") {
				continue
			}
			found = true
			if !slices.ContainsFunc(chosen, func(c row) bool { return c.name == r.name }) {
				chosen = append(chosen, r)
			}
		}
		if !found {
			return nil, fmt.Errorf("no row %q; there are first, persistence, stalls, all, %s", name, rowNames())
		}
	}
	return chosen, nil
}

func rowNames() string {
	var names []string
	for _, r := range rows {
		names = append(names, r.name)
	}
	return strings.Join(names, ", ")
}

// scaled is the row with so many times the jobs put beforehand, and a title that tells
// their number.
func (r row) scaled(by float64) *row {
	if by > 0 && r.load.Backlog > 0 {
		r.load.Backlog = max(1, int(float64(r.load.Backlog)*by))
		r.load.Disturb.Large = int(float64(r.load.Disturb.Large) * min(by, 1))
	}
	large := fmt.Sprintf("%d MiB", r.load.Disturb.Large>>20)
	r.title = strings.NewReplacer("{jobs}", jobCount(r.load.Backlog), "{large}", large).Replace(r.title)
	return &r
}

func jobCount(n int) string {
	if n >= million && n%million == 0 {
		return fmt.Sprintf("%d million", n/million)
	}
	return grouped(float64(n))
}

// timed gives a row's load the length that was asked for. Delayed jobs must already
// come due when the measurement begins.
func timed(ld load, warmup, duration time.Duration, seed uint64) load {
	ld.Warmup, ld.Duration, ld.Seed = warmup, duration, seed
	if ld.Kind == kindDelayed {
		ld.Warmup += time.Duration(max(1, ld.Delay)) * time.Second
	}
	return ld
}
