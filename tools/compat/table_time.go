package main

// timeCases are those in which a clock decides. A reply's time is held against
// the clock as well: never early, and not much late.
func timeCases() []oddCase {
	return []oddCase{
		{name: "time/timeout", script: timeTimeout},
		{name: "time/delay", script: timeDelay},
		{name: "time/delay-order", script: timeDelayOrder},
		{name: "time/delay-unseen", script: timeDelayUnseen},
		{name: "time/release-delay", script: timeReleaseDelay},
		{name: "time/pause", script: timePause},
		{name: "time/pause-unseen", script: timePauseUnseen},
		{name: "time/pause-replaced", script: timePauseReplaced},
		{name: "time/pause-over-delay", script: timePauseDelay},
		{name: "time/pause-over-ttr", script: timePauseTTR},
		{name: "time/ttr", script: timeTTR},
		{name: "time/ttr-order", script: timeTTROrder},
		{name: "time/ttr-waiting", script: timeTTRWaiting},
		{name: "time/touch", script: timeTouch},
		{name: "time/deadline-soon-1", script: soonOne},
		{name: "time/deadline-soon-2", script: soonTwo},
		{name: "time/deadline-soon-ready", script: soonReady},
		{name: "time/deadline-soon-paused", script: soonPaused},
		{name: "time/deadline-soon-timeout", script: soonTimeout},
		{name: "time/deadline-soon-others", script: soonOthers},
		{name: "time/deadline-soon-half-closed", script: soonHalfClosed},
		{name: "time/ttr-zero", script: timeZero},
		{name: "time/two-timeouts", script: timeTwo},
	}
}

const timeTimeout = `
	a> reserve-with-timeout 1
	a< 1 after 1s
	a> reserve-with-timeout 2\r\nlist-tube-used
	a< 2 after 2s
	a: stats
	b> reserve-with-timeout 3
	? current-waiting 1
	a: put 0 0 100 1\r\nx
	b< 1
	b: reserve-with-timeout 0
	b: stats-job 1`

const timeDelay = `
	a> put 5 1 100 1\r\na\r\nreserve
	a< 1
	a< 1 after 1s
	a: stats-job 1
	a> release 1 5 2\r\nreserve-with-timeout 5
	a< 1
	a< 1 after 2s
	a: stats-job 1
	a: stats`

// timeDelayOrder: who is due first comes first, whatever its priority; with
// nobody waiting, the priority decides.
const timeDelayOrder = `
	a: put 1 2 100 1\r\na
	a: put 9 1 100 1\r\nb
	w: reserve
	w: reserve
	w: delete 1
	w: delete 2
	a: put 9 1 100 1\r\nc
	a: put 1 1 100 1\r\nd
	a: put 5 1 100 1\r\ne
	? current-jobs-ready 3
	w: reserve
	w: reserve
	w: reserve
	a: stats`

const timeDelayUnseen = `
	a: use t
	a: put 1000 1 100 1\r\na
	a: stats-tube t
	a: peek-ready
	b? stats-tube t | current-jobs-ready 1
	a: stats-tube t
	a: peek-delayed
	a: peek-ready
	a: stats-job 1
	a: stats`

const timeReleaseDelay = `
	a: put 5 0 100 1\r\na
	a: put 6 0 100 1\r\nb
	w: reserve
	w: release 1 0 1
	w: reserve
	w: reserve
	w: stats-job 1
	w: stats`

const timePause = `
	a: put 5 0 100 1\r\na
	a> pause-tube default 1\r\nreserve
	a< 1
	a< 1 after 1s
	a: stats-tube default
	b: watch t
	b> pause-tube t 2\r\nreserve
	b< 1
	a: use t
	a: put 5 0 100 1\r\nb
	b< 1
	b: stats-tube t`

const timePauseUnseen = `
	a: use t
	a: put 5 0 100 1\r\na
	a: pause-tube t 1
	a: stats-tube t
	b? stats-tube t | pause 0
	a: stats-tube t
	w: watch t
	w: reserve-with-timeout 0`

const timePauseReplaced = `
	a: put 5 0 100 1\r\na
	a: pause-tube default 5000
	a> pause-tube default 1\r\nreserve
	a< 1
	a< 1 after 1s
	a: release 1 5 0
	a: pause-tube default 1
	a: pause-tube default 5000
	wait 1100ms
	a: reserve-with-timeout 0
	a: stats-tube default
	a: pause-tube default 0
	a: reserve-with-timeout 0`

// timePauseDelay: a delay ends in a paused tube, and only the pause's end serves.
const timePauseDelay = `
	a: watch t
	a: use t
	b: use t
	b: put 5 1 100 1\r\na
	a> pause-tube t 2\r\nreserve
	a< 1
	b? stats-tube t | current-jobs-ready 1
	b: peek-ready
	b: stats-tube t
	a< 1 after 2s
	a: stats-tube t`

