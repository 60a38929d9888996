package main

import "fmt"

const stallSet = "stalls"

// longestAllowed is the goal of every row of stalls: microseconds.
const longestAllowed = 2000

// stallRows are all disturbances in memory, beside beanstalkd, and those that write most
// on a disk. There beanfield stands alone: with an fsync for each command of a million,
// beanstalkd would take hours, and it has no room in its log for a large job.
func stallRows() []row {
	var all []row
	for _, by := range disturbances {
		all = append(all, stallRow(by, classMemory))
	}
	for _, by := range []string{disturbKick, disturbDeath, disturbBody} {
		all = append(all, stallRow(by, classAlways))
	}
	return all
}

func stallRow(by, class string) row {
	r := row{
		name: "stall-" + by, set: stallSet, title: disturbTitle(by), class: class,
		flags: "-shards 1", alone: class != classMemory,
		load: base(func(ld *load) {
			ld.Kind, ld.Disturb.By, ld.Disturb.Again = kindNeighbour, by, 1
			ld.Backlog = million
		}),
		goals: []goal{number(metricStall, longestAllowed)},
	}
	if r.alone {
		r.name += "-disk"
		r.title += ", fsync before each reply"
	}
	switch by {
	case disturbPause:
		r.load.Connections, r.load.Backlog = 2000, 100_000
	case disturbBody:
		r.load.Backlog, r.everybody = 1, fmt.Sprintf("-z %d", 1<<30)
	case disturbBusy:
		// To get half of one processor is no stall.
		r.load.Backlog, r.load.Depth, r.goals = 1, 16, nil
	}
	return r
}

func disturbTitle(by string) string {
	return map[string]string{
		disturbKick:  "{jobs} buried jobs kicked at once",
		disturbDeath: "a worker with {jobs} reserved jobs disconnects",
		disturbDue:   "{jobs} delayed jobs come due in a second",
		disturbPause: "a pause ends: 2,000 workers wait, {jobs} jobs are ready",
		disturbBody:  "a job of {large} is put, reserved and deleted",
		disturbBusy:  "50 connections, 16 cycles pipelined",
	}[by]
}
