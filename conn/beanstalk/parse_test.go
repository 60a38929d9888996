package beanstalk

import (
	"bytes"
	"fmt"
	"math/big"
	"regexp"
	"strings"
	"testing"

	"beanfield/conn/beanstalk/protocol"
)

// The reference parser below is written straight from the protocol's
// description, with regular expressions and big numbers, for comparison with
// the real one.

// shape is one command as the description gives it. Verbs are tried in order.
type shape struct {
	token string
	args  string // regular expression of everything after the token
	whole bool   // the token must end the word, though its space is no part of it
}

const (
	number   = ` *([0-9]+)`
	another  = ` +([0-9]+)` // digits belong to the number before them
	tubeName = `([A-Za-z0-9+/;.$_()][A-Za-z0-9+/;.$_()-]{0,199})`
	exact    = ` +([0-9]+(?:\.[0-9]{1,3})?)`
	options  = `((?: .*)?)` // the command reads them
	anyName  = ` *([A-Za-z0-9+/;.$_()-]+)`
)

var shapes = []shape{
	{"put ", number + another + another + another + `((?:[^0-9].*)?)`, false},
	{"put-in-tube ", anyName + another + exact + exact + another + `((?:[^0-9].*)?)`, false},
	{"put-with ", number + options, false},
	{"capabilities", ``, false},
	{"schedules", ``, false},
	{"truncate ", anyName + `((?:[^A-Za-z0-9+/;.$_()-].*)?)`, false},
	{"policies", ``, false},
	{"policy ", tubeName, false},
	{"set-policies ", number + options, false},
	{"delete-batch ", number + options, false},
	{"put-batch ", number + options, false},
	{"release-batch ", number + exact + another + options, false},
	{"bury-batch ", number + another + options, false},
	{"touch-batch ", number + options, false},
	{"list-jobs", `((?: .*)?)`, true},
	{"move-jobs ", anyName + ` +([A-Za-z0-9+/;.$_()-]+)((?:[^A-Za-z0-9+/;.$_()-].*)?)`, false},
	{"change-jobs ", anyName + `((?:[^A-Za-z0-9+/;.$_()-].*)?)`, false},
	{"peek ", number, false},
	{"peek-ready", ``, false},
	{"peek-delayed", ``, false},
	{"peek-buried", ``, false},
	{"reserve-with-timeout ", number, false},
	{"reserve-job ", number, false},
	{"reserve-with", `((?: .*)?)`, true},
	{"call-off", ``, false},
	{"reserve-batch ", number + exact, false},
	{"reserve", ``, false},
	{"delete ", number, false},
	{"release ", number + another + another, false},
	{"bury ", number + another, false},
	{"kick ", number, false},
	{"kick-job ", number, false},
	{"touch ", number, false},
	{"stats-job ", number, false},
	{"stats-tube ", tubeName, false},
	{"stats", ``, false},
	{"use ", tubeName, false},
	{"watch ", tubeName, false},
	{"ignore ", tubeName, false},
	{"list-tubes-watched", ``, false},
	{"list-tube-used", ``, false},
	{"list-tubes", ``, false},
	{"quit", `.*`, true},
	{"pause-tube", anyName + another, true},
}

var shapeArgs = func() (all []*regexp.Regexp) {
	for _, s := range shapes {
		all = append(all, regexp.MustCompile(`(?s)\A`+s.args+`\z`))
	}
	return all
}()

var validTube = regexp.MustCompile(`\A` + tubeName + `\z`)

// limits are the largest values of a command's numbers.
func limits(name string) []string {
	const u32, u64, ms = "4294967295", "18446744073709551615", "4294967295000"
	switch name {
	case "put":
		return []string{u32, u32, u32, u32}
	case "put-in-tube":
		return []string{u32, ms, ms, u32}
	case "release-batch":
		return []string{u32, ms, u32}
	case "release":
		return []string{u64, u32, u32}
	case "bury":
		return []string{u64, u32}
	case "delete-batch", "bury-batch", "touch-batch", "put-batch", "set-policies", "put-with":
		return []string{u32, u32}
	case "reserve-batch":
		return []string{"1000", "2147483647000"}
	case "kick", "pause-tube":
		return []string{u32}
	case "reserve-with-timeout":
		return []string{"2147483647"}
	}
	return []string{u64}
}

// outcome is what a parser makes of a line, in comparable form.
func outcome(command string, w protocol.Word, counts, trailing bool, numbers []uint64, name string) string {
	return fmt.Sprintf("%q answers %q, counts %t, trailing %t, %d, %q", command, w, counts, trailing, numbers, name)
}

