package compare

import "beanfield/tools/bench/load"

// lifeSet are the rows whose jobs outlive the process.
const lifeSet = "persistence"

// recordsOfJob are the bytes of what must be written of a job of 100 bytes that is put and
// deleted: a record with the body, the tube, the times and counters (141), and the deletion.
const recordsOfJob = 146

var lifeRows = []row{
	{
		name: "always-pipelined", set: lifeSet, title: "fsync before each reply, 16 cycles pipelined",
		class: classAlways,
		load:  base(sixteenCycles),
		goals: []goal{atLeast(metricThroughput, 50), beside(nameLogged, atMost(metricCPU, 2))},
	},
	{
		name: "always-put", set: lifeSet, title: "{puts} jobs put, 16 in a write, fsync before each reply",
		class: classAlways, alone: true, rounds: 1,
		load: base(func(ld *load.Load) {
			ld.Kind, ld.Depth, ld.MaxJobs, ld.Whole = load.KindPut, 16, 2*million, true
		}),
	},
	{
		name: "written", set: lifeSet, title: "{puts} jobs that are soon deleted, 16 cycles pipelined, fsync before " +
			"each reply",
		class: classAlways, alone: true, rounds: 1,
		load: base(func(ld *load.Load) {
			sixteenCycles(ld)
			ld.MaxJobs, ld.Whole = 2*million, true
		}),
		goals: []goal{number(metricWritten, 1.3*recordsOfJob)},
	},
	{
		name: "written-singly", set: lifeSet, title: "{puts} jobs that are soon deleted, fsync before each reply",
		class: classAlways, alone: true, rounds: 1,
		load: base(func(ld *load.Load) { ld.MaxJobs, ld.Whole = 200_000, true }),
	},
	{
		name: "memory-disk", set: lifeSet, title: "memory per ready job of 100 bytes, {jobs} jobs, fsync before " +
			"each reply",
		class: classAlways, alone: true, rounds: 1,
		load: base(func(ld *load.Load) { ld.Kind, ld.Backlog = load.KindMemory, 5*million }),
	},
	{
		name: "interval", set: lifeSet, title: "50 connections, fsync every 50 ms", class: classInterval,
		load:  base(nil),
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
		load: base(func(ld *load.Load) { ld.Kind, ld.Backlog = load.KindRestart, 5*million }),
		goals: []goal{
			atMost(metricRecovery, 1), number(metricRecovery, 3), number(metricRecoveryPeak, 1.3),
		},
	},
	{
		name: "recovery-killed", set: lifeSet, title: "{jobs} jobs of 100 bytes, restarted after SIGKILL",
		class: classInterval, alone: true, unpinned: true, rounds: 1,
		load:  base(func(ld *load.Load) { ld.Kind, ld.Backlog, ld.Kill = load.KindRestart, 5*million, true }),
		goals: []goal{number(metricRecovery, 3), number(metricRecoveryPeak, 1.3)},
	},
	{
		name: "budget", set: lifeSet,
		title: "{jobs} jobs of 1,000 bytes, beanfield with memory_budget 64MiB, restarted",
		class: classInterval, alone: true, unpinned: true, rounds: 1,
		flags: "-config {config}", config: "[storage]\nmemory_budget = \"64MiB\"\n",
		load: base(func(ld *load.Load) {
			ld.Kind, ld.Backlog, ld.Body = load.KindRestart, 5*million, load.Sizes(1000, 1000)
		}),
		goals: []goal{number(metricLoadedMB, 700), number(metricRecoveredMB, 700)},
	},
	{
		name: "start", set: lifeSet, title: "start with an empty directory, beanfield with 2 shards",
		class: classInterval, unpinned: true, flags: "-shards 2",
		load:  base(func(ld *load.Load) { ld.Kind = load.KindRestart }),
		goals: []goal{number(metricStart, 150)},
	},
	{
		name: "start-64", set: lifeSet, title: "start with an empty directory, beanfield with 64 shards",
		class: classInterval, unpinned: true, flags: "-shards 64",
		load:  base(func(ld *load.Load) { ld.Kind = load.KindRestart }),
		goals: []goal{number(metricStart, 1000)},
	},
}
