package beanstalk

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"syscall"
	"testing"

	"beanfield/conn"
	"beanfield/conn/access"
	"beanfield/conn/beanstalk/event"
	"beanfield/conn/socket"
	"beanfield/router"
	"beanfield/shard/queue"
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
	s := &Server{book: new(access.Current), router: r, log: slog.New(slog.DiscardHandler)}
	s.group = event.Group{Shards: r, Log: s.log, Left: a.Left}
	s.opts.Store(&Options{MaxJobSize: DefaultMaxJobSize})
	must.Do(t, s.join())
	t.Cleanup(func() {
		s.group.Start()
		must.Do(t, s.group.Shutdown(context.Background()))
		r.Close()
	})
	return s, s.loops[0]
}

// present are the connections that a loop has, in the order of their descriptors.
func (l *loop) present() (all []*Conn) {
	for place := range l.Places() {
		if c, ok := l.At(place).(*Conn); ok {
			all = append(all, c)
		}
	}
	return all
}

// enter connects a client to a server that does not run, and returns the
// client's end.
func (s *Server) enter(t *testing.T) (far int) {
	t.Helper()
	return s.enterBy(t, s)
}

func (s *Server) enterBy(t *testing.T, front conn.FrontEnd) (far int) {
	t.Helper()
	fds := must.Get(socket.Pair())
	t.Cleanup(func() { syscall.Close(fds[1]) })
	front.Welcome(fds[0], nil)
	return fds[1]
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

// A client that has sent very many small commands at once is answered as many as its effort allows, then its loop's
// others are served, and then it goes on. Commands that the session plays alone count for several.
func TestEffortOfATurn(t *testing.T) {
	for _, c := range []struct {
		line, answer string
		perTurn      int
	}{
		{"tuch 99\r\n", "UNKNOWN_COMMAND\r\n", event.EffortShare},
		{"watch default\r\n", "WATCHING 1\r\n", event.EffortShare / effortAlone},
	} {
		const turns = 3
		n := turns*c.perTurn - 1
		s, l := stillServer(t)
		busy, quiet := s.enter(t), s.enter(t)
		l.ServeInbox() // both are admitted
		tell(t, busy, bytes.Repeat([]byte(c.line), n))
		tell(t, quiet, []byte(c.line))
		l.ServeEvents()
		if got := heard(quiet); got != c.answer {
			t.Errorf("%q: the other client is answered %q", c.line, got)
		}
		for turn, left := 1, n; left > 0; turn++ {
			want := min(c.perTurn, left)
			got := strings.Count(heard(busy), c.answer)
			if what := fmt.Sprintf("%q: in turn %d", c.line, turn); got != want {
				t.Fatalf("%s %d commands are answered, want %d", what, got, want)
			}
			if left -= got; left > 0 && l.Idle() {
				t.Fatalf("%q: after turn %d it does not ask for another", c.line, turn)
			}
			l.ServeInbox()
		}
		if !l.Idle() {
			t.Errorf("%q: it wants another turn with nothing left to do", c.line)
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
