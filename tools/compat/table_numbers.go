package main

import (
	"fmt"
	"strings"
)

// numberForms are ways to write a number, or to fail to. The first half is for
// any argument; the widths matter to u32 and u64 each in their own way.
var numberForms = []string{
	"0", "1", "2", "3", "4", "5", "00", "01", "0000000000000000000000000000001", "1023", "1024", "2147483647", "2147483648",
	"4294967295", "4294967296", "9007199254740993", "9223372036854775807", "9223372036854775808",
	"18446744073709551615", "18446744073709551616", "99999999999999999999999999",
	"-0", "-1", "-4294967295", "-18446744073709551615", "+0", "+1", "0x1", "1x", "x1", "1a", "a", "1.0", "1e3", "1,", "1-", "١",
	"\t1", "\n1", "\v1", "1\t", "1\n", "\"1\"", "--1", "0 1", "1 1", " 1", "  1", "1 ", "1  ", " ", "", "\x7f", "１",
}

// someJobs leaves job 1 ready, 2 delayed, 3 buried, 4 reserved by a connection
// that stays, 5 ready in another tube.
const someJobs = `
	a: put 10 0 1000 1\r\na
	a: put 10 5000 1000 2\r\nbb
	a: put 1 0 1000 3\r\nccc
	a: reserve
	a: bury 3 7
	a: put 2 0 1000 4\r\ndddd
	a: reserve
	a: use other
	a: put 10 0 1000 5\r\neeeee`

// numberCases try every form in every place where a number stands.
func numberCases() []oddCase {
	cases := []oddCase{
		{name: "numbers/kick", before: someJobs, lines: kickForms()},
		{name: "numbers/reserve-with-timeout", lines: timeoutForms()},
		{name: "numbers/pause-tube", before: "p: watch p", lines: append(numbersIn("pause-tube p %s"), texts(
			"pause-tube  p 0\r\n", "pause-tube   p   0\r\n", "pause-tube p  0 \r\n", "pause-tube p\t0\r\n", "pause-tube \tp 0\r\n",
			"pause-tube p 0 0\r\n", "pause-tube p/q 0\r\n", "pause-tube p0\r\n", "pause-tube p,0\r\n", "pause-tube 5\r\n",
			"pause-tube p=5\r\n", "pause-tube 0 0\r\n", "pause-tube -p 0\r\n", "pause-tube p5\r\n")...)},
	}
	for _, v := range []string{"peek", "delete", "touch", "kick-job", "reserve-job", "stats-job"} {
		cases = append(cases, oddCase{name: "numbers/" + v, before: someJobs, lines: numbersIn(v + " %s")})
	}
	for i, form := range []string{"release %s 1 0", "release 4 %s 0", "release 4 1 %s"} {
		cases = append(cases, oddCase{name: fmt.Sprintf("numbers/release-%d", i+1), before: someJobs, lines: numbersIn(form)})
	}
	for i, form := range []string{"bury %s 1", "bury 4 %s"} {
		cases = append(cases, oddCase{name: fmt.Sprintf("numbers/bury-%d", i+1), before: someJobs, lines: numbersIn(form)})
	}
	for i, form := range []string{"put %s 0 100 1", "put 0 %s 100 1", "put 0 0 %s 1"} {
		cases = append(cases, oddCase{name: fmt.Sprintf("numbers/put-%d", i+1), lines: numbersBefore(form, "x\r\n")})
	}
	cases = append(cases, oddCase{name: "numbers/put-4", maxJob: 100,
		lines: numbersBefore("put 0 0 100 %s", strings.Repeat("y", 300)+"\r\n")})
	return append(cases, ownJobNumbers()...)
}

// ownJobNumbers try the forms on a connection that holds the job, so that the
// number itself, and not the owner, decides.
func ownJobNumbers() []oddCase {
	var cases []oddCase
	for i, v := range []string{"release %s 1 0", "release 1 %s 0", "release 1 1 %s", "bury %s 9", "bury 1 %s", "touch %s"} {
		var lines []line
		for _, n := range numberForms {
			lines = append(lines, line{text: "reserve-job 1\r\n" + fmt.Sprintf(v, n) + "\r\nstats-job 1\r\n"})
		}
		verb, _, _ := strings.Cut(v, " ")
		cases = append(cases, oddCase{name: fmt.Sprintf("numbers/own-%s-%d", verb, i+1), lines: lines,
			before: `a: put 5 0 1000 1\r\nx`})
	}
	return cases
}

func numbersIn(form string) []line { return numbersBefore(form, "") }

// numbersBefore puts every form into a line, followed by more bytes and by a
// question.
func numbersBefore(form, more string) []line {
	var lines []line
	for _, n := range numberForms {
		lines = append(lines, line{text: fmt.Sprintf(form, n) + "\r\n" + more + after})
	}
	return lines
}

const plainNumber = "a plain decimal u32, like every other number"

// kickForms: the reference reads the bound with strtoul, which takes signs and
// garbage and wraps around.
func kickForms() []line {
	lines := []line{
		{text: "kick 0\r\n"}, {text: "kick 1\r\n"}, {text: "kick 01\r\n"}, {text: "kick  1\r\n"}, {text: "kick     1\r\n"},
		{text: "kick 4294967295\r\n"}, {text: "kick x\r\n"}, {text: "kick\r\n"}, {text: "kick \r\n"}, {text: "kick -\r\n"},
		{text: "kick +\r\n"}, {text: "kick 18446744073709551616\r\n"}, {text: "kick 99999999999999999999999\r\n"},
		{text: "kick \x00\r\n"}, {text: "use other\r\nkick 10\r\n"}, {text: "use nowhere\r\nkick 10\r\n"},
	}
	for _, n := range []string{
		"-1", "+3", "5abc", "1 ", "1 1", "\t1", "4294967296", "4294967297", "18446744073709551615", "-4294967295", "0x1", "1.5", "1-", "+0", "-0",
	} {
		lines = append(lines, line{"kick " + n + "\r\n" + after, plainNumber, "BAD_FORMAT\r\nUSING other\r\n"})
	}
	for i := range lines {
		if lines[i].differs != "" {
			lines[i].text = "use other\r\n" + lines[i].text
			lines[i].want = "USING other\r\n" + lines[i].want
		}
	}
	return lines
}

// timeoutForms: the reference reads the timeout with strtol and looks at nothing
// but its range.
func timeoutForms() []line {
	lines := texts(
		"reserve-with-timeout 0\r\n"+after, "reserve-with-timeout 00\r\n"+after, "reserve-with-timeout  0\r\n"+after,
		"reserve-with-timeout 1\r\n"+after, "reserve-with-timeout 2147483647\r\n"+after, "reserve-with-timeout 0000000000000000000000000001\r\n"+after,
		"reserve-with-timeout 9223372036854775808\r\n"+after, "reserve-with-timeout 99999999999999999999999\r\n"+after,
	)
	for _, n := range []string{
		"-1", "+1", "0abc", "0 ", "\t0", "", " ", "abc", "2147483648", "4294967295", "4294967296", "-9223372036854775808", "0 0", "0x1", "1.5",
	} {
		lines = append(lines, line{"reserve-with-timeout " + n + "\r\n" + after, plainNumber, "BAD_FORMAT\r\nUSING default\r\n"})
	}
	return lines
}
