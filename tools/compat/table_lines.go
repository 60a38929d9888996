package main

import (
	"fmt"
	"strings"
)

// after is a question behind an odd line: its answer shows which bytes the odd
// line has used up.
const after = "list-tube-used\r\n"

const (
	bugA = "bug A: the reference misses a CRLF whose CR is the last byte of its buffer"
	bugB = "bug B: the reference stops at the first CR that ends no line, and goes mute"
)

// lineCases are about where a line ends and what a verb is.
func lineCases() []oddCase {
	return []oddCase{
		{name: "lines/ends", lines: texts(
			"", "\r\n", "\r\n\r\n\r\n"+after, "\n\r\n"+after, "\n"+after, " \r\n"+after, "\t\r\n"+after,
			"use a", "use a\n", "use a\r", "use a\nuse b\r\n"+after, "list-tube-used\n"+after,
			"stats\nstats\n", "\n\n\n\r\n"+after, "list-tube-used\r\n\n"+after, "\x00\r\n"+after,
			after+after+after, after+"list-tube-used", after+"list-tube-used\r",
		)},
		{name: "lines/nul", lines: texts(
			"\x00\r\n", "a\x00\r\n"+after, "use a\x00b\r\n"+after, "list-tubes\x00\r\n"+after, "\x00list-tubes\r\n",
			"put 0 0 1 1\x00\r\nx\r\n"+after, "quit\x00\r\n"+after, "delete 1\x00\r\n", "stats-job \x001\r\n",
			"watch a\x00\r\nlist-tubes-watched\r\n", "kick 1\x00\r\n", "reserve-with-timeout 0\x00\r\n"+after,
			"\x00"+strings.Repeat("x", 300)+"\r\n"+after, strings.Repeat("x", 300)+"\x00\r\n"+after,
			"\x00\x00\x00\r\n\x00\r\n"+after, "pause-tube a\x00 0\r\n"+after,
		)},
		{name: "lines/verbs", lines: unknownVerbs()},
		{name: "lines/prefixes", lines: prefixes()},
		{name: "lines/whole-words", lines: []line{
			{"quitfoo\r\n" + after, wholeWord, "UNKNOWN_COMMAND\r\nUSING default\r\n"},
			{"quit-now\r\n" + after, wholeWord, "UNKNOWN_COMMAND\r\nUSING default\r\n"},
			{"quit0\r\n" + after, wholeWord, "UNKNOWN_COMMAND\r\nUSING default\r\n"},
			{"pause-tubedefault 0\r\n" + after, wholeWord, "UNKNOWN_COMMAND\r\nUSING default\r\n"},
			{"pause-tubefoo 0\r\n" + after, wholeWord, "UNKNOWN_COMMAND\r\nUSING default\r\n"},
			{"pause-tubefoo\r\n" + after, wholeWord, "UNKNOWN_COMMAND\r\nUSING default\r\n"},
			{"pause-tube-a 0\r\n" + after, wholeWord, "UNKNOWN_COMMAND\r\nUSING default\r\n"},
		}},
		{name: "lines/overlong", lines: overlong()},
		{name: "lines/overlong-junk", lines: overlongJunk()},
		{name: "lines/lone-cr", lines: loneCR()},
		{name: "lines/longest-legal", lines: longestLegal()},
	}
}

const wholeWord = "a verb is a whole word"

