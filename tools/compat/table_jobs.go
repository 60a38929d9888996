package main

import "fmt"

// jobCases are about the life of a job: what each command does in each state,
// to whom, and in which order.
func jobCases() []oddCase {
	return append(stateCases(), []oddCase{
		{name: "jobs/release", script: releasing},
		{name: "jobs/bury", script: burying},
		{name: "jobs/kick", script: kicking},
		{name: "jobs/kick-delayed", script: kickingDelayed},
		{name: "jobs/kick-used-tube", script: kickingUsed},
		{name: "jobs/kick-to-waiting", script: kickingWaiting},
		{name: "jobs/kick-job", script: kickingJob},
		{name: "jobs/peek", script: peeking},
		{name: "jobs/urgent", script: urgent},
		{name: "jobs/delete", script: deleting},
		{name: "jobs/counters", script: counting},
		{name: "jobs/fresh-server", lines: texts(
			"peek 1\r\n", "peek 0\r\n", "peek-ready\r\n", "peek-delayed\r\n", "peek-buried\r\n", "delete 1\r\n", "delete 0\r\n",
			"release 1 0 0\r\n", "bury 1 0\r\n", "touch 1\r\n", "kick 1\r\n", "kick-job 1\r\n", "stats-job 1\r\n", "stats-job 0\r\n",
			"reserve-job 1\r\n", "reserve-job 0\r\n", "stats-tube default\r\n", "stats-tube nowhere\r\n", "pause-tube nowhere 1\r\n", "stats\r\n",
		)},
	}...)
}

// states bring job 1 into a state; b is the connection that holds it, if any.
var states = []struct{ name, script string }{
	{"ready", `a: put 5 0 1000 1\r\nx`},
	{"delayed", `a: put 5 5000 1000 1\r\nx`},
	{"buried", "a: put 5 0 1000 1\\r\\nx\nb: reserve\nb: bury 1 6"},
	{"reserved", "a: put 5 0 1000 1\\r\\nx\nb: reserve"},
	{"reserved-delayed", "a: put 5 5000 1000 1\\r\\nx\nb: reserve-job 1"},
	{"reserved-buried", "a: put 5 0 1000 1\\r\\nx\nb: reserve\nb: bury 1 6\nb: reserve-job 1"},
	{"released", "a: put 5 0 1000 1\\r\\nx\nb: reserve\nb: release 1 7 0"},
	{"released-delayed", "a: put 5 0 1000 1\\r\\nx\nb: reserve\nb: release 1 7 5000"},
	{"kicked", "a: put 5 0 1000 1\\r\\nx\nb: reserve\nb: bury 1 6\na: kick 1"},
	{"paused", "a: put 5 0 1000 1\\r\\nx\na: pause-tube default 5000"},
	{"paused-delayed", "a: put 5 5000 1000 1\\r\\nx\na: pause-tube default 5000"},
	{"other-tube", "a: use t\na: put 5 0 1000 1\\r\\nx\na: use default"},
	{"deleted", "a: put 5 0 1000 1\\r\\nx\na: delete 1"},
	{"returned", "a: put 5 0 1000 1\\r\\nx\nc: reserve\nc: quit"},
}

// stateCases try every command on job 1 in every state, from the connection
// that holds it and from another one.
func stateCases() []oddCase {
	ops := []string{
		"delete 1", "release 1 8 0", "release 1 8 6000", "bury 1 8", "touch 1", "kick-job 1", "reserve-job 1", "peek 1", "stats-job 1",
		"kick 1", "reserve-with-timeout 0", "peek-ready", "peek-delayed", "peek-buried",
	}
	var cases []oddCase
	for _, st := range states {
		c := oddCase{name: "states/" + st.name, before: st.script}
		for _, op := range ops {
			// These act on the same job one after the other, and look at it from
			// all sides; below, every command finds the state as it was made.
			c.lines = append(c.lines, line{text: op + "\r\nstats-job 1\r\nstats-tube default\r\nreserve-with-timeout 0\r\n"})
		}
		cases = append(cases, c)
		for _, op := range ops {
			cases = append(cases, oddCase{
				name: fmt.Sprintf("states/%s/%s", st.name, op),
				script: fmt.Sprintf("%s\nb: %s\na: stats-job 1\na: stats\na: %s\nb: stats-job 1\n"+
					"a: reserve-with-timeout 0\nb: reserve-with-timeout 0\nb-\na: stats-job 1\na-", st.script, op, op),
			})
		}
	}
	return cases
}

