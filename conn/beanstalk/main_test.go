package beanstalk

import (
	"bytes"
	"context"
	"crypto/tls"
	"flag"
	"log/slog"
	"net"
	"os"
	"reflect"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"beanfield/conn"
	"beanfield/conn/beanstalk/event"
	"beanfield/router"
	"beanfield/shard/queue"
	"beanfield/storage"
	"beanfield/storage/must"
)

const patience = must.Patience

// eventually waits for what another goroutine is about to do and no reply announces.
var eventually = must.Until

// poison is what becomes of all that a loop has read when its turn is over (B3). It is neither a
// command nor a tube's name. Benchmarks measure without.
func poison(b []byte) {
	for len(b) > 0 && !bytes.HasPrefix(b, spoiled[:min(len(b), len(spoiled))]) {
		b = b[copy(b, spoiled):]
	}
}

// spoiled is a part of a spoiled buffer. Buffers are filled from their start, so all behind such a part is spoiled.
var spoiled = bytes.Repeat([]byte{'!'}, 4<<10)

func TestMain(m *testing.M) {
	flag.Set("test.parallel", "6") // many tests wait; -parallel has the last word
	if flag.Parse(); flag.Lookup("test.bench").Value.String() == "" {
		event.Spoil = poison
	}
	if os.Getenv(childEnv) != "" {
		childMain()
		return
	}
	debug.SetGCPercent(400) // a server for each of some thousand conversations
	os.Exit(m.Run())
}

// house is a server with its router, on sockets of its own.
type house struct {
	t       testing.TB
	router  *router.Router
	accept  *conn.Acceptor
	server  *Server
	tcp     string   // address, once somebody has asked for it
	unix    string   // path, likewise
	tls     string   // address, likewise
	sealing *secured // over TLS, likewise
	trust   *tls.Config
	logs    *must.Text
	served  sync.WaitGroup
	paired  atomic.Int64 // clients that came without the acceptor
	closed  bool
}

type houseOptions struct {
	Options
	shards, maxConnections int
	store                  storage.Store
}

// newHouse starts a server. When the test ends the server is shut down and
// every invariant is checked.
func newHouse(t testing.TB, set ...func(*houseOptions)) *house {
	t.Helper()
	logs := new(must.Text)
	o := houseOptions{shards: 4, store: storage.Memory(), Options: Options{
		MaxJobSize: DefaultMaxJobSize, Loops: 2, BinlogMaxSize: 10485760,
		Version: "1.2.3", Logger: slog.New(slog.NewTextHandler(logs, nil)),
	}}
	for _, fn := range set {
		fn(&o)
	}
	r := must.Get(router.New(router.Options{Shards: o.shards, Store: o.store}))
	a := must.Get(conn.NewAcceptor(conn.Options{MaxConnections: o.maxConnections, Logger: o.Logger}))
	s := must.Get(NewServer(r, a, o.Options))
	h := &house{t: t, router: r, accept: a, server: s, logs: logs}
	t.Cleanup(h.close)
	return h
}

// shortTemp makes a directory whose name fits into a socket's address.
func shortTemp(t testing.TB) string {
	dir := must.Get(os.MkdirTemp("", "bf"))
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func (h *house) serve(network, address string, f conn.FrontEnd) string {
	l := must.Get(net.Listen(network, address))
	h.served.Go(func() {
		if err := h.accept.Serve(l, f); err != nil {
			h.t.Errorf("Serve: %v", err)
		}
	})
	return l.Addr().String()
}

// shutdown ends the server in order.
func (h *house) shutdown(ctx context.Context) error {
	h.accept.Stop()
	return h.server.Shutdown(ctx)
}

// close ends the server in order and checks that nothing is left behind.
func (h *house) close() {
	if h.closed {
		return
	}
	h.closed = true
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := h.shutdown(ctx); err != nil {
		h.t.Errorf("Shutdown: %v", err)
	}
	h.served.Wait()
	h.checkCounts()
	owned, jobs := h.owned(), h.jobs()
	if owned != jobs {
		h.t.Errorf("R2: %d ids have an owner, but there are %d jobs", owned, jobs)
	}
	if err := h.router.Close(); err != nil {
		h.t.Errorf("closing the router: %v", err)
	}
	for i, s := range h.states() {
		if err := s.Sound(); err != nil {
			h.t.Errorf("shard %d: %v", i, err)
		}
		if n := s.Waits(); n != 0 {
			h.t.Errorf("R3: shard %d has %d stale waiters", i, n)
		}
	}
}

// checkCounts holds the server's own counts to what a server without
// connections must say.
func (h *house) checkCounts() {
	for what, n := range map[string]int64{
		"connections": h.server.open.Load(), "producers": h.server.producers.Load(),
		"workers": h.server.workers.Load(), "waiting": h.waiting(),
		"clients let in": int64(h.accept.Open()) + h.paired.Load(),
	} {
		if n != 0 {
			h.t.Errorf("%d %s are counted after the last has gone", n, what)
		}
	}
	for _, l := range h.server.loops {
		if err := l.Sound(); err != nil {
			h.t.Error(err)
		}
	}
}

// states takes the shards' states out of the router. It must not be used before the
// router is closed: until then others own them.
func (h *house) states() []*queue.State {
	f := reflect.ValueOf(h.router).Elem().FieldByName("states")
	return *(*[]*queue.State)(unsafe.Pointer(f.UnsafeAddr()))
}

// visit lets the test call the router as a client does.
func (h *house) visit(fn func(v *router.Caller)) {
	v := &router.Caller{}
	v.Enter(h.router)
	v.Finish(v.Open())
	fn(v)
	v.Finish(v.Close())
}

// owned counts the ids that the router's directory knows.
func (h *house) owned() (n int) {
	h.visit(func(v *router.Caller) {
		last := v.NewID()
		h.router.EndID(last)
		for id := uint64(1); id < last; id++ {
			if _, ok := h.router.Owner(id); ok {
				n++
			}
		}
	})
	return n
}

// jobs counts the jobs in all shards.
func (h *house) jobs() (n int) {
	h.visit(func(v *router.Caller) {
		v.Finish(v.CountAll(nil))
		s := v.Sums
		n = s.Ready + s.Reserved + s.Delayed + s.Buried
	})
	return n
}

// waiting is the number of connections that wait in a reserve.
func (h *house) waiting() (n int64) {
	for _, l := range h.server.loops {
		n += l.waiting.Load()
	}
	return n
}
