package command

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"beanfield/conn/beanstalk/client"
	"beanfield/storage/must"
)

// patience is the limit of every wait of these tests, far above what they need on the
// busiest machine.
const patience = 5 * time.Minute

// builtIn is where beanfield was built, if a test needed it.
var builtIn string

func TestMain(m *testing.M) {
	code := m.Run()
	os.RemoveAll(builtIn)
	os.Exit(code)
}

// beanfield is built once.
var beanfield = sync.OnceValue(func() string {
	builtIn = must.Get(os.MkdirTemp("", "beanfield"))
	path := filepath.Join(builtIn, "beanfield")
	if out, err := exec.Command("go", "build", "-o", path, "beanfield/cmd/beanfield").CombinedOutput(); err != nil {
		panic(fmt.Sprintf("%v\n%s", err, out))
	}
	return path
})

// daemon is a server of its own for a test, on a unix socket.
type daemon struct {
	*exec.Cmd
	t    *testing.T
	addr string
	dir  string
}

// startServer starts beanfield with beanstalkd's flags, and more.
func startServer(t *testing.T, flags ...string) *daemon { return start(t, beanfield(), flags...) }

func start(t *testing.T, program string, flags ...string) *daemon {
	t.Helper()
	dir := must.Get(os.MkdirTemp("", "bf")) // short, as paths of sockets must be
	t.Cleanup(func() { os.RemoveAll(dir) })
	s := &daemon{t: t, dir: dir, addr: "unix:" + filepath.Join(dir, "s")}
	must.Do(t, os.Mkdir(s.data(), 0o700))
	for i := range flags {
		flags[i] = strings.ReplaceAll(flags[i], "DIR", dir)
	}
	if len(flags) == 0 || flags[0] != "-config" {
		flags = append(flags, "-l", s.addr)
	} else {
		text := must.Get(os.ReadFile(flags[1]))
		must.Do(t, os.WriteFile(flags[1], bytes.ReplaceAll(text, []byte("DIR"), []byte(dir)), 0o600))
	}
	s.Cmd = exec.Command(program, flags...)
	s.Stderr = os.Stderr
	must.Do(t, s.Start())
	t.Cleanup(s.kill)
	s.until("it serves", func() bool { // it accepts connections before its data is there
		c, err := client.Dial(client.Options{Server: s.addr, Timeout: patience})
		if err == nil {
			_, err = c.Ask("list-tube-used")
			err = errors.Join(err, c.HangUp())
		}
		return err == nil
	})
	return s
}

// data is its data directory, if it has one.
func (s *daemon) data() string { return filepath.Join(s.dir, "data") }

// until waits.
func (s *daemon) until(what string, is func() bool) {
	s.t.Helper()
	for begun := time.Now(); !is(); <-time.After(time.Millisecond) {
		if time.Since(begun) > patience {
			s.t.Fatalf("it is not so that %s", what)
		}
	}
}

// vanishes waits until a tube is gone: it stays until the server has seen the end of the
// last connection that used it.
func (s *daemon) vanishes(tube string) {
	s.t.Helper()
	s.until("tube "+tube+" is gone", func() bool { return s.run("stats", "-tube", tube).code == 3 })
}

// drains makes the server take no more jobs.
func (s *daemon) drains() {
	s.t.Helper()
	must.Do(s.t, s.Process.Signal(syscall.SIGUSR1))
	s.until("it drains", func() bool { return strings.Contains(s.run("stats").stdout, "draining: true") })
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
func (s *daemon) run(args ...string) outcome { return s.typed("", args...) }

func (s *daemon) typed(stdin string, args ...string) outcome {
	return typed(stdin, append([]string{args[0], "-server", s.addr}, args[1:]...)...)
}

func (s *daemon) talk(text string) {
	s.t.Helper()
	talk(s.t, s.run, text)
}

// puts puts so many jobs into a tube.
func (s *daemon) puts(tube string, n int) {
	s.t.Helper()
	s.typed(strings.Repeat("x\n", n), "put", "-lines", "-quiet", "-tube", tube).want(s.t, 0, "", "")
}

// count is a key of a tube's stats, or of the server's.
func (s *daemon) count(tube, key string) int {
	s.t.Helper()
	args := []string{"stats"}
	if tube != "" {
		args = []string{"stats", "-tube", tube}
	}
	for line := range strings.Lines(s.run(args...).stdout) {
		if value, ok := strings.CutPrefix(line, key+": "); ok {
			return must.Get(strconv.Atoi(strings.TrimSpace(value)))
		}
	}
	return 0
}

// wantCounts checks how many jobs of a tube are in some states: "ready 2 buried 1".
func (s *daemon) wantCounts(tube, counts string) {
	s.t.Helper()
	all := strings.Fields(counts)
	for i := 0; i < len(all); i += 2 {
		if got := strconv.Itoa(s.count(tube, "current-jobs-"+all[i])); got != all[i+1] {
			s.t.Errorf("tube %s has %s jobs that are %s, want %s", tube, got, all[i], all[i+1])
		}
	}
}

// dial is a connection of a command.
func (s *daemon) dial(o client.Options) *server {
	o.Server, o.Timeout = s.addr, patience
	c := must.Get(client.Dial(o))
	s.t.Cleanup(func() { c.Close() })
	return &server{Client: c}
}

// onEach runs a test against beanfield, and against beanstalkd if there is one (U1).
func onEach(t *testing.T, test func(t *testing.T, s *daemon)) {
	t.Run("beanfield", func(t *testing.T) { test(t, startServer(t)) })
	t.Run("beanstalkd", func(t *testing.T) {
		path, err := exec.LookPath("beanstalkd")
		if err != nil {
			t.Skip("beanstalkd is not installed")
		}
		test(t, start(t, path))
	})
}

func writeFile(t *testing.T, path, text string) string {
	t.Helper()
	must.Do(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}