// releasing: back to the rank of (priority, id), with what was said last.
const releasing = `
	a: put 5 0 100 1\r\na
	a: put 5 0 100 1\r\nb
	a: put 5 0 100 1\r\nc
	w: reserve
	w: reserve
	w: release 2 5 0
	w: peek-ready
	w: release 1 5 0
	w: peek-ready
	w: reserve
	w: release 1 9 0
	w: peek-ready
	w: stats-job 1
	w: reserve
	w: reserve
	w: reserve
	w: release 3 0 5000
	w: stats-job 3
	w: release 3 0 0
	w: peek-delayed
	w: release 2 4294967295 4294967295
	w: stats-job 2
	a: kick 10
	w: stats-job 2
	w: stats-job 3
	w: reserve
	w: stats-job 3
	w: release 1 0 0
	w: release 1 0 0
	a: release 3 0 0
	a: stats-tube default`

const burying = `
	a: put 5 0 100 1\r\na
	a: put 5 0 100 1\r\nb
	a: put 5 0 100 1\r\nc
	w: reserve
	w: reserve
	w: reserve
	w: bury 3 1
	w: bury 1 2
	a: peek-buried
	w: bury 2 0
	a: peek-buried
	w: bury 2 0
	a: bury 3 0
	a: stats-job 3
	a: stats-tube default
	a: delete 3
	a: peek-buried
	a: kick 1
	a: peek-ready
	a: stats-job 1
	a: kick-job 2
	a: reserve
	a: reserve
	a: bury 1 4294967295
	a: stats-job 1
	a-
	w: peek-buried
	w: peek-ready
	w: stats`

// kicking: buried ones first, oldest burial first; delayed ones only when
// nothing is buried.
const kicking = `
	a: put 5 0 100 1\r\na
	a: put 5 0 100 1\r\nb
	a: put 5 0 100 1\r\nc
	a: put 5 5000 100 1\r\nd
	w: reserve
	w: reserve
	w: reserve
	w: bury 2 5
	w: bury 3 5
	w: bury 1 5
	a: kick 0
	a: peek-buried
	a: kick 1
	a: peek-buried
	a: peek-ready
	a: stats-job 2
	a: kick 100
	a: stats-job 4
	a: kick 100
	a: stats-job 4
	a: kick 100
	a: stats-tube default
	w: reserve
	w: bury 1 1
	a: kick 4294967295
	a: stats`

// kickingDelayed: soonest first.
const kickingDelayed = `
	a: put 1 9000 100 1\r\na
	a: put 2 7000 100 1\r\nb
	a: put 3 8000 100 1\r\nc
	a: put 4 7000 100 1\r\nd
	a: peek-delayed
	a: kick 1
	a: peek-delayed
	a: peek-ready
	a: kick 2
	a: peek-delayed
	a: stats-job 2
	a: stats-job 4
	a: stats-job 3
	a: delete 1
	a: kick 1
	a: stats-tube default`

const kickingUsed = `
	a: use t
	a: put 5 0 100 1\r\na
	a: put 5 5000 100 1\r\nb
	w: watch t
	w: reserve
	w: bury 1 1
	w: kick 10
	a: kick 1
	a: kick 1
	a: kick 1
	a: stats-tube t
	a: stats-tube default
	a: pause-tube t 5000
	w: reserve-with-timeout 0
	w: reserve-job 1
	a: stats`

