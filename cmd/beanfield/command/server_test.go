package command

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"beanfield/conn/beanstalk/client"
	"beanfield/conn/beanstalk/client/clienttest"
	"beanfield/storage/must"
)

const patience = must.Patience

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
		text := strings.ReplaceAll(string(must.Get(os.ReadFile(flags[1]))), "DIR", dir)
		flags[1] = writeFile(t, filepath.Join(dir, "config"), text)
	}
	s.Cmd = exec.Command(program, flags...)
	s.Stderr = os.Stderr
	must.Do(t, s.Start())
	t.Cleanup(s.kill)
	must.Until(t, "it answers", func() bool { // it accepts connections before its data is there
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

func (s *daemon) kill() {
	if s.ProcessState == nil {
		_ = s.Process.Kill()
		_ = s.Wait()
	}
}

// run runs a command against the server.
func (s *daemon) run(args ...string) outcome { return s.typed("", args...) }

func (s *daemon) typed(stdin string, args ...string) outcome {
	if c := Find(args[0]); c != nil && c.remote {
		args = append([]string{args[0], "-server", s.addr}, args[1:]...)
	}
	return typed(stdin, args...)
}

// talk has a conversation with the server. "counts TUBE STATE..." prints how many jobs of a tube are in some states,
// and "sh WORDS" is for a shell, where the server's directory is.
func (s *daemon) talk(text string) {
	s.t.Helper()
	talk(s.t, s.step, strings.NewReplacer("DIR", s.dir, "PID", strconv.Itoa(s.Process.Pid)).Replace(text))
}

func (s *daemon) step(stdin string, args ...string) outcome {
	switch args[0] {
	case "counts":
		var counts []string
		for _, state := range args[2:] {
			counts = append(counts, strconv.Itoa(s.count(args[1], "current-jobs-"+state)))
		}
		return outcome{stdout: strings.Join(counts, " ") + "\n"}
	case "sh":
		cmd := exec.Command("sh", "-c", strings.Join(args[1:], " "))
		cmd.Dir, cmd.Stdin = s.dir, strings.NewReader(stdin)
		out, _ := cmd.CombinedOutput()
		return outcome{code: cmd.ProcessState.ExitCode(), stdout: string(out)}
	}
	return s.typed(stdin, args...)
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
		test(t, start(t, clienttest.Beanstalkd(t)))
	})
}

// The conversations of testdata. Their first lines say who has them: a beanfield with some flags, or each server (U1).
func TestConversations(t *testing.T) {
	for _, path := range must.Get(filepath.Glob("testdata/*.txt")) {
		head, text, _ := strings.Cut(strings.TrimSpace(string(must.Get(os.ReadFile(path)))), "\n")
		t.Run(filepath.Base(path), func(t *testing.T) {
			if flags, only := strings.CutPrefix(head, "beanfield"); only {
				startServer(t, strings.Fields(flags)...).talk(text)
			} else {
				onEach(t, func(t *testing.T, s *daemon) { s.talk(text) })
			}
		})
	}
}

func writeFile(t *testing.T, path, text string) string {
	t.Helper()
	must.Do(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}
