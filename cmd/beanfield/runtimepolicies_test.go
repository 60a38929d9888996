package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"

	"beanfield/storage/must"
)

// told sends a command, with a body if it has one, and returns the word and the body of its answer.
func (c *client) told(command, body string, options ...string) (word, text string) {
	c.t.Helper()
	if strings.HasPrefix(command, "set-") {
		command = strings.TrimSpace(fmt.Sprintf("%s %d %s", command, len(body), strings.Join(options, " "))) + "\r\n" +
			body
	}
	word, size, found := strings.Cut(c.ask(command), " ")
	if !found {
		return word, ""
	}
	b := make([]byte, must.Get(strconv.Atoi(size))+2)
	must.Get(io.ReadFull(c.r, b))
	return word, string(b[:len(b)-2])
}

// refuses checks that policies are refused, and why.
func (c *client) refuses(why, text string, options ...string) {
	c.t.Helper()
	if word, reason := c.told("set-policies", text, options...); word != "REFUSED" || !strings.Contains(reason, why) {
		c.t.Errorf("%q is answered %s, %q, want %q", text, word, reason, why)
	}
}

// Policies that were set at run time come first, hold for jobs that are there, are shown, and outlive
// restarts and reloads.
func TestProcessKeepsPolicies(t *testing.T) {
	const set = "# ours\n[[tube]]\nmatch = 'mail'\nmax_jobs = 2\n"
	const holds = "- match: \"mail\"\n  from: \"run time\"\n  line: 2\n  max_jobs: 2\n- match: \"m*\"\n  from: " +
		"\"file\"\n  line: 1\n  max_jobs: 1\n"
	dir := t.TempDir()
	p, write := configured(t, "[[tube]]\nmatch = 'm*'\nmax_jobs = 1\n", "-l", "unix:DIR/s", "-b", dir)
	c := p.client()
	c.expect("use mail", "USING mail")
	c.expect("put 0 0 60 1\r\na", "INSERTED 1")
	c.expect("put 0 0 60 1\r\nb", "OUT_OF_MEMORY")
	word, text := c.told("set-policies", set)
	has(t, word+text, "OK", "kept: true", "changes: \"set mail\"")
	c.expect("put 0 0 60 1\r\nb", "INSERTED 2")
	c.expect("put 0 0 60 1\r\nc", "OUT_OF_MEMORY")
	_, text = c.told("policies", "")
	has(t, text, "problems: []\npolicies:\n"+holds)
	write("[[tube]]\nmatch = 'mail*'\nmax_jobs = 3\n")
	has(t, p.reads(), "tube: changed")
	c.expect("put 0 0 60 1\r\nc", "OUT_OF_MEMORY") // the file's is not asked
	p.stop()
	again := startProcess(t, p.Args[1:]...)
	c = again.dial(p.dir + "/s")
	c.expect("use mail", "USING mail")
	c.expect("put 0 0 60 1\r\nc", "OUT_OF_MEMORY")
	_, all := c.told("policies", "")
	has(t, all, fmt.Sprintf("text: %q\n", set), strings.Split(text, "\n")[1],
		"match: \"mail*\"\n  from: \"file\"\n  line: 1\n  max_jobs: 3\n")
	_, one := c.told("policy mail2", "")
	has(t, one, "tube: mail2\nmatch: \"mail*\"\nfrom: \"file\"\nline: 1\nmax_jobs: 3\n")
	_, one = c.told("policy x", "")
	has(t, one, "---\ntube: x\nfrom: none\n")
	c.refuses("somebody else", "", "version=0")
	version, _, _ := strings.Cut(strings.TrimPrefix(all, "---\nversion: \""), "\"")
	_, text = c.told("set-policies", "", "version="+version)
	has(t, text, "removed mail")
	c.expect("put 0 0 60 1\r\nc", "INSERTED 3")
}

