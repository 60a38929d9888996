package main

import (
	"fmt"
	"strings"
)

// differingCases are scripts in which beanfield differs on purpose. Lines that
// do so stand with their like.
func differingCases() []oddCase {
	return []oddCase{
		{name: "differs/fifo", script: fifo},
		{name: "differs/fifo-twice", script: fifoTwice},
		{name: "differs/unfinished", script: unfinished},
		{name: "differs/reserve-timeout-after-deadline-soon", script: bugD},
	}
}

const inOrder = "differs: waiters are served first come, first served\n"

// fifo: ten clients wait; the reference serves them 1 2 3 4 5 10 9 8 7 6.
var fifo = func() string {
	var s strings.Builder
	for i := range 10 {
		fmt.Fprintf(&s, "w%d> reserve\n? current-waiting %d\n", i, i+1)
	}
	for i := range 10 {
		fmt.Fprintf(&s, "a: put 0 0 100 1\\r\\n%d\n", i)
	}
	for i := range 10 {
		if i >= 5 && i != 7 { // the reference's order meets ours there
			fmt.Fprintf(&s, "%swant: RESERVED %d 1\\r\\n%d\\r\\n\n", inOrder, i+1, i)
		}
		fmt.Fprintf(&s, "w%d< 1\n", i)
	}
	return s.String()
}()

// fifoTwice: a worker that comes back queues up behind the other one; the
// reference serves it again at once.
const fifoTwice = `
	w1> reserve
	? current-waiting 1
	w2> reserve
	? current-waiting 2
	a: put 0 0 100 1\r\na
	w1< 1
	w1> reserve
	? current-waiting 2
	a: put 0 0 100 1\r\nb
	` + inOrder + `
	want: RESERVED 2 1\r\nb\r\n
	w2< 1`

const arriving = "differs: a job whose body is still arriving is not visible to anybody\n"

// unfinished: the reference shows the job, and memory that was never written.
var unfinished = `
	a+ put 5 0 100 300\r\nab
	? cmd-put 1
	` + arriving + `
	want: NOT_FOUND\r\n
	b: stats-job 1
	` + arriving + `
	want: NOT_FOUND\r\n
	b: peek 1
	b: delete 1
	b: kick-job 1
	b: reserve-job 1
	b: peek-ready
	b: stats-tube default
	b: reserve-with-timeout 0`

// bugD: after DEADLINE_SOON the reference forgets the deadline of a job that was
// touched, if the reserve had a timeout before it.
const bugD = `
	a: put 5 0 3 1\r\nx
	a: reserve
	a> reserve-with-timeout 2
	a< 1
	a: touch 1
	b> reserve
	wait 3600ms
	differs: bug D: the reference never times the job out
	want: RESERVED 1 1\r\nx\r\n
	b-`
