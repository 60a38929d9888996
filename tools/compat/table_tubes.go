package main

import (
	"fmt"
	"strings"
)

// tubeCases are about the life of tubes, and the order in which they are listed.
func tubeCases() []oddCase {
	return []oddCase{
		{name: "tubes/list-order", script: listOrder},
		{name: "tubes/list-hole", script: listHole},
		{name: "tubes/many", script: manyTubes()},
		{name: "tubes/watch-order", script: watchOrder},
		{name: "tubes/watch-many", script: watchMany()},
		{name: "tubes/not-ignored", script: notIgnored},
		{name: "tubes/kept-by-job", script: keptByJob},
		{name: "tubes/kept-by-user", script: keptByUser},
		{name: "tubes/reborn", script: reborn},
		{name: "tubes/default", script: defaultTube},
		{name: "tubes/pause", script: pauseTube},
		{name: "tubes/unpause-pipelined", script: unpausePipelined},
		{name: "tubes/pause-lost", script: pauseLost},
		{name: "tubes/pause-everything-else", script: pauseRest},
		{name: "tubes/pause-several", script: pauseSeveral},
	}
}

const listOrder = `
	a: list-tubes
	a: use b
	a: list-tubes
	a: watch a
	a: list-tubes
	a: watch b
	b: watch z
	b: use y
	b: list-tubes
	a: use default
	a: list-tubes
	a: stats-tube b
	a: ignore b
	a: list-tubes
	b: quit
	a: list-tubes
	a: list-tubes-watched
	a: list-tube-used
	a: stats`

// listHole: the last tube moves into the place of the one that went.
const listHole = `
	a: watch t1
	a: watch t2
	a: watch t3
	a: watch t4
	a: watch t5
	a: list-tubes
	a: ignore t2
	a: list-tubes
	a: list-tubes-watched
	a: ignore t1
	a: list-tubes
	a: list-tubes-watched
	a: ignore default
	a: list-tubes
	a: list-tubes-watched
	a: watch t2
	a: watch t1
	a: list-tubes
	a: list-tubes-watched
	a: ignore t1
	a: ignore t3
	a: list-tubes
	b: watch t6
	b: use t7
	b: watch t8
	b: list-tubes
	a: quit
	b: list-tubes
	b: ignore t6
	b: list-tubes`

func manyTubes() string {
	var s strings.Builder
	for i := range 60 {
		fmt.Fprintf(&s, "c%d: watch w%d\nc%d: use u%d\n", i%7, i*17%60, i%7, i)
	}
	s.WriteString("c0: list-tubes\n")
	for i := range 60 {
		fmt.Fprintf(&s, "c%d: ignore w%d\n", i%7, i*23%60)
		if i%10 == 0 {
			s.WriteString("c0: list-tubes\nc1: list-tubes-watched\n")
		}
	}
	return s.String() + "c3!\nc0: list-tubes\nc4-\nc0: list-tubes\nc5: quit\nc0: list-tubes\nc0: stats\n"
}

const watchOrder = `
	a: watch a
	a: watch b
	a: list-tubes-watched
	a: ignore default
	a: list-tubes-watched
	a: watch default
	a: watch a
	a: watch c
	a: list-tubes-watched
	a: ignore b
	a: list-tubes-watched
	a: ignore b
	a: ignore nowhere
	a: list-tubes-watched
	a: ignore c
	a: ignore a
	a: ignore default
	a: list-tubes-watched`

func watchMany() string {
	var s strings.Builder
	for i := range 300 {
		fmt.Fprintf(&s, "a: watch tube-number-%d\n", i)
	}
	s.WriteString("a: list-tubes-watched\na: list-tubes\n")
	for i := range 300 {
		fmt.Fprintf(&s, "a: ignore tube-number-%d\n", i*7%300)
	}
	return s.String() + "a: list-tubes-watched\na: list-tubes\na: stats\n"
}

const notIgnored = `
	a: ignore default
	a: ignore nowhere
	a: ignore -
	a: watch x
	a: ignore default
	a: ignore default
	a: ignore x
	a: stats
	a: list-tubes
	a: list-tubes-watched`

