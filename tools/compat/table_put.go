package main

import (
	"fmt"
	"strings"
)

// putCases are about bodies: how many bytes are taken, and what is left.
func putCases() []oddCase {
	return []oddCase{
		{name: "put/bodies", lines: texts(
			"put 0 0 100 0\r\n\r\n"+after, "put 0 0 100 1\r\nx\r\n"+after, "put 0 0 100 2\r\n\r\n\r\n"+after,
			"put 0 0 100 6\r\nquit\r\n\r\n"+after, "put 0 0 100 3\r\n\x00\x00\x00\r\n"+after, "put 0 0 100 1\r\n\r\r\n"+after,
			"put 0 0 100 1\r\n\n\r\n"+after, "put 0 0 100 4\r\n\xff\xfe\xfd\xfc\r\n"+after, "put 0 0 100 3\r\nab", "put 0 0 100 3\r\nabc",
			"put 0 0 100 3\r\nabc\r", "put 0 0 100 3", "put 0 0 100 3\r", "put 0 0 100 0\r\n", "put 0 0 100 0\r\n\r",
			"put 0 0 100 1\r\nx\r\nput 0 0 100 1\r\ny\r\nput 0 0 100 1\r\nz\r\n"+after,
		)},
		{name: "put/expected-crlf", lines: texts(
			"put 0 0 1 1\r\nabc\r\n", "put 0 0 1 1\r\nab\r\n"+after, "put 0 0 1 3\r\na\r\n"+after, "put 0 0 1 0\r\na\r\n"+after,
			"put 0 0 1 0\r\nab"+after, "put 0 0 1 1\r\nx\n\r"+after, "put 0 0 1 1\r\nx\r\r"+after, "put 0 0 1 1\r\nx\n\n"+after,
			"put 0 0 1 1\r\nx\n"+after, "put 0 0 1 2\r\nx\r\n"+after, "put 0 0 1 3\r\nabcdefg\r\n"+after, "put 0 0 1 3\r\nabcde"+after,
			"put 0 0 1 10\r\nput 0 0 1 1\r\nx\r\n"+after, "put 0 0 1 300\r\n"+strings.Repeat("x", 302)+after,
			"put 0 0 1 300\r\n"+strings.Repeat("x", 310)+"\r\n"+after,
		)},
		{name: "put/refused-lines", lines: texts(
			"put 0 0 1 1 \r\nx\r\n"+after, "put 0 0 1 1x\r\nx\r\n"+after, "put 0 0 1\r\n1\r\nx\r\n"+after, "put  0  0  1  1\r\nx\r\n"+after,
			"put 0 0 1 -1\r\nx\r\n"+after, "put 0 0 1 1 1\r\nx\r\n"+after, "put 0 0 1 1\t\r\nx\r\n"+after, "put\r\nx\r\n"+after,
			"put \r\nx\r\n"+after, "put 1\r\n"+after, "put 1 2\r\n"+after, "put 1 2 3\r\n"+after, "put a b c d\r\n"+after,
			"put 0,0,1,1\r\n"+after, "put 0 0 1 x\r\nstats-tube default\r\n", "put 0 0 1 1 \r\nuse u\r\n"+after,
			"put 0 0 1 4294967296\r\nx\r\n"+after, "put 4294967296 0 1 1\r\nx\r\n"+after, "put 0 4294967296 1 1\r\nx\r\n"+after,
		)},
		{name: "put/limits", lines: texts(
			"put 4294967295 0 1 1\r\nx\r\n"+after, "put 0 4294967295 1 1\r\nx\r\nstats-job 2\r\n", "put 0 0 4294967295 1\r\nx\r\nstats-job 3\r\n",
			"put 0 0 0 1\r\nx\r\nstats-job 4\r\n", "put 1023 0 1 1\r\nx\r\nstats-tube default\r\n", "put 1024 0 1 1\r\nx\r\nstats-tube default\r\n",
			"put 4294967295 4294967295 4294967295 0\r\n\r\nstats-job 7\r\n",
		)},
		{name: "put/sizes-100", maxJob: 100, lines: sizes(100, 0, 1, 2, 97, 98, 99, 100, 101, 102, 103, 150, 1000, 1023, 1024, 1025, 1026, 5000)},
		{name: "put/sizes-0", maxJob: 1, lines: sizes(1, 0, 1, 2, 3, 4)},
		{name: "put/sizes-200", maxJob: 1000, lines: sizes(1000, 200, 201, 202, 203, 204, 205, 206, 207, 208, 209, 210, 211, 212, 213, 214)},
		{name: "put/sizes-default", lines: sizes(65535, 65533, 65534, 65535, 65536, 65537, 65538, 70000)},
		{name: "put/too-big", maxJob: 10, lines: tooBig()},
		{name: "put/ids", script: putIDs},
		{name: "put/ids-of-two", script: twoIDs},
		{name: "put/in-pieces", script: putInPieces},
		{name: "put/drain", maxJob: 10, script: putDraining},
		{name: "put/behind-reserve", script: putBehindReserve},
		{name: "put/drain-behind-reserve", script: drainBehindReserve},
		{name: "put/tube", script: putTube},
	}
}

// sizes puts bodies of the given sizes: right, one byte short, one byte long.
func sizes(limit int, all ...int) []line {
	var lines []line
	for _, n := range all {
		head := fmt.Sprintf("put 0 0 100 %d\r\n", n)
		body := strings.Repeat("b", n)
		lines = append(lines, texts(
			head+body+"\r\n"+after,
			head+body+"\r\npeek-ready\r\nstats-tube default\r\n",
			head+body+"y\r\n"+after,
			head+body, head+body+"\r",
		)...)
		if n > 0 {
			lines = append(lines, texts(head+body[1:]+"\r\n"+after)...)
		}
		if n > limit { // anything is swallowed, also what looks like an end
			lines = append(lines, texts(head+strings.Repeat("\r\n", n/2+1)+strings.Repeat("z", n%2)+after)...)
		}
	}
	return lines
}

