package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"beanfield/cmd/beanfield/exit"
	"beanfield/cmd/beanfield/manual"
	"beanfield/storage/must"
)

// answers are what the program says, and the code it ends with, when it does not
// serve. DIR is a directory of its own, PORT one that is taken.
var answers = []struct {
	args           string
	code           int
	stdout, stderr string // the beginning of the one, a part of the other
}{
	{"-v", 0, "beanfield " + version + "\n", ""},
	{"-cVv -q", 0, "beanfield " + version + "\n", "beanfield: -c flag was removed. binlog is always compacted.\n"},
	{"--version", 0, "beanfield " + version + "\n", ""},
	{"version", 0, "beanfield " + version + "\ncommit    ", ""},
	{"help", 0, "Use: beanfield [OPTIONS]", ""},
	{"check-config -l unix:DIR/s", 0, "# beanfield " + version + " would run with:\n", ""},
	{"check-config DIR/wrong.toml", 5, "", "beanfield: DIR/wrong.toml:2: nonsense"},
	{"dump DIR/none", 1, "", "beanfield dump: stat DIR/none: no such file or directory\n"},
	{"-V dump DIR/none", 5, "", "beanfield: unknown argument: dump\nUse: "},
	{"-h", 0, "", "Use: "},
	{"--help", 0, "", "Use: "},
	{"-V --help -q", 0, "", "Use: "},
	{"--help=x", 5, "", "beanfield: flag takes no value: --help=x\nUse: "},
	{"--halp", 5, "", "beanfield: unknown flag: --halp\nUse: "},
	{"-z 12k", 5, "", "beanfield: invalid size: 12k\nUse: "},
	{"-q", 5, "", "beanfield: unknown flag: -q\nUse: "},
	{"stray", 2, "", "beanfield: there is no command \"stray\"\nUse: "},
	{"11300", 2, "", "beanfield: there is no command \"11300\"\nUse: "},
	{"tube", 2, "", "beanfield: there is no command \"tube\"; did you mean tubes?\nUse: "},
	{"staus -json", 2, "", "beanfield: there is no command \"staus\"; did you mean stats?\nUse: "},
	{"-V stray", 5, "", "beanfield: unknown argument: stray\nUse: "},
	{"-server 127.0.0.1:1 tubes", 5, "", "A command comes first, and its flags follow: beanfield tubes [FLAGS]\n"},
	{"-p", 5, "", "beanfield: flag requires an argument: -p\nUse: "},
	{"-b", 5, "", "beanfield: flag requires an argument: -b\nUse: "},
	{"-b DIR/none -l unix:DIR/s", 10, "", "beanfield: -b DIR/none: no such directory: it must exist\n"},
	{"-b DIR/wrong.toml -l unix:DIR/s", 10, "", "beanfield: -b DIR/wrong.toml: not a directory\n"},
	{"-b DIR/none -check-config", 10, "", "beanfield: -b DIR/none: no such directory: it must exist\n"},
	{"-config DIR/none", 5, "", "beanfield: DIR/none: cannot read the configuration: no such file or directory\n"},
	{"-l unix:DIR/s -config DIR/wrong.toml", 5, "", "beanfield: DIR/wrong.toml:1: shards = -1: too small; allowed: " +
		"0 to 254\n" +
		"beanfield: DIR/wrong.toml:2: nonsense = 1: unknown key; allowed: "},
	{"-check-config -config DIR/wrong.toml", 5, "", "beanfield: DIR/wrong.toml:2: nonsense"},
	{"-check-config -z -1 -l unix:DIR/s", 0, "# beanfield " + version + " would run with:\n",
		"maximum job size was set to 1073741824"},
	{"-u no-such-user -l unix:DIR/s", 33, "", "beanfield: -u no-such-user: no such user\n"},
	{"-l 127.0.0.1 -p PORT", 111, "", "error=\"cannot listen on 127.0.0.1:PORT: address already in use\"\n"},
	{"-p PORT", 111, "", "error=\"cannot listen on :PORT: address already in use\"\n"},
	{"-l 192.0.2.1", 111, "", "cannot listen on 192.0.2.1:11300"},
	{"-p no-such-service", 111, "", "beanfield: -p no-such-service: "},
	{"-l unix:DIR/wrong.toml", 111, "", "another file already exists in the given path"},
}

func TestProcessAnswers(t *testing.T) {
	taken := must.Get(net.Listen("tcp4", "127.0.0.1:0"))
	defer taken.Close()
	_, port, _ := net.SplitHostPort(taken.Addr().String())
	for _, c := range answers {
		t.Run(c.args, func(t *testing.T) {
			dir := shortDir(t)
			must.Do(t, os.WriteFile(filepath.Join(dir, "wrong.toml"), []byte("shards = -1\nnonsense = 1\n"), 0o600))
			var stdout, stderr bytes.Buffer
			in := strings.NewReplacer("PORT", port, "DIR", dir)
			words := strings.Fields(in.Replace(c.args))
			if c.code == exit.Listen { // it listens for signals before it binds
				p := prepare(t, words...)
				p.Stdout = &stdout
				must.Do(t, p.Start())
				p.ends(c.code)
				stderr.WriteString(p.said())
			} else if code := run(words, &stdout, &stderr); code != c.code {
				t.Errorf("ended with %d, want %d", code, c.code)
			}
			if got := stdout.String(); !strings.HasPrefix(got, c.stdout) || c.stdout == "" && got != "" {
				t.Errorf("stdout is %q", got)
			}
			if got := stderr.String(); !strings.Contains(got, in.Replace(c.stderr)) || c.stderr == "" && got != "" {
				t.Errorf("stderr is %q, want %q", got, c.stderr)
			}
			if _, err := os.Lstat(filepath.Join(dir, "s")); !errors.Is(err, fs.ErrNotExist) {
				t.Error("it has made a socket")
			}
		})
	}
}

