package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"beanfield/storage"
	"beanfield/storage/must"
	"beanfield/storage/turns"
)

// withEngine has the tests run that need the engine itself (make cluster).
var withEngine = flag.Bool("engine", false, "run the tests that need the real engine (make cluster)")

// generous is how long a test waits for a state that must come. It is no verdict on speed.
const generous = 4 * time.Minute

func until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
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

// memory is a node's copies, which outlive the node.
type memory struct {
	mu     sync.Mutex
	places []turns.Place
	turns  [][]string
	whole  [3]int // of a shard's, those before turns of which there are only parts so far
	lags   bool   // nothing becomes durable before a Fold
	folded [3]uint64
	tables [3][]byte // what the logs have decided about the members

	replaced int
	replaces func(i int) // if it is set, it is called before that
	damaged  [3]bool     // a shard cannot be read
	tell     func(shard int, kept string, inUse bool, why error)
	asides   int // how often a damaged one was replaced
}

func (m *memory) Shards() int  { return len(m.places) }
func (m *memory) Close() error { return nil }
func (m *memory) Stop()        {}
func (m *memory) Low() string  { return "" }

func (m *memory) Aside(int) string { return "" }
func (m *memory) Forget(int) error { return nil }

// Sum needs no record to wait for: nodes that lack some are behind.
func (m *memory) Sum(_ context.Context, i int, at uint64) (Content, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.places[i].Number != at {
		return Content{}, errors.New("passed")
	}
	if m.damaged[i] {
		m.tell(i, "aside", true, storage.ErrCorrupt)
		return Content{}, storage.ErrCorrupt
	}
	return Content{At: at, Hash: fmt.Sprint(m.turns[i])}, nil
}

func (m *memory) Place(i int) turns.Place {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.places[i]
}

func (m *memory) Take(i int, rec turns.Record, _ []byte, hash uint64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.places[i].Takes(&rec) {
		return fmt.Errorf("P9: record %d behind %d", rec.Number, m.places[i].Number)
	}
	m.places[i].Number, m.places[i].Hash = rec.Number, hash
	if !rec.Rest { // of what an owner had begun before, the rest never comes (P7)
		m.turns[i] = m.turns[i][:m.whole[i]]
	}
	if op, _, err := turns.NextOp(rec.Turns); err == nil && op.Kind == turns.Members {
		m.tables[i] = slices.Clone(op.Value)
	}
	text := strings.ToValidUTF8(string(rec.Turns), "?") // checkpoints and sums here are JSON
	if m.turns[i] = append(m.turns[i], text); !rec.More {
		m.whole[i] = len(m.turns[i])
	}
	return nil
}

func (m *memory) Members(i int) []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.tables[i]
}

func (m *memory) Durable(i int) uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.lags {
		return m.folded[i]
	}
	return m.places[i].Number
}

func (m *memory) Fold(i int) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.folded[i] = m.places[i].Number
	return nil
}

// kept is what a checkpoint of a memory has in its file.
type kept struct {
	Place turns.Place
	Turns []string
	Whole int
	Table []byte
}

func (m *memory) Checkpoint(i int, dir string) (turns.Place, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	b := must.Get(json.Marshal(kept{m.places[i], m.turns[i], m.whole[i], m.tables[i]}))
	return m.places[i], errors.Join(os.Mkdir(dir, 0o700), os.WriteFile(filepath.Join(dir, "turns"), b, 0o600))
}

func (m *memory) Replace(i int, dir string, damaged bool) error {
	if m.replaces != nil {
		m.replaces(i)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	b, err := os.ReadFile(filepath.Join(dir, "turns"))
	var k kept
	if err = errors.Join(err, json.Unmarshal(b, &k), os.RemoveAll(dir)); err == nil {
		m.places[i], m.turns[i], m.whole[i], m.tables[i] = k.Place, k.Turns, k.Whole, k.Table
		m.replaced++
		if damaged {
			m.damaged[i] = false
			m.asides++
		}
	}
	return err
}

func (m *memory) has(i int, text string) bool { return m.times(i, text) > 0 }

func (m *memory) times(i int, text string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return strings.Count(strings.Join(m.turns[i], ""), text)
}

// trio is three nodes in this process.
type trio struct {
	testing.TB
	options Options
	dirs    map[string]string
	stores  map[string]*memory
	nodes   map[string]*Node
	links   *links            // nil: the nodes reach each other directly
	at      map[string]string // where nodes listen whom the others look for elsewhere
	log     must.Text
	cancel  map[string]context.CancelFunc
	served  sync.WaitGroup
	coming  chan func() // nodes that begin by themselves; nil: none

	mu       sync.Mutex
	terms    map[string]*Term // that servers have now
	unopened map[string]bool  // nodes whose servers cannot open the copies
}

func newTrio(t testing.TB) *trio {
	if !*withEngine {
		t.Skip("this needs the real engine: make cluster")
	}
	c := &trio{
		TB: t, dirs: map[string]string{}, stores: map[string]*memory{}, nodes: map[string]*Node{},
		cancel:  map[string]context.CancelFunc{},
		terms:   map[string]*Term{},
		options: Options{Name: "test", Secret: "secret", Nodes: map[string]string{}, DefaultShards: 2, Version: "1"},
	}
	for _, name := range []string{"a", "b", "c"} {
		l := must.Get(net.Listen("tcp", "127.0.0.1:0"))
		defer l.Close()
		c.options.Nodes[name] = l.Addr().String()
		c.dirs[name], c.stores[name] = t.TempDir(), &memory{}
	}
	t.Cleanup(func() {
		if len(c.coming) > 0 {
			(<-c.coming)()
		}
		for name := range c.nodes {
			c.kill(name)
		}
		c.served.Wait()
		if t.Failed() {
			t.Log(c.log.String())
		}
	})
	return c
}

// free is an address at which nobody listens.
func free() string {
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))
	defer l.Close()
	return l.Addr().String()
}

