package beanstalk

import (
	"bytes"
	"fmt"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"

	"beanfield/conn/beanstalk/event"
	"beanfield/storage/must"
)

// quiet is how many rounds a loop may make while nothing happens but a command or two, and
// those that it publishes late. One that spins makes thousands.
const quiet = 3 * 16

// rounds are those that the loops have made, as published.
func (h *house) rounds() (n int) {
	for _, f := range h.server.Loops() {
		n += int(f.Rounds)
	}
	return n
}

// TestUrgentData sends a byte of TCP urgent data between two commands: both
// are answered, and the server does not spin while the client stays.
func TestUrgentData(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	c := h.dial()
	c.do("list-tube-used", "USING default")
	for i := range 50 {
		c.send("use a\r\n")
		raw := must.Get(c.nc.(*net.TCPConn).SyscallConn())
		raw.Control(func(fd uintptr) { must.Do(t, syscall.Sendto(int(fd), []byte{byte(i)}, syscall.MSG_OOB, nil)) })
		c.send("list-tubes-watched\r\n")
		c.expect("USING a")
		c.expect("OK 14\r\n---\n- default\n")
	}
	before := h.rounds()
	c.do("reserve-with-timeout 1", "TIMED_OUT") // a second in which nothing happens
	if n := h.rounds() - before; n > quiet*len(h.server.loops) {
		t.Errorf("a quiet second took %d rounds", n)
	}
}

// TestSlowReaders peeks at large jobs and never reads. What the server holds
// for such clients is bounded, and others are served.
func TestSlowReaders(t *testing.T) {
	h := newHouse(t, func(o *houseOptions) { o.MaxJobSize = 1 << 20; o.Loops = 1 })
	p := h.pair()
	small, large := p.put(0, 0, 60, bodyOf(2000)), p.put(0, 0, 60, bodyOf(1<<20))
	lines := [][]byte{
		bytes.Repeat(fmt.Appendf(nil, "peek %d\r\n", small), 100000), bytes.Repeat(fmt.Appendf(nil, "peek %d\r\n",
			large), 100000),
	}
	const readers = 40
	before := heapInUse()
	for i := range readers {
		c := h.pair()
		c.nc.SetWriteDeadline(time.Now().Add(patience))
		go c.nc.Write(lines[i%2]) // as much as the server takes
	}
	for range 200 {
		id := p.put(0, 0, 60, "x")
		p.do(fmt.Sprintf("delete %d", id), "DELETED")
	}
	eventually(t, "all are stuck", func() bool {
		m := p.all()
		n := 0
		fmt.Sscan(m["cmd-peek"], &n)
		return n >= readers/2*100+readers/2
	})
	// The replies of a run, copied once when they get stuck, and the read
	// buffer's worth of commands behind them.
	atMost(t, "a slow reader takes", 512<<10+2*event.ReadBuffer, func() int64 { return (heapInUse() - before) / readers })
	p.do("list-tube-used", "USING default")
}

// TestInputIsGivenBack sends much behind a reserve that waits, and at its end
// half a line: when all that has run, only the half line takes memory.
func TestInputIsGivenBack(t *testing.T) {
	h := newHouse(t)
	p := h.pair()
	const clients, lines = 50, 5000
	var all []*client
	for range clients {
		c := h.pair()
		c.do("list-tube-used", "USING default")
		all = append(all, c)
	}
	text := "reserve\r\n" + strings.Repeat("touch 999\r\n", lines) + "half a line"
	want := strings.Repeat("NOT_FOUND\r\n", lines)
	before := heapInUse()
	for i, c := range all {
		c.send(text)
		eventually(t, "it waits", func() bool { return h.waiting() == 1 })
		id := p.put(0, 0, 600, "x")
		c.expect(fmt.Sprintf("RESERVED %d 1\r\nx", id))
		if err := c.compare(want); err != nil {
			t.Fatal(i, err)
		}
	}
	atMost(t, "half a line takes", 4<<10, func() int64 { return (heapInUse() - before) / clients })
}