// tooBig: the size is looked at before what follows it on the line.
func tooBig() []line {
	x := func(n int) string { return strings.Repeat("x", n) }
	return texts(
		"put 0 0 1 11 junk\r\n"+x(11)+"\r\n"+after, "put 0 0 1 11x\r\n"+x(11)+"\r\n"+after, "put 0 0 1 11 \r\n"+x(13)+after,
		"put 0 0 1 10 junk\r\n"+x(10)+"\r\n"+after, "put 0 0 1 10 \r\n"+x(10)+"\r\n"+after,
		"put 0 0 1 11\r\n"+x(13)+after, "put 0 0 1 11\r\n"+x(12), "put 0 0 1 11\r\n", "put 0 0 1 4294967295\r\n"+x(100),
		"put 0 0 1 4294967296\r\n"+after, "put 0 0 1 11\r\nquit\r\nquit\r\n\r"+after, "put 0 0 1 11\r\n"+x(11)+"\r\nput 0 0 1 1\r\ny\r\n",
		"put 0 0 1 2000\r\n"+x(2000)+"\r\nput 0 0 1 2000\r\n"+x(2000)+"\r\n"+after, "stats\r\nput 0 0 1 11\r\n"+x(13)+"stats\r\n",
		"put 0 0 1 100000\r\n"+x(100000)+"\r\n"+after, "put 0 0 1 300\r\n"+x(302)+"\r\n"+after,
		"put 99999999999 0 1 11\r\n"+x(11)+"\r\n"+after, "put 0 0 x 11\r\n"+x(11)+"\r\n"+after,
	)
}

// putIDs: an id is spent when the line is accepted, whatever becomes of the body.
var putIDs = `
	a: put 0 0 100 1\r\nx
	a*2: put 0 0 100 1\r\nxyz
	a: put 0 0 100 1\r\nx
	a*2: put 0 0 100 1 \r\nx
	a: put 0 0 100 1\r\nx
	b+ put 0 0 100 5\r\nhal
	b-
	a: put 0 0 100 1\r\nx
	c+ put 0 0 100 5\r\nhal
	? cmd-put 8
	c!
	a: put 0 0 100 1\r\nx
	a: put 0 0 100 70000\r\n` + strings.Repeat("s", 70000) + `
	a: put 0 0 100 1\r\nx
	a: stats
	a: stats-tube default
	a: peek 2
	a: peek 5
	a: delete 8
	a: put 0 0 100 1\r\nx`

// twoIDs: the line decides about the rank, not the end of the body.
const twoIDs = `
	a+ put 5 0 100 3\r\n
	? cmd-put 1
	b: put 5 0 100 3\r\nbbb
	a: aaa
	c: reserve
	c: reserve
	c: stats-job 1
	c: stats-job 2
	a: stats`

const putInPieces = `
	a+ p
	a+ ut 0 0 1
	a+ 00 3\r
	a+ \n
	a+ a
	a+ bc
	a+ \r
	a+ \n
	a< 1
	b: list-tube-used
	a+ put 0 0 100 4\r\n\r\n
	a+ \r\n
	a+ \r\n
	a< 1
	b: peek 1
	b: peek 2
	b: stats-tube default`

// putDraining: a body is read to its end first, so a bad end wins; a big job
// wins too.
const putDraining = `
	a: put 0 0 100 1\r\nx
	b+ put 0 0 100 3\r\na
	? cmd-put 2
	drain
	a: put 0 0 100 1\r\nx
	a*2: put 0 0 100 1\r\nxyz
	a: put 0 0 100 11\r\nxxxxxxxxxxx
	a: put 0 0 100
	a: put 0 0 100 0\r\n
	b: bc
	b: use t
	b: put 0 0 100 0\r\n
	b: list-tubes
	a: reserve
	a: release 1 5 0
	a: reserve
	a: bury 1 0
	a: kick 1
	a: delete 1
	a: reserve-with-timeout 0
	a: stats
	drain
	a: put 0 0 100 1\r\nx`

// putBehindReserve: a put that stands behind a reserve that waits is not
// there, not counted and has no id until the reserve is answered; the same
// with half of a body.
const putBehindReserve = `
	a+ reserve\r\nput 0 0 100 1\r\nx\r\nreserve\r\ndelete 2\r\nput 0 0 100 3\r\nab
	? current-waiting 1
	b: stats
	b: peek 1
	b: put 0 0 100 1\r\ny
	a< 4
	a: c
	b: stats
	b: stats-job 1
	b: stats-job 2
	b: stats-job 3
	b: put 0 0 100 1\r\nz`

// drainBehindReserve: the same when draining begins while the reserve waits.
const drainBehindReserve = `
	b: put 0 0 100 1\r\ny
	b: reserve
	a> reserve\r\nput 0 0 100 1\r\nx\r\ndelete 1\r\nput 0 0 100 1\r\nxyz
	? current-waiting 1
	drain
	b: release 1 0 0
	a< 5
	a: put 0 0 100 1\r\nx
	b: stats`

// putTube: the tube is that of the moment of the line.
const putTube = `
	a: use t
	a: put 0 0 100 1\r\nx
	a: use u
	a: peek-ready
	a: stats-job 1
	a: list-tubes
	a: stats-tube t
	a: stats-tube u
	b+ use v\r\nput 0 0 100 1\r\nx\r\nuse w\r\nput 0 0 100 1\r\ny\r\n
	b< 4
	b: stats-tube v
	b: stats-tube w
	b: stats`
