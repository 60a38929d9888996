package command

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// patience is the limit of every wait of these tests, far above what they need.
const patience = 20 * time.Second

func TestMain(m *testing.M) {
	code := m.Run()
	if built.path != "" {
		os.RemoveAll(filepath.Dir(built.path))
	}
	os.Exit(code)
}

// built is beanfield, built once, and only if a test needs it.
var built struct {
	once sync.Once
	path string
	err  error
}

func beanfield(t testing.TB) string {
	t.Helper()
	built.once.Do(func() {
		var dir string
		if dir, built.err = os.MkdirTemp("", "beanfield"); built.err != nil {
			return
		}
		built.path = filepath.Join(dir, "beanfield")
		if out, err := exec.Command("go", "build", "-o", built.path, "beanfield/cmd/beanfield").CombinedOutput(); err != nil {
			built.err = fmt.Errorf("%w\n%s", err, out)
		}
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	return built.path
}

// server is a server of its own for a test, on a unix socket.
type server struct {
	*exec.Cmd
	t    *testing.T
	addr string
	dir  string
}

// startServer starts a program with beanstalkd's flags, and more.
func startServer(t *testing.T, program string, flags ...string) *server {
	t.Helper()
	dir, err := os.MkdirTemp("", "bf") // short, as paths of sockets must be
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	s := &server{t: t, dir: dir, addr: "unix:" + filepath.Join(dir, "s")}
	for i := range flags {
		flags[i] = strings.ReplaceAll(flags[i], "DIR", dir)
		if flags[i] == filepath.Join(dir, "data") {
			err = errors.Join(err, os.MkdirAll(flags[i], 0o700))
		}
	}
	s.Cmd = exec.Command(program, append(flags, "-l", s.addr)...)
	s.Stderr = os.Stderr
	if err = errors.Join(err, s.Start()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.kill)
	for begun := time.Now(); ; <-time.After(time.Millisecond) {
		conn, err := net.Dial("unix", filepath.Join(dir, "s"))
		if err == nil {
			conn.Close()
			return s
		}
		if time.Since(begun) > patience {
			t.Fatal(err)
		}
	}
}

func (s *server) kill() {
	if s.ProcessState == nil {
		_ = s.Process.Kill()
		_ = s.Wait()
	}
}

// run runs a command against the server.
func (s *server) run(args ...string) outcome {
	s.t.Helper()
	return s.typed("", args...)
}

func (s *server) typed(stdin string, args ...string) outcome {
	s.t.Helper()
	return typed(s.t, stdin, append([]string{args[0], "-server", s.addr}, args[1:]...)...)
}

// count is a key of a tube's stats.
func (s *server) count(tube, key string) string {
	s.t.Helper()
	for line := range strings.Lines(s.run("stats", "-tube", tube).stdout) {
		if value, ok := strings.CutPrefix(line, key+": "); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// onEach runs a test against beanfield, and against beanstalkd if there is one.
func onEach(t *testing.T, test func(t *testing.T, s *server)) {
	t.Run("beanfield", func(t *testing.T) { test(t, startServer(t, beanfield(t))) })
	t.Run("beanstalkd", func(t *testing.T) {
		path, err := exec.LookPath("beanstalkd")
		if err != nil {
			t.Skip("beanstalkd is not installed")
		}
		test(t, startServer(t, path))
	})
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
