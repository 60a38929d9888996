package main

import (
	"fmt"
	"strings"
)

// reserveCases are about who gets which job, where no clock is involved.
func reserveCases() []oddCase {
	return []oddCase{
		{name: "reserve/order", script: reserveOrder},
		{name: "reserve/order-over-tubes", script: reserveTubes},
		{name: "reserve/watched-only", script: reserveWatched},
		{name: "reserve/waiting", script: reserveWaiting},
		{name: "reserve/waiting-counted", script: waitingCounted},
		{name: "reserve/waiting-on-many", script: reserveMany},
		{name: "reserve/pipelined", script: reservePipelined},
		{name: "reserve/behind-itself", script: reserveBehind},
		{name: "reserve/half-close", lines: texts(
			"reserve\r\n", "reserve\r\nuse a\r\nlist-tubes\r\n", "use b\r\nreserve\r\nlist-tube-used\r\nreserve\r\nstats-tube b\r\n",
			"reserve-with-timeout 100\r\n"+after, "reserve\r\nquit\r\n"+after, "reserve\r\nreserve\r\nreserve\r\n",
			"put 0 0 100 1\r\nx\r\nreserve\r\nreserve\r\n"+after, "reserve\r\nput 0 0 100 1\r\nx\r\nreserve\r\n",
			"reserve\r\ndelete 1\r\ndelete 2\r\nreserve\r\n",
		)},
		{name: "reserve/half-close-waiting", script: halfClosedWaiting},
		{name: "reserve/job", script: reserveJob},
		{name: "reserve/worker", maxJob: 10, script: reserveWorker},
		{name: "reserve/hundred", script: reserveHundred()},
		{name: "reserve/bodies", script: reserveBodies()},
		{name: "reserve/paused-job", script: reservePaused},
		{name: "reserve/died-waiting", script: diedWaiting},
	}
}

const reserveOrder = `
	a: put 5 0 100 1\r\na
	a: put 4 0 100 1\r\nb
	a: put 5 0 100 1\r\nc
	a: put 4294967295 0 100 1\r\nd
	a: put 0 0 100 1\r\ne
	a: put 1024 0 100 1\r\nf
	a: put 4 0 100 1\r\ng
	w: reserve
	w: reserve
	w: reserve-with-timeout 0
	w: reserve-with-timeout 1000
	w: reserve
	w: reserve
	w: reserve
	w: reserve-with-timeout 0
	w: stats-tube default
	w-
	a: reserve
	a: stats`

// reserveTubes: the smallest (priority, id) of all watched tubes, no rotation
// among them and no order of watching.
const reserveTubes = `
	a: use t3
	a: put 5 0 100 1\r\na
	a: use t1
	a: put 5 0 100 1\r\nb
	a: use t2
	a: put 5 0 100 1\r\nc
	a: put 4 0 100 1\r\nd
	a: use t1
	a: put 4 0 100 1\r\ne
	a: use t3
	a: put 3 0 100 1\r\nf
	a: put 5 0 100 1\r\ng
	w: watch t1
	w: watch t2
	w: watch t3
	w: reserve
	w: reserve
	w: reserve
	w: pause-tube t3 5000
	w: reserve
	w: reserve
	w: reserve-with-timeout 0
	w: pause-tube t3 0
	w: reserve
	w: reserve
	w: reserve-with-timeout 0
	w: stats`

const reserveWatched = `
	a: use t
	a: put 0 0 100 1\r\na
	a: use default
	a: put 9 0 100 1\r\nb
	w: reserve
	w: reserve-with-timeout 0
	w: watch t
	w: ignore default
	w: release 2 0 0
	w: reserve
	w: reserve-with-timeout 0
	w: ignore t
	w: watch default
	w: ignore t
	w: reserve
	a: stats`

// reserveWaiting: one client waits, and gets what comes by every way.
const reserveWaiting = `
	w> reserve
	? current-waiting 1
	a: stats-tube default
	a: put 5 0 100 1\r\na
	w< 1
	w> reserve-with-timeout 5000
	? current-waiting 1
	a: put 5 5000 100 1\r\nb
	a: kick-job 2
	w< 1
	b> reserve
	? current-waiting 1
	w: release 2 7 0
	b< 1
	w> reserve
	? current-waiting 1
	b-
	w< 1
	v> reserve
	? current-waiting 1
	w: bury 2 0
	a: kick 1
	v< 1
	w> release 1 0 0\r\nreserve
	w< 2
	a: stats
	a: stats-job 2`

// waitingCounted: a client that was served no longer counts as waiting, not even for
// the next command of the client that put the job.
const waitingCounted = `
	w: watch t1
	w: watch t2
	w: watch t3
	w> reserve
	? current-waiting 1
	a+ put 5 0 100 1\r\na\r\nstats\r\nstats-tube default\r\nstats-tube t2\r\n
	a< 4
	w< 1
	w> reserve-with-timeout 1000
	? current-waiting 1
	a+ pause-tube default 5000\r\nput 5 0 100 1\r\nb\r\npause-tube default 0\r\n
	a< 3
	w< 1
	a: stats
	a: stats-tube default
	w: delete 1
	v> reserve
	? current-waiting 1
	w+ release 2 5 0\r\nstats\r\n
	w< 2
	v< 1
	v+ bury 2 5\r\nreserve\r\n
	v< 1
	? current-waiting 1
	w+ kick 1\r\nstats\r\n
	w< 2
	v< 1`

