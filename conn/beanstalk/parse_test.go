package beanstalk

import (
	"bytes"
	"fmt"
	"math/big"
	"regexp"
	"testing"
)

// The reference parser below is written straight from the protocol's
// description, with regular expressions and big numbers, for comparison with
// the real one.

// shape is one command as the description gives it. Verbs are tried in order.
type shape struct {
	verb  verb
	token string
	args  string // regular expression of everything after the token
	whole bool   // the token must end the word, though its space is no part of it
}

const (
	number   = ` *([0-9]+)`
	another  = ` +([0-9]+)` // digits belong to the number before them
	tubeName = `([A-Za-z0-9+/;.$_()][A-Za-z0-9+/;.$_()-]{0,199})`
	anyName  = ` *([A-Za-z0-9+/;.$_()-]+)`
)

var shapes = []shape{
	{verbPut, "put ", number + another + another + another + `((?:[^0-9].*)?)`, false},
	{verbPeek, "peek ", number, false},
	{verbPeekReady, "peek-ready", ``, false},
	{verbPeekDelayed, "peek-delayed", ``, false},
	{verbPeekBuried, "peek-buried", ``, false},
	{verbReserveTimeout, "reserve-with-timeout ", number, false},
	{verbReserveJob, "reserve-job ", number, false},
	{verbReserve, "reserve", ``, false},
	{verbDelete, "delete ", number, false},
	{verbRelease, "release ", number + another + another, false},
	{verbBury, "bury ", number + another, false},
	{verbKick, "kick ", number, false},
	{verbKickJob, "kick-job ", number, false},
	{verbTouch, "touch ", number, false},
	{verbStatsJob, "stats-job ", number, false},
	{verbStatsTube, "stats-tube ", tubeName, false},
	{verbStats, "stats", ``, false},
	{verbUse, "use ", tubeName, false},
	{verbWatch, "watch ", tubeName, false},
	{verbIgnore, "ignore ", tubeName, false},
	{verbListTubesWatched, "list-tubes-watched", ``, false},
	{verbListTubeUsed, "list-tube-used", ``, false},
	{verbListTubes, "list-tubes", ``, false},
	{verbQuit, "quit", `.*`, true},
	{verbPauseTube, "pause-tube", anyName + another, true},
}

var shapeArgs = func() (all []*regexp.Regexp) {
	for _, s := range shapes {
		all = append(all, regexp.MustCompile(`(?s)\A`+s.args+`\z`))
	}
	return all
}()

var validTube = regexp.MustCompile(`\A` + tubeName + `\z`)

// limits are the largest values of a command's numbers.
func limits(v verb) []string {
	const u32, u64 = "4294967295", "18446744073709551615"
	switch v {
	case verbPut:
		return []string{u32, u32, u32, u32}
	case verbRelease:
		return []string{u64, u32, u32}
	case verbBury:
		return []string{u64, u32}
	case verbKick, verbPauseTube:
		return []string{u32}
	case verbReserveTimeout:
		return []string{"2147483647"}
	}
	return []string{u64}
}

// outcome is what a parser makes of a line, in comparable form.
func outcome(v verb, w word, counts, trailing bool, numbers []uint64, name string) string {
	return fmt.Sprintf("verb %d answers %q, counts %t, trailing %t, %d, %q", v, w, counts, trailing, numbers, name)
}

func referenceParse(line []byte) string {
	refuse := func(w word) string { return outcome(0, w, false, false, nil, "") }
	if bytes.IndexByte(line, 0) >= 0 || bytes.IndexByte(line, '\r') >= 0 {
		return refuse(badFormat)
	}
	for i, s := range shapes {
		rest, ok := bytes.CutPrefix(line, []byte(s.token))
		if !ok {
			continue
		}
		if s.whole && len(rest) > 0 && rest[0] != ' ' {
			return refuse(unknownCommand)
		}
		m := shapeArgs[i].FindSubmatch(rest)
		if m == nil {
			return refuse(badFormat)
		}
		return referenceArgs(s.verb, m[1:])
	}
	return refuse(unknownCommand)
}

// referenceArgs reads the arguments of a line that has the right shape.
func referenceArgs(v verb, args [][]byte) string {
	name, trailing, w := "", false, word("")
	switch v {
	case verbPut:
		trailing = len(args[4]) > 0
		args = args[:4]
	case verbUse, verbWatch, verbIgnore, verbStatsTube:
		name, args = string(args[0]), nil
	case verbPauseTube:
		name, args = string(args[0]), args[1:]
		if !validTube.MatchString(name) {
			w = badFormat
		}
	}
	var numbers []uint64
	for i, a := range args {
		n, _ := new(big.Int).SetString(string(a), 10)
		limit, _ := new(big.Int).SetString(limits(v)[i], 10)
		if n.Cmp(limit) > 0 {
			return outcome(0, badFormat, false, false, nil, "")
		}
		numbers = append(numbers, n.Uint64())
	}
	return outcome(v, w, true, trailing, numbers, name)
}

// asOutcome brings the real parser's result into the same form.
func asOutcome(c command) string {
	if !c.counts {
		return outcome(0, c.word, false, false, nil, "")
	}
	var n []uint64
	switch c.verb {
	case verbPut:
		n = []uint64{uint64(c.pri), uint64(c.delay), uint64(c.ttr), uint64(c.size)}
	case verbRelease:
		n = []uint64{c.id, uint64(c.pri), uint64(c.delay)}
	case verbBury:
		n = []uint64{c.id, uint64(c.pri)}
	case verbPeek, verbReserveJob, verbDelete, verbKickJob, verbTouch, verbStatsJob:
		n = []uint64{c.id}
	case verbKick, verbReserveTimeout:
		n = []uint64{uint64(c.n)}
	case verbPauseTube:
		n = []uint64{uint64(c.delay)}
	}
	return outcome(c.verb, c.word, c.counts, c.trailing, n, string(c.name))
}

func compareParsers(t *testing.T, line []byte) {
	t.Helper()
	before := string(line)
	got, want := asOutcome(parse(line)), referenceParse(line)
	if got != want {
		t.Fatalf("%q: %s, want %s", line, got, want)
	}
	if string(line) != before {
		t.Errorf("%q was changed to %q", before, line)
	}
}

// sentLines are all lines that the transcripts send.
func sentLines(t testing.TB) (lines [][]byte) {
	for _, tr := range readTranscripts(t) {
		for _, s := range tr.steps {
			if s.kind == '>' {
				lines = append(lines, bytes.Split([]byte(s.text), []byte("\r\n"))...)
			}
		}
	}
	return lines
}

// TestParse compares the parsers over every line of the transcripts, each cut
// short and continued at every byte.
func TestParse(t *testing.T) {
	for _, line := range sentLines(t) {
		line = line[:min(len(line), maxLine)]
		for i := range len(line) + 1 {
			compareParsers(t, line[:i:i])
			for _, more := range []string{" ", "0", "-", "\x00", "a", " 1", "\t"} {
				compareParsers(t, append(append(bytes.Clone(line[:i]), more...), line[i:]...))
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, line := range sentLines(f) {
		if len(line) <= maxLine {
			f.Add(line)
		}
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		if len(line) > maxLine || bytes.Contains(line, []byte("\r\n")) {
			return
		}
		compareParsers(t, line)
	})
}
