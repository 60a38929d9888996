package beanstalk

import (
	"bytes"
	"cmp"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"beanfield/conn"
	"beanfield/conn/access"
	"beanfield/router"
	"beanfield/shard/queue"
	"beanfield/storage"
	"beanfield/storage/must"
	"beanfield/storage/pace"
)

// stillServer is a server whose one loop does not run until a test runs it.
func stillServer(t *testing.T) (*Server, *loop) {
	t.Helper()
	return stillServerOver(t, storage.Memory())
}

// stillServerOver is one with two shards over a store.
func stillServerOver(t *testing.T, store storage.Store) (*Server, *loop) {
	t.Helper()
	r := must.Get(router.New(router.Options{Shards: 2, Store: store}))
	a := must.Get(conn.NewAcceptor(conn.Options{}))
	s := &Server{book: new(access.Current), router: r, acceptor: a, log: slog.New(slog.DiscardHandler)}
	s.opts.Store(&Options{MaxJobSize: DefaultMaxJobSize})
	s.patient.Store(true)
	l := must.Get(newLoop(s))
	l.busy = r.Busy
	s.loops = append(s.loops, l)
	t.Cleanup(func() {
		if !l.stop.Load() {
			l.stop.Store(true)
			l.serve()
		}
		l.poll.Close()
		r.Close()
	})
	return s, l
}

// present are the connections that a loop has, in the order of their descriptors.
func (l *loop) present() []*Conn {
	return slices.DeleteFunc(slices.Clone(l.conns), func(c *Conn) bool { return c == nil })
}

// enter connects a client to a server that does not run, and returns the
// client's end.
func (s *Server) enter(t *testing.T) (far int) {
	t.Helper()
	return s.enterBy(t, s)
}

func (s *Server) enterBy(t *testing.T, front conn.FrontEnd) (far int) {
	t.Helper()
	fds := must.Get(syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_NONBLOCK, 0))
	t.Cleanup(func() { syscall.Close(fds[1]) })
	front.Welcome(fds[0])
	return fds[1]
}

// serveEvents gives each connection that has an event its turn.
func (l *loop) serveEvents() {
	for _, ev := range l.poll.Peek() {
		if c := l.conns[ev.Fd]; c != nil {
			l.turn()
			c.event(ev.Events)
		}
	}
}

// tell sends bytes that nobody reads yet: there has to be room for them.
func tell(t *testing.T, fd int, text []byte) {
	t.Helper()
	if n, err := syscall.Write(fd, text); n != len(text) || err != nil {
		t.Fatalf("%d of %d bytes: %v", n, len(text), err)
	}
}

// heard reads what has been answered so far.
func heard(fd int) string {
	var all []byte
	buf := make([]byte, 1<<20)
	for {
		n, err := syscall.Read(fd, buf)
		if n <= 0 || err != nil {
			return string(all)
		}
		all = append(all, buf[:n]...)
	}
}

// A loop that finds much to do each time it looks lets others run after a
// quarter of a megabyte; small commands never make it do so.
func TestStepsBack(t *testing.T) {
	for _, c := range []struct {
		clients, each int // bytes that each client has sent
		steps         bool
	}{{4, 120 << 10, true}, {1, 120 << 10, false}, {50, 10 << 10, false}} {
		s, l := stillServer(t)
		steps := 0
		l.stepBack = func() { steps++ }
		line, answer := "touch 999999999\r\n", "NOT_FOUND\r\n"
		lines := c.each / len(line)
		var all []int
		for range c.clients {
			far := s.enter(t)
			tell(t, far, bytes.Repeat([]byte(line), lines))
			all = append(all, far)
		}
		go l.serve()
		for _, far := range all {
			var got string
			eventually(t, "all is answered", func() bool {
				got += heard(far)
				return len(got) >= lines*len(answer)
			})
		}
		l.stop.Store(true)
		l.poll.Wake()
		<-l.done
		if (steps > 0) != c.steps {
			t.Errorf("%d clients with %d bytes each: the loop stepped back %d times", c.clients, c.each, steps)
		}
		if l.bulk >= 256<<10 {
			t.Errorf("%d clients with %d bytes each: %d bytes are still to be stepped back for", c.clients, c.each,
				l.bulk)
		}
	}
}

// A client that has sent very many small commands at once is answered as many as its effort allows,
// or as four reads bring, then its loop's others are served, and then it goes on. Commands that the
// session plays alone count for several.
func TestEffortOfATurn(t *testing.T) {
	for _, c := range []struct {
		line, answer string
		perTurn      int
		perRead      int // 0 if one read brings all
	}{
		{"touch 99\r\n", "NOT_FOUND\r\n", effortShare, 0},
		{"touch 99\r\n", "NOT_FOUND\r\n", 400, 100},
		{"watch default\r\n", "WATCHING 1\r\n", effortShare / effortAlone, 0},
	} {
		const turns = 3
		n := turns*c.perTurn - 1
		s, l := stillServer(t)
		l.buf = make([]byte, len(c.line)*cmp.Or(c.perRead, 2*n))
		busy, quiet := s.enter(t), s.enter(t)
		l.serveInbox() // both are admitted
		tell(t, busy, bytes.Repeat([]byte(c.line), n))
		tell(t, quiet, []byte(c.line))
		l.serveEvents()
		if got := heard(quiet); got != c.answer {
			t.Errorf("%q: the other client is answered %q", c.line, got)
		}
		for turn, left := 1, n; left > 0; turn++ {
			want := min(c.perTurn, left)
			got := strings.Count(heard(busy), c.answer)
			if what := fmt.Sprintf("%q: in turn %d", c.line, turn); got != want {
				t.Fatalf("%s %d commands are answered, want %d", what, got, want)
			}
			if left -= got; left > 0 && l.idle() {
				t.Fatalf("%q: after turn %d it does not ask for another", c.line, turn)
			}
			l.serveInbox()
		}
		if !l.idle() {
			t.Errorf("%q: it wants another turn with nothing left to do", c.line)
		}
	}
}