// kickingWaiting: a client that waits gets the first one kicked, also from a
// kick of many.
const kickingWaiting = `
	a: put 9 5000 100 1\r\na
	a: put 1 6000 100 1\r\nb
	w> reserve
	? current-waiting 1
	a: kick 10
	w< 1
	a: stats-tube default
	a: stats-job 1
	a: stats-job 2
	w: bury 1 0
	w> reserve-with-timeout 0
	w< 1
	w: bury 2 0
	v> reserve
	? current-waiting 1
	a: kick-job 2
	v< 1
	v> reserve
	? current-waiting 1
	a: kick 5
	v< 1
	a: stats`

const kickingJob = `
	a: put 5 0 100 1\r\na
	a: put 5 5000 100 1\r\nb
	a: use t
	a: kick-job 1
	a: kick-job 2
	a: stats-job 2
	a: kick-job 2
	w: reserve
	a: kick-job 1
	w: bury 1 3
	a: kick-job 1
	a: kick-job 1
	a: stats-job 1
	a: kick-job 0
	a: kick-job 18446744073709551615
	a: stats-tube default
	a: stats`

// peeking sees every job by id, and only the used tube without one.
const peeking = `
	a: use t
	a: put 5 0 100 1\r\na
	a: put 4 0 100 2\r\nbb
	a: put 4 0 100 0\r\n
	a: put 4 9000 100 1\r\nc
	a: put 4 8000 100 1\r\nd
	a: peek-ready
	a: peek-delayed
	a: peek-buried
	b: peek-ready
	b: peek-delayed
	b: peek 2
	b: peek 3
	b: peek 5
	b: watch t
	b: reserve
	a: peek 2
	a: peek-ready
	b: bury 2 1
	a: peek-buried
	b: peek-buried
	a: pause-tube t 5000
	a: peek-ready
	a: peek-delayed
	a: peek-buried
	a: delete 3
	a: peek 3
	a: use empty
	a: peek-ready
	a: stats`

// urgent: ready, and a priority below 1024.
const urgent = `
	a: put 1023 0 100 1\r\na
	a: put 1024 0 100 1\r\nb
	a: put 0 5000 100 1\r\nc
	a: stats-tube default
	w: reserve
	a: stats-tube default
	w: release 1 1024 0
	a: stats-tube default
	w: reserve
	w: release 1 1023 0
	a: stats-tube default
	a: kick 1
	a: stats-tube default
	a: delete 3
	a: stats-tube default
	w: reserve
	w: bury 1 0
	a: stats-tube default
	a: kick-job 1
	a: stats-tube default
	a: stats
	w: reserve-job 1
	a: stats`

const deleting = `
	a: use t
	a: put 5 0 100 1\r\na
	a: put 5 5000 100 1\r\nb
	a: put 5 0 100 1\r\nc
	a: put 5 0 100 1\r\nd
	w: watch t
	w: reserve
	w: bury 1 0
	w: reserve
	b: delete 3
	b: delete 1
	b: delete 2
	b: delete 4
	w: delete 3
	w: delete 3
	b: delete 3
	b: stats-tube t
	b: stats
	a: use default
	w: ignore t
	b: stats-tube t
	b: list-tubes`

// counting: what each counter of a job counts, and what it does not.
const counting = `
	a: put 5 0 100 1\r\na
	a: reserve
	a: touch 1
	a: touch 1
	a: release 1 6 0
	a: reserve-job 1
	a: bury 1 7
	a: stats-job 1
	a: kick-job 1
	a: reserve
	a: bury 1 8
	a: kick 1
	a: reserve
	a: release 1 9 5000
	a: stats-job 1
	a: kick-job 1
	a: reserve
	a: quit
	b: stats-job 1
	b: stats-tube default
	b: stats`
