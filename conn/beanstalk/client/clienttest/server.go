package clienttest

import (
	"bufio"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"beanfield/storage/must"
)

// Pretend listens as a server that a test plays, and returns its address: talk is called with the
// first connection, which is closed when it returns.
func Pretend(t *testing.T, talk func(conn net.Conn, in *bufio.Reader)) (addr string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s")
	l := must.Get(net.Listen("unix", path))
	t.Cleanup(func() { l.Close() })
	go func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		talk(conn, bufio.NewReader(conn))
	}()
	return "unix:" + path
}

// Beanstalkd finds beanstalkd, or skips the test on a machine without it.
func Beanstalkd(t testing.TB) string {
	t.Helper()
	for _, name := range []string{"beanstalkd", "/usr/bin/beanstalkd", "/usr/sbin/beanstalkd"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	const missing = "beanstalkd is not installed: apt-get install -y beanstalkd"
	if os.Getenv("CI") == "true" {
		t.Fatal(missing)
	}
	t.Skip(missing)
	return ""
}