const reserveMany = `
	w: watch t1
	w: watch t2
	w: ignore default
	w> reserve
	? current-waiting 1
	a: put 0 0 100 1\r\nd
	a: stats-tube default
	a: stats-tube t1
	a: stats-tube t2
	a: use t2
	a: put 0 0 100 1\r\na
	w< 1
	a: stats-tube t1
	a: use t1
	a: put 0 0 100 1\r\nb
	w: stats-tube t1
	w: reserve
	w> reserve
	? current-waiting 1
	a+ put 9 0 100 1\r\nc\r\nput 1 0 100 1\r\nd\r\n
	a< 2
	w< 1
	w: reserve
	a: stats`

// reservePipelined: what stands behind a blocked reserve is not even read.
const reservePipelined = `
	w+ use u\r\nreserve\r\nuse v\r\nlist-tube-used\r\nput 0 0 100 1\r\nq\r\n
	w< 1
	? current-waiting 1
	a: list-tubes
	a: stats-tube u
	a: put 0 0 100 1\r\nx
	w< 4
	a: list-tubes
	w: stats-tube v
	x+ reserve\r\nfoo\r\n\r\nput 0 0 100 x\r\nreserve-with-timeout 0\r\ndelete 1\r\n
	? current-waiting 1
	a: put 0 0 100 1\r\ny
	x< 6
	a: stats`

const reserveBehind = `
	w+ reserve\r\nreserve\r\nreserve\r\nstats-tube default\r\n
	? current-waiting 1
	a: put 3 0 100 1\r\na
	w< 1
	? current-waiting 1
	a: put 2 0 100 1\r\nb
	w< 1
	? current-waiting 1
	a: put 1 0 100 1\r\nc
	w< 2
	a: stats`

const halfClosedWaiting = `
	w+ reserve\r\nuse x\r\nput 0 0 100 1\r\nz\r\nstats-tube x\r\n
	? current-waiting 1
	w-
	v: use y
	v> reserve-with-timeout 1000
	? current-waiting 1
	v-
	a: list-tubes
	a: stats`

const reserveJob = `
	a: put 5 0 100 1\r\na
	a: put 5 9000 100 1\r\nb
	a: use t
	a: put 5 0 100 1\r\nc
	a: pause-tube t 5000
	w: reserve-job 2
	w: stats-job 2
	w: reserve-job 2
	b: reserve-job 2
	w: reserve-job 3
	b: reserve-job 1
	w: reserve-job 1
	b: bury 1 0
	w: reserve-job 1
	w: stats-job 1
	w: reserve-job 4
	w: reserve-job 0
	w: list-tubes-watched
	w: stats
	w: release 2 1 0
	w: release 3 1 0
	w: stats-tube t
	w-
	a: stats-job 1
	a: stats-job 2
	a: stats-job 3
	a: stats`

// reserveWorker: what makes a worker and a producer, and what does not.
const reserveWorker = `
	a: stats
	a: reserve-job 1
	a: stats
	a: put 0 0 100 x
	a: stats
	a: put 0 0 100 11\r\nxxxxxxxxxxx
	a: stats
	b: put 0 0 100 1\r\nx
	b: stats
	b: reserve-job 1
	b: stats
	c: reserve-with-timeout 0
	c: stats
	c: put 0 0 100 1\r\nx
	c: stats
	c: quit
	b: stats`

func reserveHundred() string {
	var s strings.Builder
	for i := range 100 {
		fmt.Fprintf(&s, "a: use t%d\na: put %d 0 100 2\\r\\n%02d\nw: watch t%d\n", i%10, i*7%13, i, i%10)
	}
	for range 101 {
		s.WriteString("w: reserve-with-timeout 0\n")
	}
	for i := range 100 {
		fmt.Fprintf(&s, "w: release %d %d 0\n", (i*37)%100+1, i%5)
	}
	for range 101 {
		s.WriteString("w: reserve-with-timeout 0\n")
	}
	return s.String()
}

// reserveBodies sends bodies of many sizes back, large ones too.
func reserveBodies() string {
	var s strings.Builder
	for i, n := range []int{0, 1, 2, 100, 200, 222, 223, 224, 225, 1000, 4095, 4096, 4097, 16384, 65535} {
		fmt.Fprintf(&s, "a: put 0 0 100 %d\\r\\n%s\npeek: peek %d\nw: reserve\nw: delete %d\n", n, strings.Repeat("\\x00", n), i+1, i+1)
	}
	return s.String()
}

const reservePaused = `
	a: put 5 0 100 1\r\na
	a: pause-tube default 5000
	w: reserve-with-timeout 0
	w> reserve
	? current-waiting 1
	a: put 1 0 100 1\r\nb
	a: stats-tube default
	a: peek-ready
	b: reserve-job 1
	b: release 1 0 0
	a: kick 5
	a: pause-tube default 0
	w< 1
	w: reserve
	a: stats-tube default`

const diedWaiting = `
	w: watch t
	w> reserve
	? current-waiting 1
	w!
	a: stats
	a: put 5 0 100 1\r\na
	a: peek-ready
	v: reserve
	v> reserve
	? current-waiting 1
	v!
	a: stats-job 1
	a: stats
	a: list-tubes`
