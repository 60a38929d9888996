package beanstalk

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
	"testing"

	"beanfield/storage/must"
)

// TestHalfCloseRunsALongPipeline half closes with more commands under way
// than one read takes: all are answered, then the connection ends. They must
// fit into the socket: behind more than that the end itself cannot arrive.
func TestHalfCloseRunsALongPipeline(t *testing.T) {
	h := newHouse(t)
	c := h.pair()
	const n = 6000
	go func() {
		io.WriteString(c.nc, strings.Repeat("list-tube-used\r\nreserve\r\n", n/2))
		c.closeWrite()
	}()
	// The first reserve may wait until the half close is seen; those after it
	// do not wait at all.
	for range n / 2 {
		c.expect("USING default")
		c.expect("TIMED_OUT")
	}
	c.eof()
}

// TestResetWhileRepliesAreStuck resets a connection in all stages of a large
// reply, with commands behind it that must not be run twice nor lose ids.
func TestResetWhileRepliesAreStuck(t *testing.T) {
	h := newHouse(t, func(o *houseOptions) { o.MaxJobSize = 8 << 20 })
	p := h.pair()
	body := bodyOf(4 << 20)
	id := p.put(0, 0, 60, body)
	for i := range 20 {
		c := h.pair()
		c.send(strings.Repeat(fmt.Sprintf("peek %d\r\n", id), 1+i) +
			"put 0 0 60 1\r\nx\r\nreserve-job 1\r\nreserve\r\nput 0 0 60 1\r\ny\r\n")
		if i > 0 {
			c.bytes(i * 1000)
		}
		if i%2 == 0 {
			c.closeWrite()
		}
		c.close()
		eventually(t, "it leaves", func() bool { return h.server.open.Load() == 1 })
		eventually(t, "its ids and jobs are settled", func() bool { return h.owned() == h.jobs() })
	}
	p.send(fmt.Sprintf("peek %d\r\n", id))
	if _, got := p.job("FOUND"); got != body {
		t.Error("the job has suffered")
	}
}

// TestDisconnectBeforeTheReply disconnects right after each kind of command,
// without waiting for the answer.
func TestDisconnectBeforeTheReply(t *testing.T) {
	h := newHouse(t)
	p := h.pair()
	for round := range 20 {
		for _, line := range []string{
			"reserve", "reserve-with-timeout 1", "use a", "watch b", "stats", "list-tubes", "put 0 0 60 1\r\nx",
			"watch a\r\nwatch b\r\nwatch c\r\nreserve", "kick 5", "quit", "peek-ready", "watch x\r\nignore x\r\nstats",
		} {
			c := h.pair()
			c.send(line + "\r\n")
			if round%2 == 0 {
				c.closeWrite()
			}
			c.close()
		}
	}
	eventually(t, "all have left", func() bool { return h.server.open.Load() == 1 })
	eventually(t, "their tubes have gone", func() bool {
		for _, l := range p.yaml("list-tubes") {
			if l != "- default" {
				return false
			}
		}
		return true
	})
	eventually(t, "all jobs are given back", func() bool {
		m := p.all()
		return m["current-jobs-reserved"] == "0" && m["current-jobs-ready"] == m["total-jobs"]
	})
}

// Many clients that watch many tubes hang up at once. What they leave behind is not
// tidied up where their hang-ups are seen, but from the inbox, for a few at a time:
// between these others have their turn.
func TestHangUpsAreServedInTurns(t *testing.T) {
	const clients, tubes = 50, 100
	const most = 64 / 8 * 32 // tubes: 8 clients at a time, and 32 of each
	s, l := stillServer(t)
	var far []int
	for range clients {
		far = append(far, s.enter(t))
	}
	l.ServeInbox()
	for _, fd := range far {
		var lines []byte
		for i := range tubes {
			lines = fmt.Appendf(lines, "watch t%d\r\n", i)
		}
		tell(t, fd, lines)
	}
	l.ServeEvents()
	all := l.present()
	watched := func() (n int) {
		for _, c := range all {
			n += c.session.Watching()
		}
		return n
	}
	if got := watched(); got != clients*(tubes+1) {
		t.Fatalf("%d clients watch %d tubes, want %d each", len(all), got, tubes+1)
	}
	for _, fd := range far {
		syscall.Shutdown(fd, syscall.SHUT_RDWR)
	}
	for turn := 0; s.open.Load() > 0; turn++ {
		before := watched()
		l.ServeEvents()
		if n := before - watched(); n > 0 {
			t.Fatalf("turn %d: %d tubes are left where events are served", turn, n)
		}
		l.ServeInbox()
		if n := before - watched(); n > most || n == 0 {
			t.Fatalf("turn %d: %d tubes are left, want 1 to %d", turn, n, most)
		}
	}
	if got := s.router.Tubes(); got != 1 || !l.Idle() {
		t.Errorf("%d tubes remain, and the loop is idle: %v", got, l.Idle())
	}
}

// A client whose stream ends without TLS's farewell, in the middle of a put or of a record,
// while it holds a job, or while it waits for one, has hung up like any other: its job is
// ready again, its half put makes none, and its commands so far are carried out.
func TestEndWithoutCloseNotify(t *testing.T) {
	h := newHouse(t)
	p := h.pair()
	jobs := 0
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		for _, reset := range []bool{false, true} {
			for _, last := range []string{"", "put 0 0 60 5\r\nhel", "watch empty\r\nignore default\r\nreserve\r\n",
				strings.Repeat("delete 0\r\n", 300) + "put 0 0 60 9000\r\n"} {
				p.put(0, 0, 600, "x")
				jobs++
				config := trust(t)
				config.MaxVersion = version
				if h.tls == "" {
					h.tls = h.serve("tcp", "127.0.0.1:0", h.secured())
				}
				below := must.Get(net.Dial("tcp", h.tls))
				far := &hoard{Conn: below}
				c := newClient(t, tls.Client(far, config))
				c.send("reserve\r\n")
				c.job("RESERVED")
				c.put(0, 0, 60, "x")
				jobs++
				c.send(last)
				far.hold = true
				c.send("list-tube-used\r\n")
				must.Get(below.Write(far.held[:len(far.held)/2]))
				if reset {
					below.(*net.TCPConn).SetLinger(0)
				} else {
					below.(*net.TCPConn).CloseWrite()
					io.Copy(io.Discard, below)
				}
				below.Close()
				eventually(t, "it has left", func() bool { return h.server.open.Load() == 1 })
				if m := p.all(); m["current-jobs-reserved"] != "0" || m["current-jobs-ready"] != fmt.Sprint(jobs) {
					t.Errorf("version %x, reset %v, %.20q: %s jobs are reserved and %s ready, want %d ready", version,
						reset, last,
						m["current-jobs-reserved"], m["current-jobs-ready"], jobs)
				}
			}
		}
	}
}
