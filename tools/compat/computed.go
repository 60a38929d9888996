package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// computedCases are those whose lines or scripts are computed.
func computedCases() []oddCase {
	return append(stateCases(),
		oddCase{name: "lines/verbs", lines: unknownVerbs()},
		oddCase{name: "lines/overlong", lines: overlong()},
		oddCase{name: "lines/longest-legal", lines: longestLegal()},
		oddCase{name: "put/sizes-100", maxJob: 100, lines: sizes(100, 0, 1, 2, 97, 98, 99, 100, 101, 102, 103, 150,
			1000, 1023, 1024, 1025, 1026, 5000)},
		oddCase{name: "put/sizes-0", maxJob: 1, lines: sizes(1, 0, 1, 2, 3, 4)},
		oddCase{name: "put/sizes-200", maxJob: 1000, lines: sizes(1000, 200, 201, 202, 203, 204, 205, 206, 207, 208,
			209, 210, 211, 212, 213, 214)},
		oddCase{name: "put/sizes-default", lines: sizes(65535, 65533, 65534, 65535, 65536, 65537, 65538, 70000)},
		oddCase{name: "reserve/hundred", script: reserveHundred()},
		oddCase{name: "reserve/bodies", script: reserveBodies()},
		oddCase{name: "tubes/many", script: manyTubes()},
		oddCase{name: "tubes/watch-many", script: watchMany()},
		oddCase{name: "differs/fifo", script: fifo()},
	)
}

// computedNames are those that are compared in each form of strings.
func computedNames() []oddCase {
	// Bytes that are no name, one by one, so that the set is known exactly.
	var every []line
	for b := range 256 {
		if b != '\r' { // a CR in a line is a case of its own
			every = append(every, line{text: "use x" + string([]byte{byte(b)}) + "y\r\n" + after})
		}
	}
	return []oddCase{{name: "names/every-byte", lines: every}, {name: "stats/misleading-names",
		lines: misleadingLines()}}
}