// Sockets of systemd override the options, and the log says so.
func TestProcessInherits(t *testing.T) {
	p := prepare(t, "-V", "-l", "127.0.0.2", "-p", "1")
	inherits(p)
	has(t, p.said(), "inherited listen fd; ignoring option: -l 127.0.0.2", "inherited listen fd; ignoring option: -p 1")
	p.stop()
	if _, err := os.Lstat(p.dir + "/s"); err != nil {
		t.Errorf("systemd's socket is gone: %v", err)
	}
}

// A node of a cluster takes clients of systemd's sockets, too, and lets those wait that come before it serves.
func TestNodeInherits(t *testing.T) {
	dir := shortDir(t)
	must.Do(t, os.Mkdir(dir+"/data", 0o700))
	must.Do(t, os.WriteFile(dir+"/c", fmt.Appendf(nil, "loops = 1\nshards = 1\n[storage]\nbackend = 'pebble'\npath = "+
		"'%s/data'\n[log]\nlevel = 'info'\n[cluster]\nname = 'c'\nnode = 'a'\nsecret = 's'\nreplicas = 1\n"+
		"wait = '1h'\nnodes = { a = '%s:20120' }\n", dir, loopback(0)), 0o600))
	p := prepareIn(t, dir, "-config", dir+"/c")
	inherits(p)
	p.stop()
}

// inherits starts a process with two sockets of systemd, whose clients it is to serve. A shell sets LISTEN_PID, since
// the number is known only in the process itself.
func inherits(p *process) {
	t := p.t
	t.Helper()
	p.Path, p.Args = "/bin/sh", append([]string{"sh", "-c", `LISTEN_PID=$$ exec "$@"`, "sh", p.Path}, p.Args[1:]...)
	p.Env = append(p.Env, "LISTEN_FDS=2")
	var ls []net.Listener
	for _, a := range [][2]string{{"tcp4", "127.0.0.1:0"}, {"unix", p.dir + "/s"}} {
		l := must.Get(net.Listen(a[0], a[1]))
		t.Cleanup(func() { l.Close() })
		ls = append(ls, l)
		p.ExtraFiles = append(p.ExtraFiles, must.Get(l.(interface{ File() (*os.File, error) }).File()))
	}
	// Clients are in the kernel's queues before anybody accepts.
	var early []*client
	for _, l := range ls {
		early = append(early, p.dial(l.Addr().String()))
	}
	p.start()
	if got := p.addresses(); len(got) != 2 || got[0] != ls[0].Addr().String() || got[1] != p.dir+"/s" {
		t.Errorf("listens on %q", got)
	}
	for _, c := range early {
		c.expect("list-tube-used", "USING default")
	}
}

// A version that cannot be printed is an error.
func TestVersionUnprinted(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	for _, args := range [][]string{{"--version"}, {"-v"}, {"version"}, {"-check-config"}} {
		var errs bytes.Buffer
		if code := run(args, full, &errs); code != 1 || !strings.Contains(errs.String(), "no space left") {
			t.Errorf("%q: code %d, %q", args, code, errs.String())
		}
	}
}

// What check-config -starter prints is taken without a doubt, as it is, and with everything that it has in comments.
func TestStarter(t *testing.T) {
	var out strings.Builder
	if code := run([]string{"check-config", "-starter"}, &out, io.Discard); code != exit.OK ||
		strings.Count(out.String(), "\n") > 50 {
		t.Errorf("code %d, %s", code, out.String())
	}
	all := regexp.MustCompile(`(?m)^# (\[|\w+ = )`).ReplaceAllString(out.String(), "$1")
	all = strings.NewReplacer("/var/lib/beanfield/data", t.TempDir(), "THE HASH THAT beanfield token PRINTS",
		strings.Repeat("0", 64)).Replace(all)
	for _, text := range []string{out.String(), all} {
		c := configOf(t, "", text)
		if doubts := c.Doubts(); len(doubts) > 0 || len(c.HTTP.Listen) != 1 || len(c.Access) != 0 && len(c.Tubes) != 1 {
			t.Errorf("%q\n%s", doubts, text)
		}
	}
}

// The newest entry of the page changes is that of this version, and the page upgrade says what each format is of.
func TestVersionIsExplained(t *testing.T) {
	changes, _ := manual.Page("changes")
	if newest := regexp.MustCompile(`(?m)^## (.+)$`).FindStringSubmatch(changes); newest == nil || newest[1] != version {
		t.Errorf("this is version %s, and the newest that changes explains is %q", version, newest)
	}
	upgrade, _ := manual.Page("upgrade")
	table := regexp.MustCompile("(?m)^\\| `.*$").FindAllString(upgrade, -1)
	for name, n := range formats() {
		if n < 1 || !slices.ContainsFunc(table, func(row string) bool { return strings.Contains(row, "`"+name+"`") }) {
			t.Errorf("format %d of %s is not in the table of the page upgrade", n, name)
		}
	}
}
