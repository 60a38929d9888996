package command

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"beanfield/storage/must"
)

// child is a command in a process of its own, whose output a test reads as it comes.
type child struct {
	*exec.Cmd
	t      *testing.T
	in     io.WriteCloser
	out    *bufio.Reader
	stdout io.Closer
	stderr bytes.Buffer
}

// heeded has processes that a test starts heed a signal that the test itself ignores, as under
// nohup: they would ignore it as well.
func heeded(t *testing.T, sig os.Signal) {
	if !signal.Ignored(sig) {
		return
	}
	c := make(chan os.Signal, 1)
	signal.Notify(c, sig)
	t.Cleanup(func() { signal.Stop(c) })
}

func spawn(t *testing.T, s *daemon, args ...string) *child {
	t.Helper()
	c := &child{t: t, Cmd: exec.Command(beanfield(), append([]string{args[0], "-server", s.addr}, args[1:]...)...)}
	c.Cmd.Stderr = &c.stderr
	in := must.Get(c.StdinPipe())
	out := must.Get(c.StdoutPipe())
	c.in, c.out, c.stdout = in, bufio.NewReader(out), out
	must.Do(t, c.Start())
	t.Cleanup(func() { _ = c.Process.Kill() })
	return c
}

// id is the next id that is printed; 0 is the end.
func (c *child) id() uint64 {
	c.t.Helper()
	line, err := c.out.ReadString('\n')
	if err == io.EOF {
		return 0
	}
	id, failed := strconv.ParseUint(strings.TrimSpace(line), 10, 64)
	if err != nil || failed != nil {
		c.t.Fatalf("%q, %v", line, err)
	}
	return id
}

// ends reads the ids to the end and returns the last one.
func (c *child) ends(last uint64, code int, says string) uint64 {
	c.t.Helper()
	for id := c.id(); id > 0; id = c.id() {
		if id != last+1 {
			c.t.Errorf("id %d follows %d", id, last)
		}
		last = id
	}
	_ = c.Wait() // the code says it
	if got := c.ProcessState.ExitCode(); got != code || !strings.Contains(c.stderr.String(), says) {
		c.t.Errorf("code %d, %q; want %d, %q", got, c.stderr.String(), code, says)
	}
	return last
}

// endless makes a file whose end no command reaches: lines come as long as somebody reads.
// It returns a function that waits for the end of whoever reads it.
func endless(t *testing.T, line string) (path string, over func()) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "jobs")
	must.Do(t, syscall.Mkfifo(path, 0o600))
	done := make(chan struct{})
	go func() {
		defer close(done)
		f, err := os.OpenFile(path, os.O_WRONLY, 0) // waits for the reader
		if err != nil {
			t.Error(err)
			return
		}
		defer f.Close()
		for err == nil {
			_, err = f.WriteString(strings.Repeat(line, 100))
		}
	}()
	return path, func() { <-done }
}

// U4: a put of many jobs that is asked to end prints the ids of all that are stored, and where
// it stopped: amid a file, and while it waits for input.
func TestInterruptedPuts(t *testing.T) {
	s := startServer(t)
	line := `{"tube":"default","body":"x"}` + "\n"
	stored := func() int { return s.count("default", "total-jobs") }
	last := uint64(0)
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		heeded(t, sig)
		for _, args := range [][]string{{"load"}, {"put", "-lines", "-file"}} {
			file, over := endless(t, line)
			c := spawn(t, s, append(args, file)...)
			if c.id() != last+1 {
				t.Fatal("no id")
			}
			_ = c.Process.Signal(sig)
			last = c.ends(last+1, 1, ": interrupted after ")
			over()
			if got := stored(); got != int(last) {
				t.Errorf("%v: %s: %d jobs are stored, and the last id printed is %d", sig, args[0], got, last)
			}
		}
	}
	c := spawn(t, s, "load")
	half := line[:5] // that is there already holds nothing back
	must.Get(io.WriteString(c.in, half))
	for range 3 {
		must.Get(io.WriteString(c.in, line[5:]+half))
		last++
		if id := c.id(); id != last {
			t.Errorf("id %d, want %d", id, last)
		}
	}
	_ = c.Process.Signal(syscall.SIGTERM)
	c.ends(last, 1, "interrupted after line 3: 3 jobs were put")
}

// U4: what the server has said is printed before the next wait for it, so a kill -9 hides only
// ids that it has not said yet.
func TestIDsAreNotHeldBack(t *testing.T) {
	talk := func(conn net.Conn, in *bufio.Reader) {
		puts(conn, in, 7)
		_, _ = io.Copy(io.Discard, in)
	}
	for _, args := range [][]string{{"load"}, {"put", "-lines"}} {
		c := spawn(t, pretend(t, talk), args...)
		must.Get(io.WriteString(c.in, strings.Repeat(`{"tube":"a","body":"x"}`+"\n", 400)))
		c.in.Close()
		for want := uint64(1); want <= 7; want++ {
			if id := c.id(); id != want {
				t.Errorf("%s: id %d, want %d", args[0], id, want)
			}
		}
		_ = c.Process.Kill()
		_ = c.Wait()
	}
}

// U4: an output that is closed ends a put, which says what was stored without its id being
// printed.
func TestPutsIntoClosedOutput(t *testing.T) {
	for _, args := range [][]string{{"load"}, {"put", "-lines"}} {
		s := startServer(t)
		c := spawn(t, s, args...)
		c.stdout.Close()
		line := `{"tube":"default","body":"x"}` + "\n"
		for range 3 { // the first finds out, and nothing follows it
			_, _ = io.WriteString(c.in, line)
			_ = c.in.Close()
		}
		_ = c.Wait()
		if c.ProcessState.ExitCode() != 1 || !strings.Contains(c.stderr.String(),
			"ids that could not be printed: 1\n") ||
			!strings.Contains(c.stderr.String(), "broken pipe\n1 jobs were put") ||
			s.count("default", "total-jobs") != 1 {
			t.Errorf("%s: %v, %q", args[0], c.ProcessState, c.stderr.String())
		}
	}
}

// Jobs that are moved or deleted by the thousand: a command that is asked to end says how many.
func TestInterruptedSweeps(t *testing.T) {
	s := startServer(t)
	s.puts("from", 60_000)
	for done, args := range map[string][]string{"moved": {"move", "from", "to"}, "purged": {"purge", "from", "-n",
		"60000"}} {
		before := s.count("from", "current-jobs-ready")
		c := spawn(t, s, args...)
		for s.count("from", "current-jobs-ready") == before {
		}
		_ = c.Process.Signal(syscall.SIGTERM)
		said, err := c.out.ReadString('\n')
		n, failed := strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(said, done+" ")))
		_ = c.Wait()
		left := s.count("from", "current-jobs-ready")
		if err != nil || failed != nil || before-left != n || left > 0 && (c.ProcessState.ExitCode() != 1 ||
			!strings.Contains(c.stderr.String(), "interrupted")) {
			t.Errorf("%q: %q, %d before and %d after, %q", args, said, before, left, c.stderr.String())
		}
	}
}

func TestIDRanges(t *testing.T) {
	if got := idRanges([]uint64{1, 2, 3, 7, 9, 10}); got != "1-3, 7, 9-10" {
		t.Error(got)
	}
}
