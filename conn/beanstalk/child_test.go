package beanstalk

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"beanfield/storage/must"
)

// Some tests need a server in a process of its own: to count its memory and
// its system calls without the client's, or to take its file descriptors
// away. The test binary starts itself again for that.

// childEnv, when set, makes the test binary a server. Its value is the limit
// of file descriptors, or 0 for as many as there may be.
const childEnv = "BEANSTALK_TEST_SERVER"

// childMain serves, prints its address, and then answers questions about
// itself, until standard input ends.
func childMain() {
	check := func(err error) {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	limit, err := strconv.Atoi(os.Getenv(childEnv))
	check(err)
	if limit > 0 {
		var l syscall.Rlimit
		must.Assign(&l.Cur, limit)
		must.Assign(&l.Max, limit)
		check(syscall.Setrlimit(syscall.RLIMIT_NOFILE, &l))
	}
	h := newHouse(&testing.B{}, func(o *houseOptions) {
		o.HandshakeTimeout, o.Logger = time.Hour, slog.New(slog.NewTextHandler(os.Stderr, nil))
	})
	s := h.server
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))
	sealed := h.serve("tcp", "127.0.0.1:0", h.secured())
	// To serve an address takes a descriptor. Clients of the other one may leave none.
	first, err := net.Dial("tcp", sealed)
	check(err)
	for s.total.Load() == 0 {
		runtime.Gosched()
	}
	check(first.Close())
	for s.open.Load() > 0 {
		runtime.Gosched()
	}
	fmt.Println(l.Addr(), sealed)
	go func() { check(h.accept.Serve(l, s)) }()
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		switch in.Text() {
		case "memory":
			runtime.GC()
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			fmt.Println(m.HeapInuse+m.StackInuse, m.HeapAlloc+m.StackInuse)
		case "processor":
			var ru syscall.Rusage
			check(syscall.Getrusage(syscall.RUSAGE_SELF, &ru))
			fmt.Println(ru.Utime.Nano() + ru.Stime.Nano())
		case "calls":
			data, err := os.ReadFile("/proc/self/io")
			check(err)
			f := strings.Fields(string(data))
			fmt.Println(f[5], f[7]) // syscr, syscw
		case "open":
			fmt.Println(s.open.Load(), s.group.Shakes(), s.total.Load())
		}
	}
}

// child is such a server, seen from the test.
type child struct {
	t       testing.TB
	address string
	sealed  string // address for TLS
	pid     int
	in      *os.File
	out     *bufio.Reader
	errors  must.Text
}

// logged counts the lines that the server has logged.
func (c *child) logged() int { return len(c.errors.Lines("")) }

func startChild(t testing.TB, descriptors int) *child {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", childEnv, descriptors))
	c := &child{t: t}
	cmd.Stderr = &c.errors
	out := must.Get(cmd.StdoutPipe())
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdin = r
	must.Do(t, cmd.Start())
	r.Close()
	c.pid = cmd.Process.Pid
	c.in, c.out = w, bufio.NewReader(out)
	t.Cleanup(func() {
		w.Close()
		cmd.Wait()
	})
	if _, err := fmt.Fscanln(c.out, &c.address, &c.sealed); err != nil {
		t.Fatal(err, c.errors.String())
	}
	return c
}

// stranger trusts any server: a child has certificates of its own.
func stranger() *tls.Config {
	return &tls.Config{InsecureSkipVerify: true, CurvePreferences: []tls.CurveID{tls.X25519}}
}

// ask asks the server about itself.
func (c *child) ask(question string) (numbers []int64) {
	c.t.Helper()
	fmt.Fprintln(c.in, question)
	line := must.Get(c.out.ReadString('\n'))
	for _, f := range strings.Fields(line) {
		n, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			c.t.Fatalf("%s: %q", question, line)
		}
		numbers = append(numbers, n)
	}
	return numbers
}

// TestNoDescriptorsLeft connects more clients than the server has descriptors
// for. Accepting pauses with one line and without spinning, those who are in
// are served, and those outside come in as others leave.
func TestNoDescriptorsLeft(t *testing.T) {
	t.Parallel()
	const descriptors = 40
	s := startChild(t, descriptors)
	var all []*client
	for range 2 * descriptors {
		all = append(all, dial(t, "tcp", s.address))
	}
	eventually(t, "accepting pauses", func() bool { return s.logged() > 0 })
	in := int(s.ask("open")[0])
	if in < descriptors/2 || in >= descriptors {
		t.Fatalf("%d connections are open", in)
	}
	before, begun := s.ask("processor")[0], time.Now()
	all[0].do("reserve-with-timeout 1", "TIMED_OUT") // a second, or more, in which nothing else happens
	if used, took := time.Duration(s.ask("processor")[0]-before), time.Since(begun); used > took/2 {
		t.Errorf("a pause of %v takes %v of processor time", took, used)
	}
	for i, c := range all {
		c.do("list-tube-used", "USING default")
		c.send("quit\r\n")
		c.eof()
		if i%10 == 0 && i+in < len(all) {
			all[i+in].do("list-tube-used", "USING default")
		}
	}
	again := dial(t, "tcp", s.address)
	again.do("list-tube-used", "USING default")
	if n := s.logged(); n != 1 {
		t.Errorf("%d lines: %s", n, &s.errors)
	}
}

// TestSystemCalls counts the server's reads and writes for pipelines: about
// one of each for all commands that come together.
func TestSystemCalls(t *testing.T) {
	if _, err := os.Stat("/proc/self/io"); err != nil {
		t.Skip("this kernel does not count system calls:", err)
	}
	s := startChild(t, 0)
	c := dial(t, "tcp", s.address)
	c.do("use a", "USING a")
	c.do("watch a", "WATCHING 2")
	id := 1
	for _, k := range []struct{ depth, size int }{{1, 5}, {16, 5}, {100, 5}, {1, 3000}, {1, 20000}, {3, 20000}} {
		body := bodyOf(k.size)
		const rounds = 200
		reads, writes := s.calls()
		for range rounds {
			var in, want strings.Builder
			for range k.depth {
				fmt.Fprintf(&in, "put 0 0 60 %d\r\n%s\r\nreserve\r\ndelete %d\r\n", k.size, body, id)
				fmt.Fprintf(&want, "INSERTED %d\r\nRESERVED %d %d\r\n%s\r\nDELETED\r\n", id, id, k.size, body)
				id++
			}
			c.send(in.String())
			c.reads(want.String())
		}
		afterReads, afterWrites := s.calls()
		r, w := float64(afterReads-reads)/rounds, float64(afterWrites-writes)/rounds
		t.Logf("%d cycles of %d bytes at once: %.2f reads, %.2f writes", k.depth, k.size, r, w)
		// The rest is for asking, and for large pieces that the network may
		// bring in smaller ones.
		limit := 1.5
		if k.depth*k.size > 10000 {
			limit = 4
		}
		if r > limit || w > limit {
			t.Errorf("that is too many")
		}
	}
}

// calls are the server's read and write calls so far.
func (c *child) calls() (reads, writes int64) {
	n := c.ask("calls")
	return n[0], n[1]
}
