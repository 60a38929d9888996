package main

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"beanfield/cmd/beanfield/exit"
	"beanfield/conn/access"
	"beanfield/storage/must"
)

// The process applies its rules from the first client on, and new ones at SIGHUP, for open
// connections too. With a mistake in them it does not start, and a running one keeps its own.
func TestProcessAppliesItsRules(t *testing.T) {
	const usual = "listen = [{ address = 'unix:DIR/s' }, { address = 'unix:DIR/login', login = true }]\n"
	peer := "[[access]]\nuid = " + strconv.Itoa(os.Getuid()) + "\nmay = ['put', 'stats']\ntubes = 'mine'\n"
	token := "[[access]]\ntoken = '" + access.HashOf("of-mine").String() + "'\nmay = 'peek'\n"
	p, write := configured(t, usual+peer+token)
	c, other := p.client(), p.dial(p.dir+"/login")
	c.expect("put 0 0 1 1\r\nx", "BAD_FORMAT")
	c.expect("use mine", "USING mine")
	c.expect("put 0 0 1 1\r\nx", "INSERTED 1")
	c.expect("peek 1", "NOT_FOUND")
	c.expect("auth of-mine", "UNKNOWN_COMMAND")
	other.expect("peek 1", "NOT_FOUND")
	other.expect("auth of-mine", "OK 0\r\n")
	other.expect("peek 1", "FOUND 1 1")

	write(usual + peer + "[[access]]\nmay = 'put'\n")
	has(t, p.reads(), "/c.toml:6: access: the rule names nobody")
	c.expect("put 0 0 1 1\r\nx", "INSERTED 2")
	write(usual + token)
	has(t, p.reads(), "access: changed")
	c.expect("put 0 0 1 1\r\nx", "BAD_FORMAT")
	c.expect("stats", "BAD_FORMAT")
	if said := p.said(); strings.Contains(said, "of-mine") {
		t.Errorf("the log has a token:\n%s", said)
	}
	p.stop()

	prepare(t, "-l", "unix:DIR/s", "-config", fileWith(t, "[[access]]\nmay = 'put'\n")).fails(exit.Usage,
		"the rule names nobody")
}

// The workers of the manual's example get in as any user of the machine, with their token, though
// the service's umask is 0027; and without it, nobody does anything.
func TestExampleLetsWorkersIn(t *testing.T) {
	if _, err := exec.LookPath("setpriv"); err != nil || os.Geteuid() != 0 {
		t.Skip("only root can be another user, with setpriv")
	}
	m := newMachine(t)
	must.Do(t, os.Chmod(m.root, 0o755))
	const worker = "setpriv --reuid 65534 --regid 65534 --clear-groups ./worker put -server " +
		"unix:/run/beanfield/beanfield.sock -tube mail"
	m.run("umask 027\n" + scriptOf("access") + "cp \"$(command -v beanfield)\" worker\nchmod 755 worker\nchmod 644 " +
		"worker.token\n" +
		worker + " -token-file worker.token hello\n! " + worker + " hello\n")
}