// start starts some nodes at once, each with a server that serves whenever it may.
func (c *trio) start(names ...string) {
	c.Helper()
	var starting sync.WaitGroup
	var mu sync.Mutex
	for _, name := range names {
		starting.Go(func() {
			n, err := Start(limited(c.TB), c.of(name))
			if err != nil {
				c.Error(err)
				return
			}
			ctx, cancel := context.WithCancel(context.Background())
			mu.Lock()
			c.nodes[name], c.cancel[name] = n, cancel
			mu.Unlock()
			c.served.Go(func() { c.serve(ctx, name, n) })
		})
	}
	if starting.Wait(); c.Failed() {
		c.FailNow()
	}
}

// three starts three nodes, and waits until one serves, any other one could, and all have a first record.
func (c *trio) three() (owner string, term *Term, others []string) {
	c.Helper()
	c.start("a", "b", "c")
	c.fit("a", "b", "c")
	owner, term = c.owner()
	c.append(term, "one;", "a", "b", "c")
	return owner, term, without(owner, "a", "b", "c")
}

// without are the other ones of some names.
func without(name string, names ...string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(other string) bool { return other == name })
}

// of are a node's options.
func (c *trio) of(name string) Options {
	o := c.options
	if c.links != nil {
		o.Nodes = maps.Clone(o.Nodes)
		for other, address := range c.options.Nodes {
			if other != name {
				o.Nodes[other] = c.links.between(name, other, address)
			}
		}
	}
	if at := c.at[name]; at != "" {
		o.Nodes = maps.Clone(o.Nodes)
		o.Nodes[name] = at
	}
	o.Node, o.Dir, o.Logger = name, c.dirs[name],
		slog.New(slog.NewTextHandler(&c.log, &slog.HandlerOptions{Level: slog.LevelWarn})).With("node", name)
	o.Open = func(o Opening) (Copies, error) {
		m := c.stores[name]
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.tell = o.Damaged; m.places == nil || o.Anew {
			m.whole = [3]int{}
			m.places, m.turns = o.Origins, make([][]string, len(o.Origins))
		}
		return m, nil
	}
	return o
}

// serve is a server: it stops in order, or at once.
func (c *trio) serve(ctx context.Context, name string, n *Node) {
	for {
		t, err := n.Term(ctx)
		if err != nil {
			return
		}
		c.mu.Lock()
		opens := !c.unopened[name]
		c.mu.Unlock()
		if !opens {
			t.End()
			continue
		}
		t.Serve(ctx)
		c.set(name, t)
		select {
		case <-t.Leave():
		case <-t.Lost():
		case <-ctx.Done():
		}
		c.set(name, nil)
		t.End()
	}
}

func (c *trio) set(name string, t *Term) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.terms[name] = t
}

// kill ends a node's engine and then the node: it has no chance to tell anybody anything.
func (c *trio) kill(name string) {
	n := c.nodes[name]
	if n == nil {
		return
	}
	n.talk.Close()
	n.conn.Close()
	if n.server != nil {
		n.server.Stop()
	}
	c.cancel[name]()
	c.set(name, nil) // its server may not have heard yet
	n.stops.Do(n.stop)
	delete(c.nodes, name)
}

// owner waits until a node serves, and finds which.
func (c *trio) owner() (name string, t *Term) {
	c.Helper()
	until(c.TB, "a node serves", func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		name = ""
		for other, its := range c.terms {
			if its != nil && its.Holds() {
				if name != "" {
					c.Fatal("K7: two nodes serve:", name, other)
				}
				name, t = other, its
			}
		}
		return name != ""
	})
	return name, t
}

// append appends a text to each shard, and wants it in the copies of some nodes.
func (c *trio) append(t *Term, text string, nodes ...string) {
	c.Helper()
	for i := range c.options.DefaultShards {
		must.Do(c, t.Append(i, []byte(text)))
	}
	for _, name := range nodes {
		until(c.TB, "node "+name+" has "+text, func() bool {
			return c.stores[name].has(0, text) && c.stores[name].has(1, text)
		})
	}
}
