package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// statsCases are about every figure of stats, stats-tube and stats-job.
func statsCases() []oddCase {
	return []oddCase{
		{name: "stats/fresh", script: "control: stats\ncontrol: stats-tube default\ncontrol: list-tubes\ncontrol: list-tube-used\n" +
			"control: list-tubes-watched\ncontrol: stats"},
		{name: "stats/every-command", maxJob: 10, script: everyCommand()},
		{name: "stats/refused-count-not", script: refusedCommands()},
		{name: "stats/connections", script: connectionCounts},
		{name: "stats/tube", script: tubeFigures},
		{name: "stats/job", script: jobFigures},
		{name: "stats/odd-names", lines: texts(
			"use 1\r\nstats-tube 1\r\n", "use true\r\nstats-tube true\r\n", "use ~\r\n", "use 0x1\r\nstats-tube 0x1\r\n",
			"use a;b\r\nput 0 0 1 0\r\n\r\nstats-tube a;b\r\nstats-job 1\r\n", "use null\r\nput 0 0 1 0\r\n\r\nstats-job 2\r\nlist-tubes\r\n",
			"watch 1.5\r\nwatch +\r\nlist-tubes-watched\r\n", "use $_()/\r\nstats-tube $_()/\r\nlist-tubes\r\n",
			"use "+strings.Repeat("n", 200)+"\r\nstats-tube "+strings.Repeat("n", 200)+"\r\n",
		)},
		{name: "stats/misleading-names", lines: misleadingLines()},
	}
}

// everyCommand looks at the counters after each command, successful or not.
func everyCommand() string {
	var s strings.Builder
	for _, c := range []string{
		`put 1 0 100 1\r\nx`, `put 1 0 100 1\r\nx`, `put 1 0 100 11\r\nxxxxxxxxxxx`, "peek 1", "peek 99", "peek-ready", "peek-delayed",
		"peek-buried", "reserve", "reserve-with-timeout 0", "reserve-with-timeout 0", "reserve-job 99", "touch 1", "touch 99",
		"release 1 1 5000", "release 99 1 1", "kick 1", "kick 1", "kick-job 1", "kick-job 99", "reserve-job 1", "bury 1 1", "bury 99 1",
		"kick-job 1", "delete 1", "delete 1", "use u", "watch w", "ignore w", "ignore nowhere", "ignore default", "stats", "stats-job 2",
		"stats-job 99", "stats-tube u", "stats-tube nowhere", "list-tubes", "list-tube-used", "list-tubes-watched", "pause-tube u 5000",
		"pause-tube nowhere 0", "pause-tube u 0", "foo", "",
	} {
		s.WriteString("a: " + c + "\na: stats\n")
	}
	return s.String()
}

// refusedCommands: a bad format counts nowhere, with one exception.
func refusedCommands() string {
	var s strings.Builder
	for _, c := range []string{
		"put", "put ", "put x", "put 0 0 1 x", "put 0 0 1 1 ", "peek ", "peek x", "peek-readyx", "peek-delayed ", "peek-buried ",
		"reserve ", "reservex", "reserve-with-timeout", "reserve-with-timeout 99999999999999999999", "reserve-job x", "delete x", "release x 1 1",
		"release 1 1", "bury x 1", "kick x", "kick-job x", "touch x", "stats ", "stats-foo", "stats-job x", "stats-tube -", "use -", "use a b",
		"watch -", "ignore -", "list-tubes ", "list-tube-used ", "list-tubes-watched ", "pause-tube", "pause-tube x", "pause-tube -x 0",
		"pause-tube -x y", "pause-tube default 0 ", "pause-tube " + strings.Repeat("n", 201) + " 0",
	} {
		s.WriteString("a: " + c + "\na: stats\n")
	}
	return s.String()
}

const connectionCounts = `
	a: stats
	b: stats
	b: put 0 0 100 1\r\nx
	b: reserve
	b: stats
	b: quit
	a: stats
	c: put 0 0 100 1\r\nx
	d: reserve
	d: reserve
	d> reserve
	? current-waiting 1
	a: stats
	d!
	a: stats
	c!
	a: stats
	a: reserve
	a: reserve
	a> reserve
	? current-waiting 1
	control: stats
	a-
	control: stats`

const tubeFigures = `
	a: use t
	a: stats-tube t
	a: put 1 0 100 1\r\na
	a: put 2000 0 100 1\r\nb
	a: put 1 5000 100 1\r\nc
	a: stats-tube t
	w: watch t
	w: stats-tube t
	w: reserve
	a: stats-tube t
	w: bury 1 1
	a: stats-tube t
	w: reserve
	w> reserve
	? current-waiting 1
	a: stats-tube t
	a: stats-tube default
	v: use t
	v: watch t
	v: stats-tube t
	a: delete 1
	a: delete 3
	a: delete 99
	a: stats-tube t
	a: pause-tube t 5000
	a: pause-tube t 6000
	a: stats-tube t
	w-
	v: stats-tube t`

const jobFigures = `
	a: put 4294967295 4294967295 4294967295 1\r\na
	a: stats-job 1
	a: put 0 0 0 0\r\n
	a: stats-job 2
	a: use t
	a: put 7 0 300 1\r\nc
	a: stats-job 3
	w: watch t
	w: reserve
	w: reserve
	w: stats-job 3
	w: release 3 8 400
	w: stats-job 3
	w: kick-job 3
	w: stats-job 3
	w: reserve
	w: touch 3
	a: stats-job 3
	w: bury 3 9
	a: stats-job 3
	a: kick-job 3
	a: stats-job 3
	a: stats-job 4
	a: stats-job 0
	a: stats-job 18446744073709551615`

// misleadingLines have each name that YAML readers take for something else in
// every reply where it stands.
func misleadingLines() []line {
	var all []string
	names := append(slices.Sorted(maps.Keys(misleadingNames)), "1", "017", "1e3", ".", "1.2.3", "10.0.0.1")
	for _, n := range names {
		all = append(all, "use "+n+"\r\nwatch "+n+"\r\nput 0 0 1 0\r\n\r\nstats-tube "+n+"\r\nlist-tubes\r\nlist-tube-used\r\n"+
			"list-tubes-watched\r\npeek-ready\r\nreserve\r\n")
	}
	for id := range names {
		all = append(all, fmt.Sprintf("stats-job %d\r\n", id+1))
	}
	return texts(all...)
}
