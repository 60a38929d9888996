package main

import (
	"os"
	"os/exec"
	"testing"

	"beanfield/storage/must"
)

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
