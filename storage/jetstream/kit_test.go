package jetstream

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"beanfield/storage/lanes"
	"beanfield/storage/must"
	"beanfield/storage/turns"
)

// withEngine has the tests run that need the engine itself. Its elections take seconds, so these
// tests are not among those that everybody runs all the time.
var withEngine = flag.Bool("engine", false, "run the tests that need the real engine (make cluster)")

func needsEngine(t testing.TB) {
	t.Helper()
	if !*withEngine {
		t.Skip("this needs the real engine: make cluster")
	}
}

// generous is how long a test waits for a state that must come. It is no verdict on speed.
const generous = 2 * time.Minute

// until waits for a state that nobody tells of.
func until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(generous); !ok(); <-tick.C {
		if time.Now().After(end) {
			t.Fatal("never came about:", what)
		}
	}
}

func limited(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), generous)
	t.Cleanup(cancel)
	return ctx
}

// addresses are free ones of this machine, all different.
func addresses(t testing.TB, names ...string) map[string]string {
	of := map[string]string{}
	for _, name := range names {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		of[name] = l.Addr().String()
	}
	return of
}

// cluster is some nodes in this process.
type cluster struct {
	testing.TB
	options Options // but for what a node has of its own
	dirs    map[string]string
	nodes   map[string]*node
}

// node is an engine, a driver on it, and a store that is a list.
type node struct {
	name   string
	server *Server
	nc     *nats.Conn
	shard  *Shard
	driver *Driver
	log    must.Text

	role atomic.Int32
	gaps atomic.Int32
	mu   sync.Mutex
	last turns.Place
	seen []seen
	why  error
}

type seen struct {
	number, hash uint64
	turns        string
}

// prepare is a cluster of three nodes, none of which runs.
func prepare(t testing.TB) *cluster {
	needsEngine(t)
	names := []string{"a", "b", "c"}
	c := &cluster{TB: t, options: Options{Cluster: "test", Nodes: addresses(t, names...), Secret: "s\"e c$ret"},
		nodes: map[string]*node{}, dirs: map[string]string{}}
	for _, name := range names {
		c.dirs[name] = t.TempDir()
	}
	t.Cleanup(func() {
		for _, n := range c.nodes {
			n.stop()
		}
	})
	return c
}

func newCluster(t testing.TB) *cluster {
	c := prepare(t)
	for name := range c.options.Nodes {
		c.start(name)
	}
	for _, n := range c.nodes {
		c.join(n)
	}
	return c
}

// start starts a node's engine.
func (c *cluster) start(name string) *node {
	c.Helper()
	n := &node{name: name}
	o := c.options
	o.Node, o.Dir, o.Logger = name, c.dirs[name], slog.New(slog.NewTextHandler(&n.log, nil))
	var err error
	until(c.TB, "the engine starts", func() bool {
		n.server, err = Start(limited(c.TB), o)
		return err == nil || !strings.Contains(err.Error(), "address already in use") // by another program
	})
	if err != nil {
		c.Fatal(err)
	}
	if n.nc, err = n.server.Connect(); err != nil {
		c.Fatal(err)
	}
	c.nodes[name] = n
	return n
}

// join waits until the engine and its streams are there, and begins to follow.
func (c *cluster) join(n *node) {
	c.Helper()
	if err := n.server.Joined(limited(c.TB)); err != nil {
		c.Fatal(err)
	}
	var err error
	n.shard, err = Open(limited(c.TB), n.nc, ShardOptions{Cluster: c.options.Cluster, Replicas: len(c.options.Nodes)})
	if err != nil {
		c.Fatal(err)
	}
	c.drive(n)
}

// drive has the node follow from what it has.
func (c *cluster) drive(n *node) {
	c.Helper()
	n.last.Origin = n.shard.Origin()
	var err error
	n.driver, err = Drive(n.shard, DriverOptions{
		Node: n.name, Store: n.last, Taken: n.taken,
		Changed: func(role lanes.Role, _ uint64, why error) {
			n.mu.Lock()
			n.why = why
			n.mu.Unlock()
			n.role.Store(int32(role))
		},
		Gap:    func() { n.gaps.Add(1) },
		Broken: func(err error) { c.Errorf("node %s: %v", n.name, err) },
	})
	if err != nil {
		c.Fatal(err)
	}
}

func (n *node) taken(records []lanes.Entry) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, e := range records {
		if !n.last.Takes(&e.Record) {
			panic(fmt.Sprintf("P9: node %s takes record %d behind %d", n.name, e.Record.Number, n.last.Number))
		}
		n.last.Number, n.last.Hash = e.Record.Number, e.Hash
		n.seen = append(n.seen, seen{e.Record.Number, e.Hash, string(e.Record.Turns)})
	}
}

// history is what the node has taken.
func (n *node) history() []seen {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.seen
}

func (n *node) is(role lanes.Role) bool { return lanes.Role(n.role.Load()) == role }

// stop ends a node as far as a process can end a part of itself: nothing of it answers any more.
func (n *node) stop() {
	if n.driver != nil {
		n.driver.Close()
	}
	if n.nc != nil {
		n.nc.Close()
	}
	n.server.Stop()
}

// own makes a node the owner.
func (c *cluster) own(n *node) {
	c.Helper()
	until(c.TB, "node "+n.name+" owns the shard", func() bool {
		if n.is(lanes.Follower) {
			n.driver.Stand()
		}
		return n.is(lanes.Owner)
	})
}

// ledger is what was acknowledged.
type ledger struct {
	mu    sync.Mutex
	acked map[string]uint64
	lost  []error
}

// append appends a text, which says whose it is. The answer goes to the ledger.
func (l *ledger) append(n *node, text string, done func()) {
	n.driver.Append([]byte(text), func(number uint64, err error) {
		l.mu.Lock()
		if err == nil {
			l.acked[text] = number
		} else {
			l.lost = append(l.lost, err)
		}
		l.mu.Unlock()
		done()
	})
}

func (l *ledger) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.acked)
}

// some appends texts one after the other, and waits until all are acknowledged.
func (c *cluster) some(l *ledger, n *node, from, to int) {
	c.Helper()
	for i := from; i < to; i++ {
		done := make(chan struct{})
		l.append(n, fmt.Sprintf("<%s-%d>", n.name, i), func() { close(done) })
		select {
		case <-done:
		case <-time.After(generous):
			c.Fatal("an append is not answered")
		}
	}
}

// agree waits until nodes have the same records, and holds them against the ledger.
func (c *cluster) agree(l *ledger, nodes ...*node) {
	c.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	most := uint64(0)
	for _, number := range l.acked {
		most = max(most, number)
	}
	for _, n := range nodes {
		until(c.TB, fmt.Sprintf("node %s has record %d", n.name, most), func() bool {
			h := n.history()
			return len(h) > 0 && h[len(h)-1].number >= most
		})
	}
	of := map[uint64]seen{}
	for _, s := range nodes[0].history() {
		of[s.number] = s
	}
	for text, number := range l.acked {
		if s, ok := of[number]; !ok || !strings.Contains(string(s.turns), text) {
			c.Errorf("%s was acknowledged as part of record %d, and is not in it", text, number)
		}
	}
	for _, n := range nodes[1:] {
		for _, s := range n.history() {
			if other, ok := of[s.number]; ok && other != s {
				c.Errorf("record %d is another one at node %s", s.number, n.name)
			}
		}
	}
}