// unknownVerbs are near misses of every verb.
func unknownVerbs() []line {
	lines := texts("foo\r\n", "x\r\n", "-\r\n", "0\r\n", "1 2 3\r\n", "help\r\n", "list\r\n", "list-\r\n", "list-tube\r\n",
		"pea\r\n", "peek-foo\r\n", "peek-\r\n", "peeks 1\r\n", "reserv\r\n", "qui\r\n", "pause\r\n", "pause-tub a 0\r\n",
		"stat\r\n", "wat a\r\n", "kick-jobs 1\r\n", "kick-\r\n", "uses a\r\n", "delete-job 1\r\n", "\xff\xfe\r\n", "ü\r\n")
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

var allVerbs = []string{
	"put", "peek", "peek-ready", "peek-delayed", "peek-buried", "reserve", "reserve-with-timeout", "reserve-job",
	"delete", "release", "bury", "kick", "kick-job", "touch", "stats", "stats-job", "stats-tube", "use", "watch",
	"ignore", "list-tubes", "list-tube-used", "list-tubes-watched", "quit", "pause-tube",
}

// prefixes has every verb with every kind of ending. The forms that differ on
// purpose are in cases of their own.
func prefixes() []line {
	endings := []string{
		"", " ", "  ", "foo", "-foo", " foo", "  foo", " foo ", " foo bar", "\tfoo", "\t", " \t", "\n", "\x01", "=", "0", "-",
	}
	var lines []line
	for _, v := range allVerbs {
		if v == "quit" || v == "kick" || v == "reserve-with-timeout" {
			continue
		}
		for _, e := range endings {
			if v == "pause-tube" && !strings.HasPrefix(e, " ") && e != "" {
				continue
			}
			lines = append(lines, line{text: v + e + "\r\n" + after})
		}
	}
	return append(lines, texts(
		"quit\r\n"+after, "quit \r\n"+after, "quit now\r\n"+after, "quit\r\n", after+"quit\r\n"+after, "qui\r\n"+after,
		"kick\r\n"+after, "kick \r\n"+after, "kick x\r\n"+after, "kick  \r\n"+after, "kickx\r\n"+after,
		"reserve-with-timeout\r\n"+after, "reserve-with-timeoutx\r\n"+after, "reserve-with-timeout0\r\n"+after,
		"reserve-with\r\n"+after, "reserve-j\r\n"+after, "reserve-job1\r\n"+after, "reserve-jobs 1\r\n"+after,
		"list-tubes-watched-x\r\n"+after, "list-tube-usedx\r\n"+after, "stats-jobs 1\r\n"+after, "stats-tubes a\r\n"+after,
		"stats-job1\r\n"+after, "stats-tubedefault\r\n"+after, "peek1\r\n"+after, "deletex 1\r\n"+after,
		"put0 0 1 1\r\n"+after, "reserve\r\n"+after, "reserve\n\r\n"+after,
	)...)
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
		l.differs, l.want = bugA, "BAD_FORMAT\r\nUSING default\r\n"
	}
	return l
}

// overlongJunk has overlong lines with something in them that means something
// elsewhere.
func overlongJunk() []line {
	x := func(n int) string { return strings.Repeat("x", n) }
	return texts(
		x(250)+"\n"+x(20)+"\r\n"+after,
		x(223)+"\n"+x(20)+"\r\n"+after,
		"put 0 0 100 1"+strings.Repeat(" ", 300)+"\r\nx\r\n"+after,
		"put 0 0 100 "+strings.Repeat("0", 300)+"1\r\nx\r\n"+after,
		"quit"+x(300)+"\r\n"+after,
		x(300)+"\r\n"+x(300)+"\r\n"+after,
		x(300)+"\r\n\r\n"+after,
		x(300), x(224), x(223), x(222),
		x(300)+"\n", x(225)+"\r\n",
		x(10000)+"\r\n"+after+x(230)+"\r\n"+after,
	)
}

// loneCR has CRs that end no line. Beanfield refuses the line at its CRLF; the
// reference swallows it and more, except where its buffer happens to end.
func loneCR() []line {
	const bad = "BAD_FORMAT\r\n"
	differ := []string{
		"use a\rb\r\n", "\r\r\n", "\rx\r\n", "use a\r\r\n", "list-tube-used\r \r\n", "x\ry\r\n", "put 0 0 1 1\r \r\n",
		"quit\rx\r\n", "\r\r\r\r\n", "use \rlist-tubes\r\n", "list-tubes\r\x00\n\r\n",
	}
	var lines []line
	for _, text := range differ {
		lines = append(lines, line{text + after, bugB, bad + "USING default\r\n"})
	}
	// In an overlong line the reference only minds a CR in the buffer that also
	// holds the line's end.
	for _, at := range []int{0, 1, 100, 223, 225, 300, 400, 440} {
		text := strings.Repeat("x", at) + "\r" + strings.Repeat("x", 459-at) + "\r\n"
		lines = append(lines, line{text: text + after})
	}
	for _, at := range []int{448, 450, 458} {
		text := strings.Repeat("x", at) + "\r" + strings.Repeat("x", 459-at) + "\r\n"
		lines = append(lines, line{text + after, bugB, bad + "USING default\r\n"})
	}
	return append(lines, line{text: "\r" + strings.Repeat("y", 222) + "z\r\n" + after})
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