// keptByJob: a job in any state is reason enough for a tube.
const keptByJob = `
	a: use t
	a: put 0 0 100 1\r\na
	a: use u
	a: put 0 5000 100 1\r\nb
	a: use default
	a: list-tubes
	a: stats-tube t
	a: delete 2
	a: list-tubes
	w: watch t
	w: reserve
	w: ignore t
	a: list-tubes
	w: bury 1 0
	a: list-tubes
	a: stats-tube t
	w: delete 1
	a: list-tubes
	a: stats-tube t
	b: use v
	b+ put 0 0 100 5\r\nab
	? cmd-put 3
	a: list-tubes
	b!
	a: list-tubes`

const keptByUser = `
	a: use t
	b: use t
	c: watch t
	d: stats-tube t
	a: use default
	d: stats-tube t
	b: quit
	d: stats-tube t
	c: ignore t
	d: stats-tube t
	d: list-tubes
	d: ignore t
	d: list-tubes
	d: stats-tube default`

// reborn: nothing is left of a tube that was gone.
const reborn = `
	a: use t
	a: put 0 0 100 1\r\na
	a: delete 1
	a: pause-tube t 5000
	a: stats-tube t
	a: use default
	a: stats-tube t
	a: pause-tube t 0
	a: use t
	a: stats-tube t
	a: list-tubes`

const defaultTube = `
	a: use t
	a: watch t
	a: ignore default
	control: list-tubes
	a: list-tubes
	a: stats-tube default
	a: pause-tube default 5000
	a: use default
	a: use t
	a: stats-tube default
	b: quit
	a: stats-tube default`

const pauseTube = `
	a: use t
	a: stats-tube t
	a: pause-tube t 5000
	a: stats-tube t
	a: pause-tube t 9000
	a: stats-tube t
	a: pause-tube t 0
	a: stats-tube t
	a: pause-tube t 4294967295
	a: stats-tube t
	a: pause-tube nowhere 0
	a: pause-tube t 4294967296
	a: pause-tube -t 0
	a: stats
	w: watch t
	a: put 0 0 100 1\r\na
	w: reserve-with-timeout 0
	w> reserve
	? current-waiting 1
	a: pause-tube t 0
	w< 1
	w+ pause-tube t 5000\r\nrelease 1 0 0\r\nreserve-with-timeout 0\r\npause-tube t 0\r\n
	w< 4
	w: reserve-with-timeout 0
	a: stats-tube t`

// unpausePipelined: a pause of length 0 ends at once, and the waiters are served. The
// reference does that before or after the next pipelined command, depending on its
// clock, so the script has no command that would show the difference.
const unpausePipelined = `
	a: put 5 0 100 1\r\na
	a: pause-tube default 5000
	w> reserve
	? current-waiting 1
	a+ pause-tube default 0\r\nlist-tube-used\r\n
	a< 2
	w< 1
	a: stats-tube default
	a: stats-job 1
	a: reserve-job 1
	w: release 1 5 0
	w: pause-tube default 5000
	w+ pause-tube default 0\r\nlist-tube-used\r\n
	w< 2
	w: reserve-with-timeout 0
	w: stats-tube default`

const pauseLost = `
	a: use t
	a: pause-tube t 5000
	a: use default
	a: list-tubes
	a: use t
	a: put 0 0 100 1\r\na
	w: watch t
	w: reserve
	a: stats-tube t`

// pauseRest: a pause stops reserve, and nothing else.
const pauseRest = `
	a: put 5 0 100 1\r\na
	a: put 5 5000 100 1\r\nb
	w: reserve
	a: pause-tube default 5000
	a: put 4 0 100 1\r\nc
	a: peek-ready
	a: kick 5
	w: touch 1
	w: release 1 3 0
	a: peek-ready
	w: reserve-with-timeout 0
	w: reserve-job 1
	w: bury 1 0
	a: kick 5
	a: delete 3
	w: reserve-job 2
	w-
	a: stats-tube default
	a: stats`

const pauseSeveral = `
	a: use t1
	a: put 1 0 100 1\r\na
	a: use t2
	a: put 2 0 100 1\r\nb
	a: use t3
	a: put 3 0 100 1\r\nc
	w: watch t1
	w: watch t2
	w: watch t3
	a: pause-tube t1 5000
	a: pause-tube t2 5000
	w: reserve
	w> reserve
	? current-waiting 1
	a: put 0 0 100 1\r\nd
	w< 1
	w> reserve
	? current-waiting 1
	a: pause-tube t2 0
	w< 1
	a: pause-tube t1 0
	w: reserve
	a: stats`
