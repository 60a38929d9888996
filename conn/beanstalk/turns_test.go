package beanstalk

import (
	"bytes"
	"log/slog"
	"slices"
	"syscall"
	"testing"

	"beanfield/conn"
	"beanfield/conn/access"
	"beanfield/router"
	"beanfield/storage"
	"beanfield/storage/must"
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
	s := &Server{book: new(access.Book), router: r, acceptor: a, log: slog.New(slog.DiscardHandler)}
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
			t.Errorf("%d clients with %d bytes each: %d bytes are still to be stepped back for", c.clients, c.each, l.bulk)
		}
	}
}
