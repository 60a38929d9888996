package command

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"beanfield/storage/must"
)

// outcome is how a command has ended.
type outcome struct {
	code           int
	stdout, stderr string
}

// serveCode is what the server of these tests returns; it prints its flags.
const serveCode = 42

// program has this standard input; the outcome of what it runs comes when it has run.
func program(stdin string, run func(p *Program) int) outcome {
	var out, errs bytes.Buffer
	code := run(&Program{
		Version: "1.2.3", Commit: "abc", Formats: map[string]int{"log": 1, "jobs": 6},
		Stdin: strings.NewReader(stdin), Stdout: &out, Stderr: &errs,
		Usage: "Use: beanfield\n -c, -n   ignored\n -p PORT  port\n -check-config  check\n",
		Serve: func(flags []string) int { out.WriteString(strings.Join(flags, " ") + "\n"); return serveCode },
	})
	return outcome{code, out.String(), errs.String()}
}

// typed runs a command with this standard input.
func typed(stdin string, args ...string) outcome { return placed(Place{}, stdin, args...) }

// placed runs a command whose configuration file has this place.
func placed(at Place, stdin string, args ...string) outcome {
	return program(stdin, func(p *Program) int {
		p.Place = func(string) (Place, error) { return at, nil }
		if c := Find(args[0]); c != nil {
			return p.Run(c, args[1:])
		}
		return p.Unknown(args[0])
	})
}

// ran runs a command without standard input.
func ran(args ...string) outcome { return typed("", args...) }

// differs says how a command has ended if that is not as wanted: its code, all of its output, and a part of what it
// says on standard error, where nothing means nothing.
func (o outcome) differs(code int, stdout, stderr string) string {
	if o.code == code && o.stdout == stdout && strings.Contains(o.stderr, stderr) && (stderr != "" || o.stderr == "") {
		return ""
	}
	return fmt.Sprintf("code %d\nstdout %q\nstderr %q\nwant %d\n%q\n%q", o.code, o.stdout, o.stderr, code, stdout, stderr)
}

func (o outcome) want(t *testing.T, code int, stdout, stderr string) {
	t.Helper()
	if wrong := o.differs(code, stdout, stderr); wrong != "" {
		t.Error(wrong)
	}
}

// has checks the code and that a part stands in the output.
func (o outcome) has(t *testing.T, code int, part string) {
	t.Helper()
	if o.code != code || !strings.Contains(o.stdout, part) {
		t.Errorf("%+v, want code %d and %q", o, code, part)
	}
}

// talk has a conversation. A line that begins with "$ " is a command line, with words that have spaces in ’’. In []
// behind it may stand the exit code and what is said on standard error, all of that behind "="; and behind " << ",
// quoted as in Go, what it reads. The lines below are what it prints; behind "~ " stands a part of that, and behind
// "= " all of it, quoted. Behind "until " is a command that is repeated until it comes to that; what follows
// "only NAME" is for tests with this name.
//
//	$ peek 2 99 [3 not found: 99]
//	-two
func talk(t *testing.T, run func(stdin string, args ...string) outcome, text string) {
	t.Helper()
	skip := false
	for _, part := range strings.Split("\n"+text, "\n$ ")[1:] {
		line, wanted, _ := strings.Cut(part+"\n", "\n")
		if name, ok := strings.CutPrefix(line, "only "); ok {
			skip = !strings.Contains(t.Name(), name)
			continue
		}
		typed, stdin, reads := strings.Cut(line, " << ")
		if reads {
			stdin = must.Get(strconv.Unquote(stdin))
		}
		typed, again := strings.CutPrefix(typed, "until ")
		command, end, failing := strings.Cut(strings.TrimSuffix(typed, "]"), " [")
		code, says := 0, ""
		if failing {
			_, _ = fmt.Sscan(end, &code) // it is a number
			_, says, _ = strings.Cut(end, " ")
		}
		for begun := time.Now(); !skip; <-time.After(time.Millisecond) {
			wrong := run(stdin, words(command)...).unlike(code, wanted, says)
			if wrong != "" && again && time.Since(begun) < patience {
				continue
			}
			if wrong != "" {
				t.Errorf("%s\n%s", line, wrong)
			}
			break
		}
	}
}

// unlike is differs, with what is wanted as talk has it.
func (o outcome) unlike(code int, wanted, says string) string {
	if all, ok := strings.CutPrefix(wanted, "= "); ok {
		wanted = must.Get(strconv.Unquote(strings.TrimSpace(all)))
	}
	if strings.HasPrefix(wanted, "~ ") && !slices.ContainsFunc(strings.Split(strings.TrimSuffix(wanted, "\n"), "\n"),
		func(some string) bool { return !strings.Contains(o.stdout, strings.TrimPrefix(some, "~ ")) }) {
		wanted = o.stdout
	}
	if all, ok := strings.CutPrefix(says, "="); ok {
		if says = all + "\n"; o.stderr != says {
			return o.differs(code, wanted, "only "+says)
		}
	}
	return o.differs(code, wanted, says)
}

// words are those of a command line.
func words(line string) (all []string) {
	for i, piece := range strings.Split(line, "'") {
		if i%2 == 1 {
			all = append(all, piece)
		} else {
			all = append(all, strings.Fields(piece)...)
		}
	}
	return all
}
