package cluster

import (
	"cmp"
	"errors"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"beanfield/storage/cluster/members"
	"beanfield/storage/cluster/ownership"
	"beanfield/storage/cluster/partition"
	"beanfield/storage/jetstream"
	"beanfield/storage/must"
)

// seventh is a table of version 7, with node d since some decision.
func seventh(since uint64) []byte {
	m := members.Founders([]string{"a", "d"}, map[string]string{"d": "h:1"}, 1)
	m.Version, m.Nodes[1].Since = 7, since
	return m.Encode()
}

// What a node takes itself for when it starts, by what its directory has: a member since a decision, or somebody who
// asks the others. What is damaged is told, and taken for nothing else; promises go only with another member's.
func TestWhatANodeRemembers(t *testing.T) {
	for what, c := range map[string]struct {
		table    []byte // nil: none
		since    uint64 // of the promises
		known    bool   // there are some; else the node is blank, and drained
		cluster  string // whose they are; "": this one's
		damaged  bool   // their file is
		stranger bool
		as       uint64 // since when it is a member, if the others know no more
		knows    bool
		keeps    bool // the file of promises, if it is let in so
		told     string
	}{
		"a member":    {table: seventh(7), since: 7, known: true, as: 7, knows: true, keeps: true},
		"a blank one": {table: seventh(7), since: 7, as: 7, knows: true, keeps: true},
		"one that was added again": {table: seventh(7), since: 3, known: true, stranger: true, as: 7,
			knows: true},
		"a table that is damaged": {table: []byte("{"), since: 7, known: true, stranger: true, as: 7,
			keeps: true, told: "members is damaged"},
		"a table that is lost":  {since: 7, known: true, stranger: true, as: 7, keeps: true},
		"a table that is older": {table: seventh(0), since: 9, known: true, stranger: true, as: 9, keeps: true},
		"promises that are damaged": {table: seventh(7), since: 7, damaged: true, as: 7, knows: true, keeps: true,
			told: "promises is damaged"},
		"both damaged":                     {table: []byte("{"), damaged: true, stranger: true, keeps: true, told: "members is damaged"},
		"promises of another cluster":      {cluster: "y", since: 7, known: true, stranger: true},
		"a member since the cluster began": {known: true, knows: true, keeps: true},
		"the same, with a table of no text": {table: []byte{}, known: true, stranger: true, keeps: true,
			told: "members is damaged"},
	} {
		t.Run(what, func(t *testing.T) {
			var log must.Text
			n := newNode(Options{Name: "x", Node: "d", Dir: t.TempDir(), Nodes: map[string]string{"d": "h:1"},
				Logger: slog.New(slog.NewTextHandler(&log, nil))})
			path := filepath.Join(n.o.Dir, promisesName)
			promises := must.Get(openPromises(n.o.Dir, paper{Cluster: cmp.Or(c.cluster, "x")}, 0))
			must.Do(t, promises.keep(ownership.Kept{Since: c.since, Known: []bool{c.known}, Drained: true}))
			if c.damaged {
				must.Do(t, os.WriteFile(path, []byte("{}"), 0o600))
			}
			if c.table != nil {
				must.Do(t, os.WriteFile(filepath.Join(n.o.Dir, tableName), c.table, 0o600))
			}
			must.Do(t, n.remember(t.Context()))
			if n.stranger.Load() != c.stranger || n.since != c.as || n.knows.Load() != c.knows {
				t.Errorf("a stranger %t, since %d, knows %t; want %t, %d, %t", n.stranger.Load(), n.since,
					n.knows.Load(), c.stranger, c.as, c.knows)
			}
			if n.expelled() {
				t.Errorf("since %d, it takes itself for removed by version %d", n.since, n.table.Load().Version)
			}
			if told := log.String(); !strings.Contains(told, c.told) || c.told == "" && told != "" {
				t.Errorf("it says %q, and not %q", told, c.told)
			}
			must.Do(t, dropPromises(n.o.Dir, n.since))
			if _, err := os.Stat(path); (err == nil) != c.keeps {
				t.Errorf("its promises are kept: %v; want %t", err, c.keeps)
			}
		})
	}
}

// CN8: a node takes no table from before it was let in, if that is what the first one has that answers. CN9: it hears
// of another process that is this node, unless the table has another one in its place, or who answers knows nothing.
func TestTablesFromBefore(t *testing.T) {
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))
	nodes := map[string]string{"a": "h:1", "b": l.Addr().String()}
	l.Close()
	engine := must.Get(jetstream.Start(limited(t), jetstream.Options{Dir: t.TempDir(), Cluster: "x", Node: "b",
		Nodes: nodes, Secret: "secret", Rests: true}))
	defer engine.Stop()
	a, b := newNode(Options{Name: "x", Node: "a"}), newNode(Options{Name: "x", Node: "b"})
	a.table.Store(members.Founders([]string{"a", "b"}, nodes, 1))
	a.since = 7
	a.stranger.Store(true)
	b.knows.Store(true)
	b.watch = partition.New("b", []string{"a"})
	a.bulk, b.bulk = must.Get(engine.Connect()), must.Get(engine.Connect())
	defer a.bulk.Close()
	defer b.bulk.Close()
	must.Do(t, b.answers(true))
	must.Do(t, b.bulk.Flush())
	for version, takes := range map[uint64]bool{5: false, 7: true} {
		b.table.Store(&members.Table{Version: version})
		if told, _, silent := a.askTable(limited(t)); (told != nil) != takes || silent != nil {
			t.Errorf("version %d: it takes %v; silent are %v", version, told, silent)
		}
	}
	for range partition.Missed {
		b.watch.Tick()
	}
	b.watch.Heard(partition.Presence{From: "a", Since: 7})
	for _, c := range []struct {
		since           uint64 // of node a, in the table
		stranger, lives bool
	}{{6, false, true}, {7, false, true}, {8, false, false}, {7, true, false}} {
		b.table.Store(&members.Table{Version: 8, Nodes: []members.Node{{Name: "a", Since: c.since}}})
		b.stranger.Store(c.stranger)
		if _, twin, _ := a.askTable(limited(t)); (twin != nil) != c.lives {
			t.Errorf("%+v: it hears %v", c, twin)
		}
	}
}

// CN10: a directory is one node's, as soon as that one takes part: a machine with another name does not take it for
// its own. An older program's, which does not say whose it is, is anybody's until then.
func TestWhoseDirectory(t *testing.T) {
	dir := t.TempDir()
	start := func(name string) *Node {
		return newNode(Options{Node: name, Dir: dir, Nodes: map[string]string{"a": "", "b": ""}})
	}
	must.Do(t, start("b").remember(t.Context()))
	a := start("a")
	must.Do(t, a.remember(t.Context()))
	must.Do(t, a.sign())
	must.Do(t, start("a").remember(t.Context()))
	if err := start("b").remember(t.Context()); !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(),
		`is the directory of node "a", and this is to be node "b": say node = "a" in [cluster], or give this node an `+
			"empty directory (storage.path); if \"a\" was said by mistake, remove "+filepath.Join(dir, nameName)) {
		t.Error("another one's directory:", err)
	}
}
