package beanstalk

import (
	"context"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"beanfield/conn"
)

// clients asks who is there and what they hold.
func (h *house) clients() []conn.Client {
	h.t.Helper()
	held := map[any]int{}
	for i := range h.router.Shards() {
		if !h.router.Holders(h.t.Context(), i, held) {
			h.t.Fatal("a shard does not say who holds jobs")
		}
	}
	list, ok := h.server.Clients(h.t.Context(), held)
	if !ok {
		h.t.Fatal("a loop does not say who is there")
	}
	return list
}

// Each client is told of, with what it holds and does.
func TestClients(t *testing.T) {
	h := newHouse(t)
	began := time.Now().UnixNano()
	worker, waiter, plain, safe := h.dial(), h.dial(), h.dialUnix(), h.dialTLS()
	for i := range 3 {
		plain.do(fmt.Sprintf("use t%d", i), fmt.Sprintf("USING t%d", i))
		plain.put(0, 0, 60, "x")
	}
	worker.send("watch t0\r\nwatch t1\r\nignore default\r\n")
	for range 3 {
		worker.line()
	}
	worker.send("reserve\r\nreserve\r\n")
	worker.job("RESERVED")
	worker.job("RESERVED")
	waiter.send("watch none\r\nignore default\r\nreserve\r\n")
	waiter.line()
	waiter.line()
	eventually(t, "a client waits", func() bool { return h.waiting() == 1 })
	safe.send("use safe\r\nput 0 0 60 100\r\nhalf of it")
	safe.line()
	var list []conn.Client
	eventually(t, "a body is on its way", func() bool {
		list = h.clients()
		return slices.ContainsFunc(list, func(g conn.Client) bool { return g.TLS && g.Doing == conn.Working })
	})
	if len(list) != 4 {
		t.Fatalf("%d clients are told of: %+v", len(list), list)
	}
	find := func(peer string) *conn.Client {
		i := slices.IndexFunc(list, func(g conn.Client) bool { return g.Peer.String() == peer })
		if i < 0 {
			t.Fatalf("there is no %s in %+v", peer, list)
		}
		if g := &list[i]; g.Since < began || g.Since > time.Now().UnixNano() || g.Asked == 0 {
			t.Errorf("%s came at %d, and was read %d times", peer, g.Since, g.Asked)
		}
		list[i].Since, list[i].Asked = 0, 0
		return &list[i]
	}
	for _, e := range []struct {
		peer string
		want conn.Client
	}{
		{worker.nc.LocalAddr().String(), conn.Client{Held: 2, Used: "default", Watching: 2, Watched: "t0"}},
		{waiter.nc.LocalAddr().String(), conn.Client{Doing: conn.Waiting, Used: "default", Watching: 1, Watched: "none"}},
		{safe.nc.LocalAddr().String(), conn.Client{TLS: true, Doing: conn.Working, Used: "safe", Watching: 1, Watched: "default"}},
		{fmt.Sprintf("unix, uid %d, pid %d", os.Getuid(), os.Getpid()), conn.Client{Used: "t2", Watching: 1, Watched: "default"}},
	} {
		g := *find(e.peer)
		if e.want.Peer = g.Peer; e.peer == worker.nc.LocalAddr().String() {
			e.want.Watched = g.Watched // t0 or t1
		}
		if g != e.want {
			t.Errorf("%s is told of as %+v, want %+v", e.peer, g, e.want)
		}
	}
}

// A loop goes through its clients in parts, and lets others have their turn in between.
func TestClientsInParts(t *testing.T) {
	s := stillServer(t)
	l := s.loops[0]
	steps := 0
	l.stepBack = func() { steps++ }
	for range 2 * rollShare {
		s.enter(t)
	}
	for !l.idle() {
		l.serveInbox()
	}
	r, gone := &roll{ctx: t.Context(), done: make(chan struct{})}, &roll{done: make(chan struct{})}
	over, cancel := context.WithCancel(context.Background())
	cancel()
	gone.ctx = over
	l.ask(r)
	l.ask(gone)
	rounds := 0
	for ; !l.idle(); rounds++ {
		l.serveInbox()
	}
	n := 0
	for _, part := range r.parts {
		if n += len(part); len(part) > rollShare {
			t.Errorf("%d clients are told of at a time", len(part))
		}
	}
	if n != 2*rollShare || steps != len(r.parts)-1 || len(gone.parts) > 0 || rounds < 1+len(r.parts) {
		t.Errorf("%d clients in %d parts and %d rounds, and the loop has stepped back %d times", n, len(r.parts), rounds, steps)
	}
	<-r.done
	<-gone.done
}

// When the loops have ended there are no clients, and whoever asks does not wait.
func TestClientsOfTheGone(t *testing.T) {
	h := newHouse(t)
	h.pair()
	h.close()
	if list, ok := h.server.Clients(t.Context(), nil); !ok || len(list) > 0 {
		t.Errorf("%v, %v", list, ok)
	}
}
