package compare

import (
	"fmt"

	"beanfield/tools/bench/load"
)

const stallSet = "stalls"

// longestAllowed is the goal of every row of stalls: microseconds.
const longestAllowed = 2000

// A stallKind is a disturbance with the numbers of its row.
type stallKind struct {
	name, title, by             string
	connections, backlog, tubes int
	alone                       bool // beanstalkd would take minutes to get there
}

var stallKinds = []stallKind{
	{name: "kick", by: load.DisturbKick, backlog: million, title: "{jobs} buried jobs kicked at once"},
	{name: "death", by: load.DisturbDeath, backlog: million, title: "a worker with {jobs} reserved jobs disconnects"},
	{name: "due", by: load.DisturbDue, backlog: million, title: "{jobs} delayed jobs come due in a second"},
	{
		name: "pause", by: load.DisturbPause, connections: 2000, backlog: 100_000,
		title: "a pause ends: {clients} workers wait, {jobs} jobs are ready",
	},
	{
		name: "pause-many", by: load.DisturbPause, connections: 15_000, backlog: 15_000,
		title: "a pause ends: {clients} workers wait, {jobs} jobs are ready",
	},
	{name: "body", by: load.DisturbBody, title: "a job of {large} is put, reserved and deleted"},
	{name: "busy", by: load.DisturbBusy, connections: 50, title: "50 connections, 16 cycles pipelined"},
	{name: "fill", by: load.DisturbFill, connections: 50, title: "50 connections put, 16 jobs in a write"},
	{
		name: "hangup", by: load.DisturbHangup, connections: 50, tubes: 10_000, alone: true,
		title: "{clients} connections that watch {tubes} tubes each hang up",
	},
	{name: "watch", by: load.DisturbWatch, tubes: 300_000, alone: true,
		title: "{tubes} watch commands on one connection"},
	{name: "list", by: load.DisturbList, tubes: 100_000, alone: true,
		title: "list-tubes with {tubes} tubes, ten times"},
	{
		name: "stats", by: load.DisturbStats, connections: 15_000,
		title: "stats-tube of a tube for which {clients} clients wait, ten times",
	},
	{
		name: "reserve", by: load.DisturbReserve, tubes: 100_000, alone: true,
		title: "a client that watches {tubes} tubes reserves, twenty times",
	},
	{name: "search", by: load.DisturbSearch, backlog: 100_000, alone: true,
		title: "the bodies of {jobs} jobs are searched with list-jobs"},
	{name: "touch", by: load.DisturbTouch, backlog: million,
		title: "the queue service first looks for an item of a tube with {jobs} jobs"},
	{name: "group", by: load.DisturbGroup, backlog: million, title: "a queue of {jobs} jobs gets a second group"},
	{name: "drop", by: load.DisturbDrop, backlog: million,
		title: "the second group of a queue of {jobs} jobs is removed"},
	{name: "truncate", by: load.DisturbTruncate, backlog: million, title: "a queue of {jobs} jobs is truncated"},
	{name: "truncate-view", by: load.DisturbTruncateView, backlog: million,
		title: "a queue of {jobs} jobs with two groups is truncated"},
	{
		name: "stuck", by: load.DisturbStuck, connections: 50, backlog: million,
		title: "{clients} consumers of a queue of {jobs} jobs never read",
	},
}

// stallRows are all disturbances in memory, beside beanstalkd, and those that write most
// on a disk. There beanfield has no rival: with an fsync for each command of a million,
// beanstalkd would take hours, and it has no room in its log for a large job.
func stallRows() []row {
	var all, disk []row
	for _, k := range stallKinds {
		all = append(all, k.row())
		switch k.by {
		case load.DisturbKick, load.DisturbDeath, load.DisturbBody, load.DisturbBusy, load.DisturbFill:
			r := k.row()
			r.class, r.alone = classAlways, true
			r.name += "-disk"
			r.title += ", fsync before each reply"
			disk = append(disk, r)
		}
	}
	return append(all, disk...)
}

func (k stallKind) row() row {
	r := row{
		name: "stall-" + k.name, set: stallSet, title: k.title, class: classMemory, alone: k.alone,
		flags: "-shards 1",
		load: base(func(ld *load.Load) {
			ld.Kind, ld.Disturb.By, ld.Disturb.Again = load.KindNeighbour, k.by, 1
			ld.Connections, ld.Backlog, ld.Tubes = max(1, k.connections), k.backlog, max(1, k.tubes)
		}),
		goals: []goal{number(metricStall, longestAllowed)},
	}
	if r.load.Disturb.UsesQueue() {
		r.flags, r.alone = queueFlags+" "+r.flags, true
	}
	switch k.by {
	case load.DisturbBody:
		r.everybody = fmt.Sprintf("-z %d", 1<<30)
	case load.DisturbBusy, load.DisturbFill:
		// A neighbour that gets half of one processor is not stalled.
		r.load.Depth, r.goals = 16, nil
	}
	return r
}