func referenceParse(line []byte) string {
	refuse := func(w protocol.Word) string { return outcome("", w, false, false, nil, "") }
	if bytes.IndexByte(line, 0) >= 0 || bytes.IndexByte(line, '\r') >= 0 {
		return refuse(protocol.BadFormat)
	}
	for i, s := range shapes {
		rest, ok := bytes.CutPrefix(line, []byte(s.token))
		if !ok {
			continue
		}
		if s.whole && len(rest) > 0 && rest[0] != ' ' {
			continue
		}
		if commands[verbOf(strings.TrimSpace(s.token))].added {
			rest = bytes.TrimRight(rest, " ")
		}
		m := shapeArgs[i].FindSubmatch(rest)
		if m == nil {
			return refuse(protocol.BadFormat)
		}
		return referenceArgs(strings.TrimSpace(s.token), m[1:])
	}
	return refuse(protocol.UnknownCommand)
}

// referenceArgs reads the arguments of a line that has the right shape.
func referenceArgs(command string, args [][]byte) string {
	name, trailing, w := "", false, protocol.Word("")
	switch command {
	case "put", "put-in-tube":
		last := len(args) - 1
		trailing, args = len(args[last]) > 0, args[:last]
		if command != "put" {
			name, args = string(args[0]), args[1:]
		}
	case "delete-batch", "release-batch", "bury-batch", "touch-batch", "put-batch", "set-policies", "put-with":
		last := len(args) - 1
		name, args = string(args[last]), args[:last]
	case "use", "watch", "ignore", "stats-tube", "list-jobs", "reserve-with", "policy":
		name, args = string(args[0]), nil
	case "pause-tube":
		name, args = string(args[0]), args[1:]
	case "move-jobs", "change-jobs", "truncate":
		last := len(args) - 1
		for _, tube := range args[:last] {
			if !validTube.Match(tube) {
				w = protocol.BadFormat
			}
		}
		name, args = string(bytes.Join(args, nil)), nil
	}
	if inner := command == "pause-tube" || command == "put-in-tube"; inner && !validTube.MatchString(name) {
		w = protocol.BadFormat
	}
	var numbers []uint64
	for i, a := range args {
		text, most := string(a), limits(command)[i]
		if strings.HasSuffix(most, "000") && most != "1000" { // milliseconds
			whole, fraction, _ := strings.Cut(text, ".")
			text = whole + (fraction + "000")[:3]
		}
		n, _ := new(big.Int).SetString(text, 10)
		limit, _ := new(big.Int).SetString(most, 10)
		if n.Cmp(limit) > 0 {
			return outcome("", protocol.BadFormat, false, false, nil, "")
		}
		if numbers = append(numbers, n.Uint64()); command == "reserve-batch" && numbers[0] == 0 {
			return outcome("", protocol.BadFormat, false, false, nil, "")
		}
	}
	return outcome(command, w, true, trailing, numbers, name)
}

// asOutcome brings the real parser's result into the same form.
func asOutcome(c protocol.Command) string {
	if !c.Counts {
		return outcome("", c.Word, false, false, nil, "")
	}
	name := commands[c.Verb].name
	var n []uint64
	switch name {
	case "put", "put-in-tube":
		if n = []uint64{uint64(c.Pri), uint64(c.Delay), uint64(c.TTR), uint64(c.Size)}; name != "put" {
			n[1], n[2] = uint64(c.ExactDelay/1e6), uint64(c.ExactTTR/1e6)
		}
	case "put-with":
		n = []uint64{uint64(c.Size)}
	case "release":
		n = []uint64{c.ID, uint64(c.Pri), uint64(c.Delay)}
	case "bury":
		n = []uint64{c.ID, uint64(c.Pri)}
	case "delete-batch", "touch-batch", "put-batch", "set-policies":
		n = []uint64{uint64(c.Size)}
	case "release-batch":
		n = []uint64{uint64(c.Pri), uint64(c.ExactDelay / 1e6), uint64(c.Size)}
	case "bury-batch":
		n = []uint64{uint64(c.Pri), uint64(c.Size)}
	case "peek", "reserve-job", "delete", "kick-job", "touch", "stats-job":
		n = []uint64{c.ID}
	case "reserve-batch":
		n = []uint64{uint64(c.Several), uint64(c.ExactDelay / 1e6)}
	case "kick", "reserve-with-timeout":
		n = []uint64{uint64(c.N)}
	case "pause-tube":
		n = []uint64{uint64(c.Delay)}
	}
	return outcome(name, c.Word, c.Counts, c.Trailing, n, string(c.Name)+string(c.Onto)+string(c.Options))
}

func compareParsers(t *testing.T, line []byte) {
	t.Helper()
	before := string(line)
	got, want := asOutcome(grammar.Parse(line)), referenceParse(line)
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
		line = line[:min(len(line), protocol.MaxLine)]
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
		if len(line) <= protocol.MaxLine {
			f.Add(line)
		}
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		if len(line) > protocol.MaxLine || bytes.Contains(line, []byte("\r\n")) {
			return
		}
		compareParsers(t, line)
	})
}
