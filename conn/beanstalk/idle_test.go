package beanstalk

import (
	"crypto/tls"
	"fmt"
	"net"
	"strings"
	"syscall"
	"testing"

	"beanfield/storage/must"
)

// idleMax is how much of the server's memory an idle connection may take.
const idleMax = 10 << 10

// idleTLSMax is the same for one with TLS.
const idleTLSMax = 16 << 10

// idle opens n connections to a server in another process, lets each send
// what say has for it, and returns what each takes there of the Go heap and stacks.
func idle(t testing.TB, n int, sealed bool, say func(i int) (lines, want string)) int {
	t.Helper()
	s := startChild(t, 0)
	first := dial(t, "tcp", s.address)
	first.do("list-tube-used", "USING default")
	before := s.ask("memory")[0]
	var all []net.Conn
	defer func() {
		for _, nc := range all {
			nc.Close()
		}
	}()
	for i := range n {
		var nc net.Conn
		var err error
		if sealed {
			nc, err = tls.Dial("tcp", s.sealed, stranger())
		} else {
			nc, err = net.Dial("tcp", s.address)
		}
		if err != nil {
			t.Fatalf("connection %d: %v", i, err)
		}
		all = append(all, nc)
		if lines, want := say(i); lines != "" {
			c := client{t: t, nc: nc, br: first.br}
			c.br.Reset(nc)
			c.send(lines)
			c.reads(want)
		}
	}
	eventually(t, "all are in, and their handshakes are over", func() bool {
		counts := s.ask("open")
		return int(counts[0]) == n+1 && counts[1] == 0
	})
	return int(s.ask("memory")[0]-before) / n
}

func silent(int) (string, string) { return "", "" }

// spoken has a connection use all that it can hold on to: a tube of its own,
// tubes of several shards, a wait over them, a job.
func spoken(i int) (lines, want string) {
	lines = fmt.Sprintf("use u%d\r\nwatch a\r\nwatch b\r\nwatch c\r\nput 0 0 600 9000\r\n%s\r\nreserve-with-timeout "+
		"0\r\npeek %d\r\ndelete %d\r\n",
		i, bodyOf(9000), i+1, i+1)
	want = fmt.Sprintf("USING u%d\r\nWATCHING 2\r\nWATCHING 3\r\nWATCHING 4\r\nINSERTED %d\r\nTIMED_OUT\r\nFOUND %d "+
		"9000\r\n%s\r\nDELETED\r\n",
		i, i+1, i+1, bodyOf(9000))
	return lines, want
}

// What idle connections take of memory. tools/bench measures ten thousand.
func TestIdleConnections(t *testing.T) {
	t.Parallel()
	for name, say := range map[string]func(int) (string, string){"silent": silent, "spoken": spoken} {
		for sealed, most := range map[bool]int{false: idleMax, true: idleTLSMax} {
			heap := idle(t, 500, sealed, say)
			t.Logf("%s, TLS %v: %d bytes of heap and stack", name, sealed, heap)
			if sealed {
				most -= 4 << 10 // for what the runtime holds beside the heap and the stacks
			}
			if heap > most {
				t.Errorf("a connection that is %s, TLS %v, takes %d bytes", name, sealed, heap)
			}
		}
	}
}

// Connections that have watched tubes of many shards, and reserved over them, take
// hardly more when they are idle or wait than before they reserved.
func TestIdleAfterReservesOverShards(t *testing.T) {
	const shards, tubes, clients = 64, 256, 50
	h := newHouse(t, func(o *houseOptions) { o.shards, o.Loops = shards, 1 })
	var watch, watching strings.Builder
	for i := range tubes {
		fmt.Fprintf(&watch, "watch t%d\r\n", i)
		fmt.Fprintf(&watching, "WATCHING %d\r\n", i+2)
	}
	var all []*client
	for range clients {
		c := h.pair()
		c.send(watch.String())
		c.reads(watching.String())
		all = append(all, c)
	}
	each := func(what string, most int64, act func(c *client)) {
		t.Helper()
		before := heapInUse()
		for _, c := range all {
			act(c)
		}
		atMost(t, "after "+what+" a connection takes", most, func() int64 { return (heapInUse() - before) / clients })
	}
	each("a reserve that finds nothing", 4<<10, func(c *client) { c.do("reserve-with-timeout 0", "TIMED_OUT") })
	each("stats", 4<<10, func(c *client) { c.yaml("stats") })
	waiting := int64(0) // a wait stands in each tube's line
	each("a wait", tubes*64, func(c *client) {
		c.send("reserve\r\n")
		waiting++
		eventually(t, "it waits", func() bool { return h.waiting() == waiting })
	})
	p := h.pair()
	each("a job", 4<<10, func(c *client) {
		p.do("use t7", "USING t7")
		id := p.put(0, 0, 60, "x")
		c.expect(fmt.Sprintf("RESERVED %d 1\r\nx", id))
	})
}

// descriptors raises the limit of file descriptors to want, or as far as may
// be, and returns it. The server's process begins with the same hard limit.
func descriptors(t testing.TB, want int) int {
	var l syscall.Rlimit
	must.Do(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l))
	if uint64(l.Max) < uint64(want) {
		must.Assign(&l.Max, want)
	}
	must.Assign(&l.Cur, int(min(uint64(l.Max), uint64(want))))
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &l); err != nil {
		syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l)
		l.Cur = l.Max
		must.Do(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &l))
	}
	return int(min(uint64(l.Cur), uint64(want)))
}