// Wrong policies are refused with the reason, and change nothing.
func TestProcessRefusesPolicies(t *testing.T) {
	const of = "[[tube]]\nmatch = 'm'\n"
	p := startProcess(t, "-l", "unix:DIR/s")
	c := p.client()
	c.expect("use m", "USING m")
	_, text := c.told("set-policies", of+"max_jobs = 1\n")
	has(t, text, "kept: false")
	c.refuses("policies:3: tube.max_job = 2: unknown key", of+"max_job = 2\n")
	c.refuses("somebody else", of, "version=0")
	if word, _ := c.told("set-policies", strings.Repeat("#", 64<<10+1)); word != "JOB_TOO_BIG" {
		t.Errorf("a long text is answered %s", word)
	}
	c.expect("set-policies 2 colour=red\r\nxx", "BAD_FORMAT")
	c.expect("set-policies 2 version=\r\nxx", "BAD_FORMAT")
	c.expect("put 0 0 60 1\r\na", "INSERTED 1")
	c.expect("put 0 0 60 1\r\nb", "OUT_OF_MEMORY")
}

// teller makes a function that gives the server a command from a shell, and looks at its exit code and what it says.
func (p *process) teller(t *testing.T) func(code int, want string, args ...string) {
	return func(code int, want string, args ...string) {
		t.Helper()
		var out, wrong strings.Builder
		got, _ := runCommand(append(args, "-server", "unix:"+p.dir+"/s"), &out, &wrong)
		if all := out.String() + wrong.String(); got != code || !strings.Contains(all, want) {
			t.Errorf("%s: code %d, %q, want %d, %q", args, got, all, code, want)
		}
	}
}

// An administrator sees and changes policies from a shell; comments, and what stands beside the policy
// that is changed, stay.
func TestPolicyCommands(t *testing.T) {
	p, _ := configured(t, "[[tube]]\nmatch = 'm*'\nmax_jobs = 1\nexpire = '24h'\n", "-l", "unix:DIR/s")
	p.client()
	tell := p.teller(t)
	tell(0, "m*  file, line 1  max_jobs=1 expire=24h\n", "policy", "list")
	tell(0, "set m*; without a data directory", "policy", "set", "m*", "max_jobs=7", "full=oldest")
	tell(0, "[[tube]]\nmatch = \"m*\"\nmax_jobs = 7\nexpire = \"24h\"\nfull = \"oldest\"\n", "policy", "text")
	tell(0, "set mail", "policy", "set", "mail", "retry=1s..1h")
	tell(0, "set m*", "policy", "set", "m*", "expire=")
	tell(0, "set *", "policy", "set", "*", "max_bytes=1KiB")
	tell(0, "mail  run time, line 1  retry=1s..1h\nm*    run time, line 4  max_jobs=7 full=oldest\n*     run time, "+
		"line 8  max_bytes=1KiB\n"+
		"m*    file, line 1      (never asked: m* comes first) max_jobs=1 expire=24h\n", "policy", "list")
	tell(0, `{"match":"m*","from":"run time","line":4,"max_jobs":7,"full":"oldest"}`, "policy", "list", "-json", "m")
	tell(3, "no policy with the pattern x", "policy", "remove", "x")
	tell(1, "beanfield policy: burst=3: there is no rate", "policy", "set", "x", "burst=3")
	tell(1, "beanfield policy: expire=a: b: not a time with its unit; allowed: text", "policy", "set", "x",
		"max_jobs=2", "expire=a: b")
	tell(0, "removed m*", "policy", "remove", "m*")
	tell(2, "what is", "policy", "sets")
	file := t.TempDir() + "/f"
	must.Do(t, os.WriteFile(file, []byte("[[tube]]\nmatch = ':\\\"'\nmax_jobs = -1"), 0o600))
	tell(1, "beanfield policy: line 3 of the policies: tube.max_jobs = -1: too small", "policy", "load", file)
	must.Do(t, os.WriteFile(file, []byte("# none\n"), 0o600))
	tell(0, "removed mail, *", "policy", "load", file)
	tell(0, "# none\n", "policy", "text")
	t.Setenv("VISUAL", "printf \"[[tube]]\\nmatch = 'x'\\n\" >>")
	tell(0, "set x", "policy", "edit")
	tell(0, "x  run time, line 2  \n", "policy", "list", "x")
	tell(3, "no policy matches y", "policy", "list", "y")
}
