package command

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
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

// talk has a conversation. A line that begins with "$ " is a command line, with words that have spaces in ”. In [] at
// its end may stand the exit code and what is said on standard error. The lines below are what it prints; after "~ "
// stands a part of that.
//
//	$ peek 2 99 [3 not found: 99]
//	-two
func talk(t *testing.T, run func(args ...string) outcome, text string) {
	t.Helper()
	for _, part := range strings.Split("\n"+text, "\n$ ")[1:] {
		line, wanted, _ := strings.Cut(part+"\n", "\n")
		command, end, failing := strings.Cut(strings.TrimSuffix(line, "]"), " [")
		code, says := 0, ""
		if failing {
			_, _ = fmt.Sscan(end, &code) // it is a number
			_, says, _ = strings.Cut(end, " ")
		}
		o := run(words(command)...)
		if some, ok := strings.CutPrefix(wanted, "~ "); ok && strings.Contains(o.stdout, strings.TrimSuffix(some, "\n")) {
			wanted = o.stdout
		}
		if wrong := o.differs(code, wanted, says); wrong != "" {
			t.Errorf("%s\n%s", line, wrong)
		}
	}
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