// A loop turns to its events after it has served some of its inbox, and sooner
// when these have much to do. All are served in order, each once.
func TestInboxIsServedInShares(t *testing.T) {
	if inboxShare > 256 {
		t.Fatalf("the sockets wait for %d connections", inboxShare)
	}
	for _, c := range []struct {
		name  string
		conn  func() *Conn
		share int
	}{
		{"ordinary ones", func() *Conn { return &Conn{} }, inboxShare},
		{"those that leave", func() *Conn { return &Conn{closed: true} }, inboxShare / 8},
	} {
		l := &loop{}
		const n = 5*inboxShare/2 + 1
		var all []*Conn
		for i := range n {
			conn := c.conn()
			conn.loop, conn.fd = l, i
			l.conns = append(l.conns, conn)
			all = append(all, conn)
			conn.queued.Store(true)
			l.inbox.Push(conn, &conn.next)
		}
		for served := 0; served < n; {
			before := served
			l.serveInbox()
			for served < n && !all[served].queued.Load() {
				served++
			}
			if got := served - before; got != min(c.share, n-before) {
				t.Fatalf("%s: %d are served at once, want %d", c.name, got, c.share)
			}
			for _, later := range all[served:] {
				if !later.queued.Load() {
					t.Fatalf("%s: they are not served in order", c.name)
				}
			}
			if l.idle() != (served == n) {
				t.Fatalf("%s: the loop believes to be idle after %d of %d", c.name, served, n)
			}
		}
	}
}

// A loop does not sleep while a shard may be about to answer, nor when something has
// happened meanwhile; but in the end it does.
func TestLingersWhileAShardIsBusy(t *testing.T) {
	l, _, far := loopOverPair(t)
	for _, c := range []struct {
		what      string
		busy      func(look int) bool
		calls     int
		looks     int
		hasEvents bool
	}{
		{"a shard that is busy twice", func(look int) bool { return look < 3 }, 1, 3, false},
		{"a shard that is always busy", func(int) bool { return true }, 1, mostYields, false},
		{"input after the third look", func(look int) bool {
			if look == 3 {
				syscall.Write(far, []byte("x"))
			}
			return true
		}, 1, 3, true},
		{"an answer after the third look", func(look int) bool {
			if look == 3 {
				c := new(Conn)
				l.inbox.Push(c, &c.next)
			}
			return true
		}, 1, 3, false},
		{"no shard that owes an answer", nil, 0, 0, false},
	} {
		looks := 0
		l.calls, l.asked = c.calls, 7
		l.busy = func(shard int) bool { looks++; return shard == 7 && c.busy(looks) }
		if events := l.linger(); looks != c.looks || len(events) > 0 != c.hasEvents {
			t.Errorf("%s: asked %d times, %d events", c.what, looks, len(events))
		}
	}
}

// A loop keeps the unused runs of many pipelines, and no more than it may, whatever they have room for.
func TestUnusedRuns(t *testing.T) {
	l := new(loop)
	drop := func(n, ops, body, options int) {
		for range n {
			r := new(run)
			r.Ops = make([]queue.Op, ops)
			r.Ops[0].Data = make([]byte, body)
			r.Retain() // as for a run that waits for its shard
			r.options = make([]*queue.Options, options)
			l.dropRun(r)
		}
	}
	drop(100, 48, 0, 0)
	if len(l.runs) != 100 {
		t.Errorf("%d unused runs of 100 small pipelines are kept", len(l.runs))
	}
	drop(1, maxRun, runKeepBytes, 0)
	if len(l.runs) != 100 {
		t.Error("a run with a large body is kept")
	}
	drop(1000, 1, 60_000, 0)
	drop(1000, 1, 0, maxRun)
	drop(1000, maxRun, 0, 0)
	if l.kept > runsKeepBytes || len(l.runs) > 250 {
		t.Errorf("%d runs are kept, with %d bytes", len(l.runs), l.kept)
	}
	for len(l.runs) > 0 {
		l.takeRun(0)
	}
	if l.kept != 0 {
		t.Errorf("%d bytes are kept by no run", l.kept)
	}
}

// Who has been woken on the loop's place runs before the loop sleeps. With one place only the loop's yield lets it.
func TestYieldsToTheWoken(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	_, l := stillServer(t)
	l.yielded = l.server.router.Now()
	var ran atomic.Bool
	go ran.Store(true)
	for range 100 { // now and then the scheduler takes the loop itself first
		pace.Woke()
		if l.yield(); ran.Load() {
			return
		}
	}
	t.Error("a goroutine that was woken has not run")
}
