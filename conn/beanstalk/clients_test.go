package beanstalk

import (
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"beanfield/conn"
	"beanfield/storage/must"
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
		list[i].ID, list[i].Since, list[i].Asked = 0, 0, 0
		return &list[i]
	}
	for _, e := range []struct {
		peer string
		want conn.Client
	}{
		{worker.nc.LocalAddr().String(), conn.Client{Held: 2, Used: "default", Watching: 2, Watched: "t0 t1"}},
		{waiter.nc.LocalAddr().String(), conn.Client{Doing: conn.Waiting, Used: "default", Watching: 1, Watched: "none"}},
		{safe.nc.LocalAddr().String(), conn.Client{TLS: true, Doing: conn.Working, Used: "safe", Watching: 1, Watched: "default"}},
		{fmt.Sprintf("unix, uid %d, pid %d", os.Getuid(), os.Getpid()), conn.Client{Used: "t2", Watching: 1, Watched: "default"}},
	} {
		g := *find(e.peer)
		if e.want.Peer = g.Peer; e.peer == worker.nc.LocalAddr().String() {
			names := strings.Fields(g.Watched) // in no order
			slices.Sort(names)
			g.Watched = strings.Join(names, " ")
		}
		if g != e.want {
			t.Errorf("%s is told of as %+v, want %+v", e.peer, g, e.want)
		}
	}
}

// A loop goes through its clients in parts, each when it is asked to.
func TestClientsInParts(t *testing.T) {
	s, l := stillServer(t)
	for range 2 * partLength {
		s.enter(t)
	}
	for !l.idle() {
		l.serveInbox()
	}
	n, parts := 0, 0
	for from, over := 0, false; !over; over = from == 0 {
		before := n
		l.ask(func() { from = l.visit(from, func(*Conn) { n++ }) })
		l.serveInbox()
		if parts++; n-before > partLength || !l.idle() {
			t.Fatalf("a part has %d clients", n-before)
		}
	}
	// The first descriptors are not those of clients.
	if next := l.visit(1<<30, nil); n != 2*partLength || parts < 3 || next != 0 {
		t.Errorf("%d clients in %d parts, and then %d", n, parts, next)
	}
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

// A client that is disconnected is gone whatever it was doing, what it held is there for others, and
// nobody else is cut off.
func TestDisconnect(t *testing.T) {
	h := newHouse(t)
	stays, worker, waiter, sender, safe := h.dial(), h.dial(), h.dial(), h.dial(), h.dialTLS()
	id := stays.put(0, 0, 60, "x")
	worker.send("reserve\r\n")
	worker.job("RESERVED")
	waiter.do("watch none", "WATCHING 2")
	waiter.do("ignore default", "WATCHING 1")
	waiter.send("reserve\r\n")
	eventually(t, "a client waits", func() bool { return h.waiting() == 1 })
	sender.send("put 0 0 60 100\r\nhalf of it")
	safe.do("use safe", "USING safe")
	shaking := must.Get(net.Dial("tcp", h.tls))
	defer shaking.Close()
	eventually(t, "all are there", func() bool { return len(h.clients()) == 6 })
	for _, g := range h.clients() {
		if g.Peer.String() == stays.nc.LocalAddr().String() {
			continue
		}
		if was, ok := h.server.Disconnect(t.Context(), g.ID); !ok || was.Peer != g.Peer {
			t.Errorf("%v: %v, %v", g, was, ok)
		}
		if _, ok := h.server.Disconnect(t.Context(), g.ID); ok {
			t.Errorf("%v is disconnected twice", g)
		}
	}
	if _, ok := h.server.Disconnect(t.Context(), 0); ok {
		t.Error("nobody is disconnected")
	}
	for _, c := range []*client{worker, waiter, sender, safe} {
		c.eof()
	}
	eventually(t, "the others have left", func() bool { return h.server.Connections() == 1 })
	stays.send(fmt.Sprintf("reserve-job %d\r\n", id))
	stays.job("RESERVED")
}
