package beanstalk

import (
	"bytes"
	"cmp"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"testing"

	"beanfield/conn/beanstalk/protocol"
)

// The reference parser below reads what people are told of a line, with regular expressions and big numbers, for
// comparison with the real one.

// shape is a command as people are told of it.
type shape struct {
	*command
	begins string   // with the space that belongs to it
	names  []string // of its arguments, and of what stands behind them
	form   *regexp.Regexp
}

const (
	anyName  = `([A-Za-z0-9+/;.$_()-]+)`
	tubeName = `([A-Za-z0-9+/;.$_()][A-Za-z0-9+/;.$_()-]{0,199})`
)

var validTube = regexp.MustCompile(`\A` + tubeName + `\z`)

// shapes are in the order in which a line is compared with them.
var shapes []shape

func shapesOf() []shape {
	for i := range verbs {
		c := &commands[verbs[i]]
		line, options := strings.CutSuffix(c.line, " [name=value ...]")
		words := strings.Fields(strings.NewReplacer("<", "", ">", "").Replace(line))
		s, expr, tail := shape{command: c, begins: words[0], names: words[1:]}, `(?s)\A`, `((?: .*)?)`
		options = options || c.body != nil
		if len(s.names) > 0 && !c.apart {
			s.begins += " "
		}
		for j, name := range s.names {
			form, last := ` +([0-9]+)`, j == len(s.names)-1 && !options
			switch {
			case name == "token":
				form = `(.+)`
			case name == "tube" && last:
				form = tubeName
			case name == "tube" || name == "to":
				form, tail = ` +`+anyName, `((?:[^A-Za-z0-9+/;.$_()-].*)?)`
			case name == "bytes" && last:
				form, s.names = form+`((?:[^0-9].*)?)`, append(s.names, "trailing")
			case c.added && (name == "delay" || name == "ttr" || name == "timeout"):
				form = ` +([0-9]+(?:\.[0-9]{1,3})?)`
			}
			if j == 0 {
				form = strings.Replace(form, " +", " *", 1)
			}
			expr += form
		}
		if options {
			expr, s.names = expr+tail, append(s.names, "options")
		} else if len(s.names) == 0 && c.apart {
			expr += `.*`
		}
		s.form = regexp.MustCompile(expr + `\z`)
		shapes = append(shapes, s)
	}
	slices.SortFunc(shapes, func(a, b shape) int { return cmp.Compare(len(b.begins), len(a.begins)) })
	return shapes
}

// mostOfNumber is the largest value of an argument; times that may have fractions are in milliseconds.
func mostOfNumber(name string, exact bool) string {
	switch {
	case name == "id":
		return "18446744073709551615"
	case name == "size":
		return "1000"
	case name == "seconds":
		return "2147483647"
	case name == "timeout":
		return "2147483647000"
	case exact && (name == "delay" || name == "ttr"):
		return "4294967295000"
	}
	return "4294967295"
}

// outcome is what a parser makes of a line, in comparable form.
func outcome(command string, w protocol.Word, counts bool, values []string) string {
	return fmt.Sprintf("%q answers %q, counts %t, %q", command, w, counts, values)
}

func referenceParse(line []byte) string {
	refuse := func(w protocol.Word) string { return outcome("", w, false, nil) }
	if bytes.IndexByte(line, 0) >= 0 || bytes.IndexByte(line, '\r') >= 0 {
		return refuse(protocol.BadFormat)
	}
	for _, s := range shapes {
		rest, ok := strings.CutPrefix(string(line), s.begins)
		apart := s.apart || len(s.names) > 0 && s.names[0] == "options"
		if !ok || apart && rest != "" && rest[0] != ' ' {
			continue
		}
		if s.added {
			rest = strings.TrimRight(rest, " ")
		}
		values, w := s.form.FindStringSubmatch(rest), protocol.Word("")
		if values == nil {
			return refuse(protocol.BadFormat)
		}
		for i, name := range s.names {
			v := &values[i+1]
			switch name {
			case "token", "options":
			case "trailing":
				*v = fmt.Sprint(*v != "")
			case "tube", "to":
				if !validTube.MatchString(*v) {
					w = protocol.BadFormat
				}
			default:
				most, _ := new(big.Int).SetString(mostOfNumber(name, s.added), 10)
				if name == "timeout" || s.added && (name == "delay" || name == "ttr") {
					whole, fraction, _ := strings.Cut(*v, ".")
					*v = whole + (fraction + "000")[:3]
				}
				n, _ := new(big.Int).SetString(*v, 10)
				if n.Cmp(most) > 0 || name == "size" && n.Sign() == 0 {
					return refuse(protocol.BadFormat)
				}
				*v = n.String()
			}
		}
		return outcome(s.name, w, true, values[1:])
	}
	return refuse(protocol.UnknownCommand)
}

// asOutcome brings the real parser's result into the same form.
func asOutcome(c protocol.Command) string {
	if !c.Counts {
		return outcome("", c.Word, false, nil)
	}
	values := []string{}
	for _, a := range commands[c.Verb].args {
		var v any
		switch a {
		case protocol.ID:
			v = c.ID
		case protocol.Pri:
			v = c.Pri
		case protocol.Delay:
			v = c.Delay
		case protocol.TTR:
			v = c.TTR
		case protocol.Timeout, protocol.Bound:
			v = c.N
		case protocol.Several:
			v = c.Several
		case protocol.ExactDelay, protocol.ExactTimeout:
			v = c.ExactDelay / 1e6
		case protocol.ExactTTR:
			v = c.ExactTTR / 1e6
		case protocol.Size:
			values = append(values, fmt.Sprint(c.Size))
			v = c.Trailing
		case protocol.Length:
			v = c.Size
		case protocol.Tube, protocol.Inner, protocol.Token:
			v = string(c.Name)
		case protocol.Onto:
			v = string(c.Onto)
		case protocol.Pairs:
			v = string(c.Options)
		default:
			continue
		}
		values = append(values, fmt.Sprint(v))
	}
	return outcome(commands[c.Verb].name, c.Word, true, values)
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
	t.Parallel()
	shapesOf()
	lines := sentLines(t)
	slices.SortFunc(lines, bytes.Compare)
	for _, line := range slices.CompactFunc(lines, bytes.Equal) {
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
	shapesOf()
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
