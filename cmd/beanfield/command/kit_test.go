package command

import (
	"bytes"
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

// typed runs a command with this standard input.
func typed(t *testing.T, stdin string, args ...string) outcome {
	t.Helper()
	c := Find(args[0])
	if c == nil {
		t.Fatalf("there is no command %s", args[0])
	}
	return with(stdin, func(p *Program) int { return p.Run(c, args[1:]) })
}

// with does something with a program that has this standard input.
func with(stdin string, do func(p *Program) int) outcome {
	var out, errs bytes.Buffer
	code := do(&Program{
		Version: "1.2.3", Stdin: strings.NewReader(stdin), Stdout: &out, Stderr: &errs,
		Usage: "Use: beanfield\n -c, -n   ignored\n -p PORT  port\n -check-config  check\n",
		Serve: func(flags []string) int { out.WriteString(strings.Join(flags, " ")); return serveCode },
	})
	return outcome{code, out.String(), errs.String()}
}

// unknown is what is said about a command that there is not.
func unknown(t *testing.T, word string) outcome {
	t.Helper()
	return with("", func(p *Program) int { return p.Unknown(word) })
}

// ran runs a command without standard input.
func ran(t *testing.T, args ...string) outcome {
	t.Helper()
	return typed(t, "", args...)
}

// want checks how a command has ended: its code, all of its output, and a part of what it
// says on standard error, where nothing means nothing.
func (o outcome) want(t *testing.T, code int, stdout, stderr string) {
	t.Helper()
	if o.code != code || o.stdout != stdout || !strings.Contains(o.stderr, stderr) || stderr == "" && o.stderr != "" {
		t.Errorf("code %d\nstdout %q\nstderr %q\nwant %d\n%q\n%q", o.code, o.stdout, o.stderr, code, stdout, stderr)
	}
}
