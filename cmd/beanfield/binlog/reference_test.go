package binlog

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"beanfield/storage"
	"beanfield/storage/must"
)

// beanstalkd is a process of Debian's beanstalkd with one connection to it.
type beanstalkd struct {
	t       *testing.T
	process *exec.Cmd
	conn    net.Conn
	in      *bufio.Reader
}

// reference finds beanstalkd, or skips the test on a machine without it.
func reference(t *testing.T) string {
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

// start runs beanstalkd on a directory of binlogs.
func start(t *testing.T, dir string, flags ...string) *beanstalkd {
	t.Helper()
	b := &beanstalkd{t: t, process: commandFor(t, dir, flags...)}
	socket := strings.TrimPrefix(b.process.Args[2], "unix:")
	must.Do(t, b.process.Start())
	t.Cleanup(b.kill)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	retry := time.NewTicker(time.Millisecond)
	defer retry.Stop()
	for {
		conn, err := net.Dial("unix", socket)
		if err == nil {
			b.conn, b.in = conn, bufio.NewReader(conn)
			b.expect("USING", "list-tube-used") // it listens before it has a binlog
			return b
		}
		select {
		case <-retry.C:
		case <-ctx.Done():
			t.Fatal(err)
		}
	}
}

// commandFor is a beanstalkd that is not started yet.
func commandFor(t *testing.T, dir string, flags ...string) *exec.Cmd {
	t.Helper()
	socket := filepath.Join(t.TempDir(), "s")
	return exec.Command(reference(t), append([]string{"-l", "unix:" + socket, "-b", dir}, flags...)...)
}

// kill ends beanstalkd at once, and waits for its end. Nothing that it acknowledged is
// lost: the kernel has its writes.
func (b *beanstalkd) kill() {
	if b.process == nil {
		return
	}
	_ = b.process.Process.Kill()
	_ = b.process.Wait()
	b.process = nil
	if b.conn != nil {
		_ = b.conn.Close()
	}
}

// say sends a command and returns the reply's words.
func (b *beanstalkd) say(format string, args ...any) []string {
	b.t.Helper()
	must.Get(fmt.Fprintf(b.conn, format+"\r\n", args...))
	return b.reply()
}

func (b *beanstalkd) reply() []string {
	b.t.Helper()
	text := must.Get(b.in.ReadString('\n'))
	return strings.Fields(text)
}

// expect fails unless the reply begins with a word. It returns the first number in it.
func (b *beanstalkd) expect(want, format string, args ...any) uint64 {
	b.t.Helper()
	reply := b.say(format, args...)
	if reply[0] != want {
		b.t.Fatalf("%.60q: %v, want %s", fmt.Sprintf(format, args...), reply, want)
	}
	if len(reply) == 1 {
		return 0
	}
	n, _ := strconv.ParseUint(reply[1], 10, 64)
	return n
}

func (b *beanstalkd) put(tube string, pri, delay, ttr int, body string) uint64 {
	b.t.Helper()
	b.expect("USING", "use %s", tube)
	return b.expect("INSERTED", "put %d %d %d %d\r\n%s", pri, delay, ttr, len(body), body)
}

// reserve reserves a given job.
func (b *beanstalkd) reserve(id uint64) {
	b.t.Helper()
	reply := b.say("reserve-job %d", id)
	if reply[0] != "RESERVED" {
		b.t.Fatalf("reserve-job %d: %v", id, reply)
	}
	b.data(reply[2])
}

// data reads what follows a reply that ends in a size.
func (b *beanstalkd) data(size string) string {
	b.t.Helper()
	n := must.Get(strconv.Atoi(size))
	buf := make([]byte, n+2)
	must.Get(io.ReadFull(b.in, buf))
	return string(buf[:n])
}

// yaml reads a reply of stats. ok is false for NOT_FOUND.
func (b *beanstalkd) yaml(format string, args ...any) (values map[string]string, ok bool) {
	b.t.Helper()
	reply := b.say(format, args...)
	if reply[0] == "NOT_FOUND" {
		return nil, false
	}
	values = make(map[string]string)
	for _, l := range strings.Split(b.data(reply[1]), "\n") {
		if key, value, found := strings.Cut(l, ": "); found {
			values[key] = strings.Trim(value, `"`)
		}
	}
	return values, true
}

func (b *beanstalkd) stat(key string) int {
	b.t.Helper()
	values, _ := b.yaml("stats")
	n, err := strconv.Atoi(values[key])
	if err != nil {
		b.t.Fatalf("stats has %s: %q", key, values[key])
	}
	return n
}

// listed is a job as beanstalkd shows it. When a delayed job becomes ready is known
// only within bounds.
type listed struct {
	storage.Job
	body          string
	after, before int64
}

// list asks for every job up to an id.
func (b *beanstalkd) list(last uint64) map[uint64]listed {
	b.t.Helper()
	jobs := make(map[uint64]listed)
	for id := uint64(1); id <= last; id++ {
		asked := time.Now().UnixNano()
		v, ok := b.yaml("stats-job %d", id)
		if !ok {
			continue
		}
		answered := time.Now().UnixNano()
		num := func(key string) uint32 {
			n, err := strconv.ParseUint(v[key], 10, 32)
			if err != nil {
				b.t.Fatalf("stats-job %d: %s is %q", id, key, v[key])
			}
			return uint32(n)
		}
		j := listed{Job: storage.Job{
			ID: id, Tube: v["tube"], Pri: num("pri"), Delay: num("delay"), TTR: num("ttr"),
			Reserves: num("reserves"), Timeouts: num("timeouts"), Releases: num("releases"),
			Buries: num("buries"), Kicks: num("kicks"),
		}}
		switch v["state"] {
		case "ready":
			j.State = storage.Ready
		case "delayed":
			j.State = storage.Delayed
			left := int64(num("time-left")) * second
			j.after, j.before = asked+left, answered+left+second
		case "buried":
			j.State = storage.Buried
		default:
			b.t.Fatalf("job %d is %s", id, v["state"])
		}
		reply := b.say("peek %d", id)
		j.body = b.data(reply[2])
		j.Size = uint32(len(j.body))
		jobs[id] = j
	}
	return jobs
}

// restarted lists what beanstalkd knows after a restart. The one that a restart adds to
// the buries of a buried job is taken off again.
func restarted(t *testing.T, dir string, last uint64, flags ...string) map[uint64]listed {
	t.Helper()
	b := start(t, dir, flags...)
	defer b.kill()
	jobs := b.list(last)
	for id, j := range jobs {
		if j.State == storage.Buried {
			j.Buries--
			jobs[id] = j
		}
	}
	return jobs
}
