package compare

import (
	"fmt"

	"beanfield/tools/bench/load"
)

const stallSet = "stalls"

// longestAllowed is the goal of every row of stalls: microseconds.
const longestAllowed = 2000

// stallRows are all disturbances in memory, beside beanstalkd, and those that write most
// on a disk. There beanfield stands alone: with an fsync for each command of a million,
// beanstalkd would take hours, and it has no room in its log for a large job.
func stallRows() []row {
	var all []row
	for _, by := range load.Disturbances {
		all = append(all, stallRow(by, classMemory))
	}
	for _, by := range []string{load.DisturbKick, load.DisturbDeath, load.DisturbBody} {
		all = append(all, stallRow(by, classAlways))
	}
	return all
}

func stallRow(by, class string) row {
	r := row{
		name: "stall-" + by, set: stallSet, title: disturbTitle(by), class: class,
		flags: "-shards 1", alone: class != classMemory,
		load: base(func(ld *load.Load) {
			ld.Kind, ld.Disturb.By, ld.Disturb.Again = load.KindNeighbour, by, 1
			ld.Backlog = million
		}),
		goals: []goal{number(metricStall, longestAllowed)},
	}
	if r.alone {
		r.name += "-disk"
		r.title += ", fsync before each reply"
	}
	switch by {
	case load.DisturbPause:
		r.load.Connections, r.load.Backlog = 2000, 100_000
	case load.DisturbBody:
		r.load.Backlog, r.everybody = 1, fmt.Sprintf("-z %d", 1<<30)
	case load.DisturbBusy:
		// To get half of one processor is no stall.
		r.load.Backlog, r.load.Depth, r.goals = 1, 16, nil
	}
	return r
}

func disturbTitle(by string) string {
	return map[string]string{
		load.DisturbKick:  "{jobs} buried jobs kicked at once",
		load.DisturbDeath: "a worker with {jobs} reserved jobs disconnects",
		load.DisturbDue:   "{jobs} delayed jobs come due in a second",
		load.DisturbPause: "a pause ends: 2,000 workers wait, {jobs} jobs are ready",
		load.DisturbBody:  "a job of {large} is put, reserved and deleted",
		load.DisturbBusy:  "50 connections, 16 cycles pipelined",
	}[by]
}
