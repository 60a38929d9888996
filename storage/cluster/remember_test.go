package cluster

import (
	"errors"
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
		table     []byte // nil: none
		since, as uint64 // of the promises, and since when it is a member, if the others know no more
		// Of the promises: known, or else the node is blank, and drained; foreign: another cluster's; damaged. Then
		// what is wanted: a stranger; that knows; that keeps the file of promises, if it is let in so.
		is, told string
	}{
		"a member":                          {seventh(7), 7, 7, "known knows keeps", ""},
		"a blank one":                       {seventh(7), 7, 7, "knows keeps", ""},
		"one that was added again":          {seventh(7), 3, 7, "known stranger knows", ""},
		"a table that is damaged":           {[]byte("{"), 7, 7, "known stranger keeps", "members is damaged"},
		"a table that is lost":              {nil, 7, 7, "known stranger keeps", ""},
		"a table that is older":             {seventh(0), 9, 9, "known stranger keeps", ""},
		"promises that are damaged":         {seventh(7), 7, 7, "damaged knows keeps", "promises is damaged"},
		"both damaged":                      {[]byte("{"), 7, 0, "damaged stranger keeps", "members is damaged"},
		"promises of another cluster":       {nil, 7, 0, "known foreign stranger", ""},
		"a member since the cluster began":  {nil, 0, 0, "known knows keeps", ""},
		"the same, with a table of no text": {[]byte{}, 0, 0, "known stranger keeps", "members is damaged"},
	} {
		t.Run(what, func(t *testing.T) {
			var log must.Text
			n := newNode(Options{Name: "x", Node: "d", Dir: t.TempDir(), Nodes: map[string]string{"d": "h:1"},
				Logger: log.Logger()})
			path := filepath.Join(n.o.Dir, promisesName)
			is := func(word string) bool { return strings.Contains(c.is, word) }
			cluster := n.o.Name
			if is("foreign") {
				cluster = "y"
			}
			promises := must.Get(openPromises(n.o.Dir, paper{Cluster: cluster}, 0))
			must.Do(t, promises.keep(ownership.Kept{Since: c.since, Known: []bool{is("known")}, Drained: true}))
			if is("damaged") {
				must.Do(t, os.WriteFile(path, []byte("{}"), 0o600))
			}
			if c.table != nil {
				must.Do(t, os.WriteFile(filepath.Join(n.o.Dir, tableName), c.table, 0o600))
			}
			must.Do(t, n.remember(t.Context()))
			if n.stranger.Load() != is("stranger") || n.since != c.as || n.knows.Load() != is("knows") {
				t.Errorf("a stranger %t, since %d, knows %t; want %d, %s", n.stranger.Load(), n.since, n.knows.Load(),
					c.as, c.is)
			}
			if n.expelled() {
				t.Errorf("since %d, it takes itself for removed by version %d", n.since, n.table.Load().Version)
			}
			if told := log.String(); !strings.Contains(told, c.told) || c.told == "" && told != "" {
				t.Errorf("it says %q, and not %q", told, c.told)
			}
			must.Do(t, dropPromises(n.o.Dir, n.since))
			if _, err := os.Stat(path); (err == nil) != is("keeps") {
				t.Errorf("its promises are kept: %v; want %s", err, c.is)
			}
		})
	}
}

// CN8: a node takes no table from before it was let in, if that is what the first one has that answers. CN9: it hears
// of another process that is this node, unless the table has another one in its place, or who answers knows nothing.
func TestTablesFromBefore(t *testing.T) {
	nodes := map[string]string{"a": "h:1", "b": free()}
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
		if told, silent, _ := a.askTable(limited(t)); (told != nil) != takes || silent != nil {
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
		if _, _, twin := a.askTable(limited(t)); (twin != nil) != c.lives {
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