// after is a question behind an odd line: its answer shows which bytes the odd
// line has used up.
const after = "list-tube-used\r\n"

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
		"delete 1", "release 1 8 0", "release 1 8 6000", "bury 1 8", "touch 1", "kick-job 1", "reserve-job 1", "peek 1",
		"stats-job 1",
		"kick 1", "reserve-with-timeout 0", "peek-ready", "peek-delayed", "peek-buried",
	}
	var cases []oddCase
	for _, st := range states {
		c := oddCase{name: "states/" + st.name, before: st.script}
		for _, op := range ops {
			// These act on the same job one after the other, and look at it from
			// all sides; below, every command finds the state as it was made.
			c.lines = append(c.lines,
				line{text: op + "\r\nstats-job 1\r\nstats-tube default\r\nreserve-with-timeout 0\r\n"})
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

var allVerbs = []string{
	"put", "peek", "peek-ready", "peek-delayed", "peek-buried", "reserve", "reserve-with-timeout", "reserve-job",
	"delete", "release", "bury", "kick", "kick-job", "touch", "stats", "stats-job", "stats-tube", "use", "watch",
	"ignore", "list-tubes", "list-tube-used", "list-tubes-watched", "quit", "pause-tube",
}

// unknownVerbs are near misses of every verb.
func unknownVerbs() []line {
	lines := texts("foo\r\n", "x\r\n", "-\r\n", "0\r\n", "1 2 3\r\n", "help\r\n", "list\r\n", "list-\r\n",
		"list-tube\r\n",
		"pea\r\n", "peek-foo\r\n", "peek-\r\n", "peeks 1\r\n", "reserv\r\n", "qui\r\n", "pause\r\n",
		"pause-tub a 0\r\n",
		"stat\r\n", "wat a\r\n", "kick-jobs 1\r\n", "kick-\r\n", "uses a\r\n", "delete-job 1\r\n", "\xff\xfe\r\n",
		"ü\r\n")
	for _, v := range allVerbs {
		lines = append(lines, texts(
			v[:len(v)-1]+"\r\n"+after,
			" "+v+"\r\n"+after,
			"\t"+v+"\r\n"+after,
			strings.ToUpper(v)+" 1\r\n"+after,
			strings.ToUpper(v[:1])+v[1:]+" 1\r\n"+after,
			v[1:]+" 1\r\n"+after,
		)...)
	}
	return lines
}

// overlong has lines of every length around the buffer and its multiples.
func overlong() []line {
	var lines []line
	for _, around := range []int{224, 448, 672, 896, 1120} {
		for n := around - 8; n <= around+8; n++ {
			lines = append(lines,
				overlongLine(strings.Repeat("x", n), n),
				overlongLine("use "+strings.Repeat("y", n-4), n))
		}
	}
	for _, n := range []int{300, 1000, 5000, 65536, 100000, 300000} {
		lines = append(lines, overlongLine(strings.Repeat("z", n), n))
	}
	return lines
}

// overlongLine sends a line of n characters and a question behind it.
func overlongLine(text string, n int) line {
	l := line{text: text + "\r\n" + after}
	if n >= readBuffer-1 && (n+1)%readBuffer == 0 {
		l.differs = "bug A: the reference misses a CRLF whose CR is the last byte of its buffer"
		l.want = "BAD_FORMAT\r\nUSING default\r\n"
	}
	return l
}

// longestLegal has commands that fill the buffer to the last byte, and one
// byte less.
func longestLegal() []line {
	var lines []line
	for n := 218; n <= 222; n++ {
		for _, form := range []string{"use %s", "delete %s", "kick-job %s", "peek %s", "stats-job %s", "touch %s"} {
			pad := n - len(form) + 2
			lines = append(lines,
				line{text: fmt.Sprintf(form, strings.Repeat(" ", pad-1)+"1") + "\r\n" + after},
				line{text: fmt.Sprintf(form, strings.Repeat("0", pad-1)+"1") + "\r\n" + after})
		}
		lines = append(lines,
			line{text: "put 0 0 100" + strings.Repeat(" ", n-12) + "1\r\nx\r\n" + after},
			line{text: "release 1 2" + strings.Repeat(" ", n-12) + "3\r\n" + after},
			line{text: "pause-tube default" + strings.Repeat(" ", n-19) + "0\r\n" + after})
	}
	return lines
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
		fmt.Fprintf(&s, "a: put 0 0 100 %d\\r\\n%s\npeek: peek %d\nw: reserve\nw: delete %d\n", n,
			strings.Repeat("\\x00", n), i+1, i+1)
	}
	return s.String()
}

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

// fifo: ten clients wait; the reference serves them 1 2 3 4 5 10 9 8 7 6.
func fifo() string {
	var s strings.Builder
	for i := range 10 {
		fmt.Fprintf(&s, "w%d> reserve\n? current-waiting %d\n", i, i+1)
	}
	for i := range 10 {
		fmt.Fprintf(&s, "a: put 0 0 100 1\\r\\n%d\n", i)
	}
	for i := range 10 {
		if i >= 5 && i != 7 { // the reference's order meets ours there
			fmt.Fprintf(&s, "differs: waiters are served first come, first served\nwant: RESERVED %d 1\\r\\n%d\\r\\n\n",
				i+1, i)
		}
		fmt.Fprintf(&s, "w%d< 1\n", i)
	}
	return s.String()
}

// misleadingLines have each name that YAML readers take for something else in
// every reply where it stands.
func misleadingLines() []line {
	var all []string
	names := append(slices.Sorted(maps.Keys(misleadingNames)), "1", "017", "1e3", ".", "1.2.3", "10.0.0.1")
	for _, n := range names {
		all = append(all, "use "+n+"\r\nwatch "+n+"\r\nput 0 0 1 0\r\n\r\nstats-tube "+n+
			"\r\nlist-tubes\r\nlist-tube-used\r\n"+
			"list-tubes-watched\r\npeek-ready\r\nreserve\r\n")
	}
	for id := range names {
		all = append(all, fmt.Sprintf("stats-job %d\r\n", id+1))
	}
	return texts(all...)
}
