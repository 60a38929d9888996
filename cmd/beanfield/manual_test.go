package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"beanfield/cmd/beanfield/manual"
	"beanfield/storage/must"
)

// machine is where the commands of the manual are tried: a directory with what the
// packages install, and a word for everything that would touch this machine.
type machine struct {
	t       *testing.T
	root    string
	replace *strings.Replacer
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	root := shortDir(t)
	for _, dir := range []string{"bin", "etc/beanfield", "var/lib/beanfield/data", "var/lib/beanfield/backups",
		"run/beanfield", "here"} {
		must.Do(t, os.MkdirAll(filepath.Join(root, dir), 0o755))
	}
	m := &machine{t: t, root: root}
	m.replace = strings.NewReplacer(
		"127.0.0.1:11300", freeAddress(t), "127.0.0.1:11380", freeAddress(t), "127.0.0.1:11381", freeAddress(t),
		"127.0.0.1:11400", freeAddress(t),
		"/etc/beanfield", root+"/etc/beanfield", "/var/lib/beanfield", root+"/var/lib/beanfield", "/run/beanfield",
		root+"/run/beanfield")
	installed := must.Get(os.ReadFile("../../tools/package/files/beanfield.toml"))
	m.write("etc/beanfield/beanfield.toml", string(installed)+
		"[queue]\nlisten = [\"127.0.0.1:11380\"]\n[http]\nlisten = [\"127.0.0.1:11381\"]\n", 0o644)
	m.write("bin/systemctl", standIn, 0o755)
	m.write("bin/chown", "#!/bin/sh\n", 0o755)
	must.Do(t, os.Symlink(binary(), filepath.Join(root, "bin/beanfield")))
	return m
}

// standIn is systemctl, as far as the manual uses it.
const standIn = `#!/bin/bash
set -eu
pid=/run/beanfield/pid alive=/run/beanfield/alive # which is locked as long as the server runs
start() {
	flock -F $alive beanfield -config /etc/beanfield/beanfield.toml 2>>/run/beanfield/log & echo $! >$pid
	until beanfield stats -server 127.0.0.1:11300 >/dev/null 2>&1; do kill -0 $(cat $pid); sleep 0.02; done
}
stop() {
	[ -e $pid ] || return 0
	kill -TERM $(cat $pid)
	flock $alive rm $pid
}
case "$*" in
"start beanfield") start ;;
"stop beanfield") stop ;;
"restart beanfield") stop; start ;;
"reload beanfield") kill -HUP $(cat $pid) ;;
"kill -s "*" beanfield") kill -s $3 $(cat $pid) ;;
*) echo "the stand-in for systemctl does not know: $*" >&2; exit 1 ;;
esac
`

func (m *machine) write(name, text string, mode os.FileMode) {
	m.t.Helper()
	must.Do(m.t, os.WriteFile(filepath.Join(m.root, name), []byte(m.replace.Replace(text)), mode))
}

// Ports are taken from below those that the kernel gives to outgoing connections, which
// would take them before the server listens; tools/server takes those below them.
const (
	firstPort = 30_000
	ports     = 2_700
)

var portsTried atomic.Uint32

// freeAddress is one where nobody listened a moment ago. No other server of this program
// gets the same.
func freeAddress(t testing.TB) string {
	t.Helper()
	for {
		port := firstPort + (uint32(os.Getpid())*97+portsTried.Add(1))%ports
		l, err := net.Listen("tcp4", fmt.Sprintf("127.0.0.1:%d", port))
		if err == nil {
			defer l.Close()
			return l.Addr().String()
		}
		if portsTried.Load() > ports {
			t.Fatal(err)
		}
	}
}

// fence is a block of a page: its language, and its text.
var fence = regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```$")

// Every command of the manual does what it does in the manual: the blocks of a page marked
// sh are run one after the other, as one script, beside the service as the packages
// install it. A command that fails ends the test.
func TestManualCommands(t *testing.T) {
	t.Parallel()
	for _, topic := range manual.Topics {
		script := scriptOf(topic.Name)
		if script == "" {
			continue
		}
		t.Run(topic.Name, func(t *testing.T) {
			for _, tool := range []string{"curl", "openssl"} {
				if _, err := exec.LookPath(tool); err != nil && strings.Contains(script, "\n"+tool+" ") {
					t.Skip("no " + tool + " here")
				}
			}
			t.Parallel()
			if topic.Name == "upgrade" { // whose reader has jobs already, and has them afterwards
				script = "beanfield put -tube orders 'order 1' 'order 2'\n" + script + "beanfield tubes orders\n"
			}
			m := newMachine(t)
			m.run(script)
		})
	}
}

// scriptOf is the commands of a page.
func scriptOf(topic string) (script string) {
	text, _ := manual.Page(topic)
	for _, block := range fence.FindAllStringSubmatchIndex(text, -1) {
		if text[block[2]:block[3]] == "sh" {
			line := 2 + strings.Count(text[:block[0]], "\n")
			script += fmt.Sprintf("echo '== line %d' >&2\n%s", line, text[block[4]:block[5]])
		}
	}
	return script
}

// run runs a script beside the service.
func (m *machine) run(script string) {
	m.t.Helper()
	m.write("script", "set -euo pipefail\ntrap 'systemctl stop beanfield' EXIT\nsystemctl start beanfield\n"+script,
		0o644)
	cmd := exec.Command("bash", "../script")
	cmd.Dir = filepath.Join(m.root, "here")
	cmd.Env = append(os.Environ(), "PATH="+m.root+"/bin:"+os.Getenv("PATH"),
		m.replace.Replace("BEANFIELD_SERVER=127.0.0.1:11300"))
	cmd.WaitDelay = patience
	limit := time.AfterFunc(2*patience, func() { cmd.Process.Kill() })
	defer limit.Stop()
	if out, err := cmd.CombinedOutput(); err != nil {
		log, _ := os.ReadFile(m.root + "/run/beanfield/log")
		m.t.Fatalf("%v\n%s\nthe server says\n%s", err, out, log)
	}
}

// Every configuration in the manual is one that the server takes, beside what is
// installed.
func TestManualConfigurations(t *testing.T) {
	for _, topic := range manual.Topics {
		text, _ := manual.Page(topic.Name)
		for _, block := range fence.FindAllStringSubmatch(text, -1) {
			if block[1] != "toml" {
				continue
			}
			m := newMachine(t)
			m.write("block.toml", block[2], 0o644)
			if out, err := exec.Command(binary(), "check-config", m.root+"/block.toml").CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s\n%s", topic.Name, err, out, block[2])
			}
		}
	}
}

// The workers of the manual's example get in as any user of the machine, with their token, though
// the service's umask is 0027; and without it, nobody does anything.
func TestExampleLetsWorkersIn(t *testing.T) {
	if _, err := exec.LookPath("setpriv"); err != nil || os.Geteuid() != 0 {
		t.Skip("only root can be another user, with setpriv")
	}
	t.Parallel()
	m := newMachine(t)
	const worker = "setpriv --reuid 65534 --regid 65534 --clear-groups ./worker put -server " +
		"unix:/run/beanfield/beanfield.sock -tube mail"
	m.run("umask 027\n" + scriptOf("access") + "cp \"$(command -v beanfield)\" worker\nchmod 755 worker\nchmod 644 " +
		"worker.token\n" +
		worker + " -token-file worker.token hello\n! " + worker + " hello\n")
}
