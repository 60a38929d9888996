package main

import "strings"

// closeCases are about the end of a connection, and what it does to jobs.
func closeCases() []oddCase {
	return []oddCase{
		{name: "close/quit", lines: texts(
			"quit\r\n", "quit\r\nuse a\r\n", "use a\r\nquit\r\nput 0 0 1 1\r\nx\r\n", "quit\r\nquit\r\n", "stats-tube default\r\nquit\r\nfoo",
			"put 0 0 100 1\r\nx\r\nreserve\r\nquit\r\ndelete 1\r\n", "put 0 0 100 9\r\nquit\r\n", "put 0 0 100 4\r\nquit\r\nquit\r\n"+after,
			"quit", "quit\n", "quit\r", "quit\r\n\r\n", "quit\r\n"+strings.Repeat("x", 3000)+"\r\n",
		)},
		{name: "close/half", lines: texts(
			"use a\r\nuse b\r\nuse c\r\n", "use a\r\nuse b\r\nus", strings.Repeat("list-tube-used\r\n", 300),
			strings.Repeat("put 0 0 100 10\r\n0123456789\r\n", 200)+after, strings.Repeat("reserve-with-timeout 0\r\n", 100),
			strings.Repeat("stats\r\n", 50), "x\r\n"+everything+everything, everything+"reserve\r\n"+everything,
			strings.Repeat("list-tubes\r\nfoo\r\n", 100),
		)},
		{name: "close/reserved", script: closeReserved},
		{name: "close/order", script: closeOrder},
		{name: "close/to-waiting", script: closeToWaiting},
		{name: "close/tubes", script: closeTubes},
		{name: "close/tube-order", script: closeTubeOrder},
		{name: "close/tube-order-used", script: closeTubeOrderUsed},
		{name: "close/reset", script: closeReset},
		{name: "close/mid-body", script: closeMidBody},
		{name: "close/paused", script: closePaused},
	}
}

// everything is many commands in one go.
const everything = "use t\r\nwatch t\r\nput 3 0 500 4\r\nquit\r\nput 2 9000 500 0\r\n\r\npeek-ready\r\npeek-delayed\r\npeek-buried\r\n" +
	"reserve\r\nreserve-with-timeout 0\r\nkick 1\r\nreserve\r\nbury 1 5\r\nbury 2 4\r\nkick-job 1\r\nkick 9\r\nreserve-job 2\r\ntouch 2\r\n" +
	"release 2 0 7000\r\nstats-job 1\r\nstats-job 2\r\nstats-tube t\r\nlist-tubes\r\nlist-tubes-watched\r\nlist-tube-used\r\n" +
	"pause-tube t 600\r\nreserve-with-timeout 0\r\npause-tube t 0\r\ndelete 1\r\nstats\r\nignore t\r\nuse default\r\n"

// closeReserved: jobs go back as they were, counted as nothing.
const closeReserved = `
	a: put 5 0 100 1\r\na
	a: put 2000 0 100 1\r\nb
	a: put 5 9000 100 1\r\nc
	a: put 1 0 100 1\r\nd
	w: reserve
	w: bury 4 1
	w: reserve
	w: reserve
	w: reserve-job 3
	w: reserve-job 4
	a: stats
	w-
	a: stats-job 1
	a: stats-job 2
	a: stats-job 3
	a: stats-job 4
	a: stats-tube default
	a: stats
	a: peek-ready
	a: peek-buried
	a: peek-delayed`

// closeOrder: in the order of reserving, by (priority, id) afterwards.
const closeOrder = `
	a: put 5 0 100 1\r\na
	a: put 1 0 100 1\r\nb
	a: put 3 0 100 1\r\nc
	w: reserve-job 1
	w: reserve-job 3
	w: reserve-job 2
	w-
	v: reserve
	v: reserve
	v: reserve
	v: release 1 0 0
	v: quit
	u: reserve
	u: reserve
	u: reserve
	a: stats`

// closeToWaiting: one who waits gets the job that was reserved first, whatever
// its priority, because each goes back by itself.
const closeToWaiting = `
	a: use t1
	a: put 9 0 100 1\r\na
	a: use t2
	a: put 1 0 100 1\r\nb
	a: put 0 0 100 1\r\nc
	w: reserve-job 1
	w: reserve-job 2
	w: reserve-job 3
	v: watch t1
	v: watch t2
	v> reserve
	? current-waiting 1
	w: quit
	v< 1
	v: reserve
	v: reserve
	a: stats
	x: reserve-job 1
	v> reserve
	? current-waiting 1
	y> use t1\r\nreserve-job 1\r\nput 9 0 100 1\r\nd
	y< 3
	v< 1
	a: stats`

const closeTubes = `
	a: use t1
	a: watch t2
	a: watch t3
	b: watch t4
	b: list-tubes
	a: quit
	b: list-tubes
	c: use t5
	c: put 0 0 100 1\r\nx
	c: watch t5
	c: reserve
	c: quit
	b: list-tubes
	b: stats-tube t5
	b: stats-job 1
	d: watch t6
	d: use t7
	d: use t8
	d!
	b: list-tubes
	b: delete 1
	b: list-tubes`

// closeTubeOrder: the order in which a connection gives up its tubes shows in
// the list, because each leaves a hole for the last one.
const closeTubeOrder = `
	a: watch t1
	a: watch t2
	a: watch t3
	a: watch t4
	b: watch z1
	b: watch z2
	b: watch z3
	b: watch z4
	b: watch z5
	b: watch z6
	a: list-tubes
	a: quit
	b: list-tubes`

const closeTubeOrderUsed = `
	a: use u
	a: watch t1
	a: watch t2
	b: watch z1
	b: watch z2
	b: watch z3
	b: watch z4
	a: ignore default
	a-
	b: list-tubes
	c: watch v1
	c: use v2
	c: watch v3
	b: watch z5
	b: watch z6
	b: use z7
	c!
	b: list-tubes`

const closeReset = `
	a: put 0 0 100 1\r\na
	a: put 0 0 100 1\r\nb
	w: reserve
	w: watch t
	w!
	a: stats-job 1
	a: list-tubes
	v: reserve
	v: reserve
	v> reserve
	? current-waiting 1
	v!
	a: stats
	a: stats-tube default
	u: use u
	u+ put 0 0 100 5\r\nab
	? cmd-put 3
	u!
	a: list-tubes
	a: put 0 0 100 1\r\nc
	a: stats`

// closeMidBody: a body that never ends leaves nothing but a gap in the ids.
const closeMidBody = `
	a: use t
	a+ put 0 0 100 5\r\nab
	? cmd-put 1
	b: list-tubes
	b: stats
	a-
	b: list-tubes
	b: stats
	b: put 0 0 100 1\r\nx
	c+ use u\r\nput 0 0 100 70000\r\nab
	c< 1
	c-
	b: stats
	d+ put 0 0 100 0\r\n
	? cmd-put 4
	d-
	b: put 0 0 100 1\r\nx
	b: stats`

const closePaused = `
	a: use t
	a: put 5 0 100 1\r\na
	w: watch t
	w: reserve
	a: pause-tube t 5000
	v: watch t
	v> reserve
	? current-waiting 1
	w-
	a: peek-ready
	a: stats-tube t
	a: pause-tube t 0
	v< 1
	a: stats-tube t`
