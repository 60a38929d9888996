package command

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"beanfield/storage/must"
)

// patience is the limit of every wait of these tests, far above what they need on the
// busiest machine.
const patience = 5 * time.Minute

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
		if out, err := exec.Command("go", "build", "-o", built.path,
			"beanfield/cmd/beanfield").CombinedOutput(); err != nil {
			built.err = fmt.Errorf("%w\n%s", err, out)
		}
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	return built.path
}

// daemon is a server of its own for a test, on a unix socket.
type daemon struct {
	*exec.Cmd
	t    *testing.T
	addr string
	dir  string
}

// startServer starts a program with beanstalkd's flags, and more.
func startServer(t *testing.T, program string, flags ...string) *daemon {
	t.Helper()
	dir, err := os.MkdirTemp("", "bf") // short, as paths of sockets must be
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	s := &daemon{t: t, dir: dir, addr: "unix:" + filepath.Join(dir, "s")}
	for i := range flags {
		flags[i] = strings.ReplaceAll(flags[i], "DIR", dir)
		if flags[i] == filepath.Join(dir, "data") {
			err = errors.Join(err, os.MkdirAll(flags[i], 0o700))
		}
	}
	if len(flags) == 0 || flags[0] != "-config" {
		flags = append(flags, "-l", s.addr)
	} else {
		text := must.Get(os.ReadFile(flags[1]))
		must.Do(t, os.WriteFile(flags[1], bytes.ReplaceAll(text, []byte("DIR"), []byte(dir)), 0o600))
	}
	s.Cmd = exec.Command(program, flags...)
	s.Stderr = os.Stderr
	must.Do(t, errors.Join(err, s.Start()))
	t.Cleanup(s.kill)
	for begun := time.Now(); ; <-time.After(time.Millisecond) {
		err := s.answers()
		if err == nil {
			return s
		}
		if time.Since(begun) > patience {
			t.Fatal(err)
		}
	}
}

// answers returns an error if the server does not serve yet: it accepts connections before
// its data is there.
func (s *daemon) answers() error {
	conn, err := net.Dial("unix", filepath.Join(s.dir, "s"))
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "list-tube-used\r\n"); err != nil {
		return err
	}
	_, err = bufio.NewReader(conn).ReadString('\n')
	return err
}

// vanishes waits until a tube is gone: it stays until the server has seen the end of the
// last connection that used it.
func (s *daemon) vanishes(tube string) {
	s.t.Helper()
	for begun := time.Now(); s.run("stats", "-tube", tube).code != 3; {
		if time.Since(begun) > patience {
			s.t.Fatalf("tube %s stays", tube)
		}
	}
}

// drains makes the server take no more jobs.
func (s *daemon) drains() {
	s.t.Helper()
	must.Do(s.t, s.Process.Signal(syscall.SIGUSR1))
	for begun := time.Now(); !strings.Contains(s.run("stats").stdout, "draining: true"); {
		if time.Since(begun) > patience {
			s.t.Fatal("it does not drain")
		}
	}
}

// moves says that the server can move jobs itself.
func (s *daemon) moves() bool { return strings.Contains(s.t.Name(), "/beanfield") }

func (s *daemon) kill() {
	if s.ProcessState == nil {
		_ = s.Process.Kill()
		_ = s.Wait()
	}
}

// run runs a command against the server.
func (s *daemon) run(args ...string) outcome {
	s.t.Helper()
	return s.typed("", args...)
}

func (s *daemon) typed(stdin string, args ...string) outcome {
	s.t.Helper()
	return typed(s.t, stdin, append([]string{args[0], "-server", s.addr}, args[1:]...)...)
}

// count is a key of a tube's stats.
func (s *daemon) count(tube, key string) string {
	s.t.Helper()
	return valueIn(s.run("stats", "-tube", tube).stdout, key)
}

// wantCount checks one.
func (s *daemon) wantCount(tube, key, want string) {
	s.t.Helper()
	if got := s.count(tube, key); got != want {
		s.t.Errorf("tube %s has %s %s, want %s", tube, key, got, want)
	}
}

// valueIn is what stats say of a key.
func valueIn(stats, key string) string {
	for line := range strings.Lines(stats) {
		if value, ok := strings.CutPrefix(line, key+": "); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// onEach runs a test against beanfield, and against beanstalkd if there is one.
func onEach(t *testing.T, test func(t *testing.T, s *daemon)) {
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
	must.Do(t, os.WriteFile(path, []byte(text), 0o600))
}