const timePauseTTR = `
	a: put 5 0 1 1\r\na
	a: reserve
	b> pause-tube default 2\r\nreserve
	b< 1
	a? stats-job 1 | state ready
	a: stats-tube default
	b< 1 after 2s
	b: delete 1
	b: stats`

// The reference may miss an expiry until the holder does something (bug C), so
// in what follows it is the holder that looks.

const timeTTR = `
	a: put 5 0 1 1\r\na
	a: reserve
	a: stats-job 1
	a? stats-job 1 | state ready
	a: stats-job 1
	a: touch 1
	a: release 1 1 0
	a: bury 1 1
	a: stats
	b: reserve
	b: delete 1
	b: stats`

// timeTTROrder: an expired job goes back to its rank.
const timeTTROrder = `
	a: put 5 0 1 1\r\na
	a: put 5 0 100 1\r\nb
	a: put 4 0 2 1\r\nc
	w: reserve
	w: reserve
	w? stats-job 1 | state ready
	w: peek-ready
	w? stats-job 3 | state ready
	w: peek-ready
	w: stats-tube default
	w: delete 1
	w: reserve
	w: stats-job 3
	w: stats`

// timeTTRWaiting: the holder itself waits for more, with a second job in hand
// that keeps its margin away.
const timeTTRWaiting = `
	a: put 5 0 1 1\r\na
	a: reserve
	b> reserve
	? current-waiting 1
	a? stats-job 1 | timeouts 1
	b< 1
	a: delete 1
	a: stats-job 1
	b? stats-job 1 | timeouts 2
	a: delete 1
	a: stats`

const timeTouch = `
	a: put 5 0 2 1\r\na
	a: reserve
	wait 1200ms
	a: touch 1
	wait 1200ms
	a: touch 1
	a: stats-job 1
	a: release 1 5 0
	a: touch 1
	a: stats`

// soonOne: a job of one second is in the margin from the start.
const soonOne = `
	a: put 5 0 1 1\r\na
	a: reserve
	a: reserve
	a: reserve-with-timeout 0
	a: reserve-with-timeout 10
	a: reserve-job 1
	a: stats
	a? stats-job 1 | state ready
	a: reserve
	a: delete 1
	a: reserve-with-timeout 0`

const soonTwo = `
	a: put 5 0 2 1\r\na
	a> reserve\r\nreserve-with-timeout 0\r\nreserve
	a< 2
	a< 1 after 1s
	a: reserve
	a: reserve-with-timeout 0
	a> touch 1\r\nreserve-with-timeout 0\r\nreserve-with-timeout 10
	a< 2
	a< 1 after 1s
	a: release 1 5 0
	a: reserve
	a: delete 1
	a: stats`

// soonReady: a ready job wins over DEADLINE_SOON.
const soonReady = `
	a: put 5 0 1 1\r\na
	a: reserve
	b: put 9 0 100 1\r\nb
	a: reserve
	a: reserve
	b: use t
	b: put 9 0 100 1\r\nc
	a: reserve
	a: watch t
	a: reserve
	a: stats`

// soonPaused: a ready job that is paused lets a client wait, only to be told at
// the next turn.
const soonPaused = `
	a: put 5 0 1 1\r\na
	a: reserve
	b: put 9 0 100 1\r\nb
	b: pause-tube default 5000
	a: reserve
	a: reserve-with-timeout 0
	a: reserve-with-timeout 10
	a: stats`

// soonTimeout: a timeout before the margin is a timeout; both at once is
// DEADLINE_SOON.
const soonTimeout = `
	a: put 5 0 3 1\r\na
	a: reserve
	a> reserve-with-timeout 1
	a< 1 after 1s
	a> reserve-with-timeout 3
	a< 1
	a: delete 1
	a: reserve-with-timeout 0`

const soonOthers = `
	a: put 5 0 1 1\r\na
	a: reserve
	b: reserve-with-timeout 0
	a: reserve
	b> reserve
	? current-waiting 1
	a: release 1 5 0
	b< 1
	a: reserve-with-timeout 0
	b: reserve
	b: bury 1 5
	b: reserve-with-timeout 0
	a: stats`

const soonHalfClosed = `
	a: put 5 0 1 1\r\na
	a+ reserve\r\nreserve\r\nreserve\r\nstats-job 1\r\n
	a-
	b: stats-job 1
	b: reserve
	b: stats`

const timeZero = `
	a: put 5 0 0 1\r\na
	a: stats-job 1
	a: reserve
	a: reserve
	a? stats-job 1 | state ready
	a: stats-job 1`

const timeTwo = `
	a: watch t
	a: ignore default
	a> reserve-with-timeout 1
	b> reserve-with-timeout 2
	a< 1
	b< 1
	a: stats`
