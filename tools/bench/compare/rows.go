package compare

import (
	"slices"

	"beanfield/tools/bench/generator"
	"beanfield/tools/bench/load"
)

// base is a load with what the rows have in common: 50 connections, put, reserve and
// delete, 100 bytes, one tube.
func base(change func(*load.Load)) load.Load {
	ld := load.Default()
	if change != nil {
		change(&ld)
	}
	return ld
}

func ownLoad(change func(*load.Load)) *load.Load {
	ld := base(change)
	return &ld
}

func sixteenCycles(ld *load.Load) { ld.Kind, ld.Depth = load.KindCycles, 16 }

func oneConnection(ld *load.Load) { ld.Connections = 1 }

func putsBesideJobs(ld *load.Load) {
	ld.Kind, ld.Depth, ld.Backlog, ld.BacklogIn = load.KindPut, 16, 10*million, load.BacklogSame
}

func sixteenCommands(ld *load.Load) { ld.Depth = 16 }

const (
	million  = 1_000_000
	firstSet = "first"
)

var rows = slices.Concat(plainRows, awaitedRows, lifeRows, otherRows, pushRows, tlsRows, stallRows())

var plainRows = []row{
	{
		name: "unpinned", set: firstSet, title: "50 connections, nothing pinned, the generator sleeps between replies",
		unpinned: true,
		load:     base(nil), goals: []goal{atLeast(metricThroughput, 1.4)},
	},
	{
		name: "plain", set: firstSet, title: "50 connections", load: base(nil),
		goals: []goal{atLeast(metricThroughput, 2.0), atMost(metricCPU, 0.6), atMost(metricP99, 1)},
	},
	{
		name: "plain-epoll", set: firstSet, title: "50 connections, the generator sleeps between replies",
		load: base(nil), wait: string(generator.WaitEpoll),
		goals: []goal{atLeast(metricThroughput, 2.0), atMost(metricCPU, 0.6), atMost(metricP99, 1)},
	},
	{
		name: "pipelined", set: firstSet, title: "50 connections, 16 cycles pipelined",
		load:  base(sixteenCycles),
		goals: []goal{atLeast(metricThroughput, 14), atMost(metricCPU, 0.06)},
	},
	{
		name: "single", set: firstSet, title: "1 connection, nothing pinned", unpinned: true, awaited: true,
		load: base(oneConnection),
		goals: []goal{
			atLeast(metricThroughput, 1.1), beside(nameFork, atLeast(metricThroughput, 1)),
			beside(nameFork, atMost(metricCPU, 1.1)),
		},
	},
	{
		name: "watch", title: "50 workers, each watching 10 tubes, over 8 shards in beanfield",
		flags: "-shards 8",
		load:  base(func(ld *load.Load) { ld.Tubes, ld.WatchAll = 10, true }),
		goals: []goal{atLeast(metricThroughput, 1.8)},
	},
	{
		name: "half", title: "open loop, half of beanstalkd's maximum", load: base(nil), half: true,
		goals: []goal{atMost(metricP99, 1), atMost(metricP999, 1)},
	},
	{
		name: "resident", title: "{jobs} jobs of 100 bytes resident, against its own empty", rounds: 2,
		load:  base(func(ld *load.Load) { ld.Backlog, ld.BacklogIn = 10*million, load.BacklogSame }),
		own:   ownLoad(nil),
		goals: []goal{atLeast(metricThroughput, 0.85), atMost(metricP999, 2)},
	},
	{
		name: "tubes", title: "{jobs} tubes, against its own one tube",
		load:  base(func(ld *load.Load) { ld.Tubes, ld.Backlog, ld.BacklogIn = 50, 100_000, load.BacklogSpread }),
		own:   ownLoad(nil),
		goals: []goal{atLeast(metricThroughput, 0.9)},
	},
	{
		name: "hop", title: "{jobs} tubes, each put into one drawn at random, against its own one tube",
		load: base(func(ld *load.Load) {
			ld.Kind, ld.Backlog, ld.BacklogIn = load.KindHop, 100_000,
				load.BacklogSpread
		}),
		own:   ownLoad(func(ld *load.Load) { ld.Kind = load.KindHop }),
		goals: []goal{atLeast(metricThroughput, 0.9)},
	},
	{
		name: "keyed", title: "puts with a unique key, 16 in a write, beside {jobs} of them, against plain ones",
		rounds: 2,
		load: base(func(ld *load.Load) {
			putsBesideJobs(ld)
			ld.Keyed = true
		}),
		own:   ownLoad(putsBesideJobs),
		goals: []goal{atMost(metricCPU, 1.5)},
	},
	{
		name: "memory", title: "memory per ready job of 100 bytes, {jobs} jobs", rounds: 1,
		load:  base(func(ld *load.Load) { ld.Kind, ld.Backlog = load.KindMemory, 5*million }),
		goals: []goal{atMost(metricBytes, 0.6)},
	},
	{
		name: "idle", title: "memory per idle connection, 10,000 connections", rounds: 1,
		load:  base(func(ld *load.Load) { ld.Kind, ld.Connections = load.KindIdle, 10_000 }),
		goals: []goal{number(metricBytes, 6144)},
	},
}

// Without goals: loads that users have, so that a slow one is noticed.
var otherRows = []row{
	{name: "batched", rounds: 2, title: "16 commands in a write", load: base(sixteenCommands)},
	{name: "put", title: "put only", load: base(func(ld *load.Load) { ld.Kind, ld.MaxJobs = load.KindPut, 2*million })},
	{name: "apart", title: "25 producers, 25 workers", load: base(func(ld *load.Load) { ld.Kind = load.KindApart })},
	{name: "wake", title: "10 producers wake 40 waiting workers", load: base(func(ld *load.Load) {
		ld.Kind, ld.Producers = load.KindWake, 10
	})},
	{name: "mixed", title: "bodies from 10 B to 64 KB, 4 cycles pipelined", load: base(func(ld *load.Load) {
		ld.Body, ld.Depth = load.Sizes(10, 65535), 4
	})},
}
