package members

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// world is what a table speaks of: engines are named as the engine knows them.
type world struct {
	Table  *Table
	Lanes  map[string]bool // engines that keep the lanes: they are taken for one here
	Group  map[string]bool // engines that are in the engines' group
	Copies map[string]bool // nodes that have their copies
	Used   map[string]bool // engines that there have been
	Orders int             // that have been given
}

func engine(n Node) string { return fmt.Sprintf("%s~%d", n.Name, n.Since) }

func begun(replicas int, names ...string) *world {
	w := &world{Table: Founders(names, nil, replicas), Lanes: map[string]bool{}, Group: map[string]bool{},
		Copies: map[string]bool{}, Used: map[string]bool{}}
	for i := range w.Table.Nodes {
		n := &w.Table.Nodes[i]
		n.Address = n.Name + ":1"
		w.Group[engine(*n)], w.Copies[engine(*n)], w.Used[engine(*n)] = true, true, true
		w.Lanes[engine(*n)] = len(w.Lanes) < replicas
	}
	return w
}

func (w *world) clone() *world {
	var c world
	if err := json.Unmarshal([]byte(w.key()), &c); err != nil {
		panic(err)
	}
	return &c
}

func (w *world) key() string {
	for _, set := range []map[string]bool{w.Lanes, w.Group, w.Copies, w.Used} {
		maps.DeleteFunc(set, func(_ string, is bool) bool { return !is })
	}
	b, _ := json.Marshal(w)
	return string(b)
}

// decide writes the next table, if the invariants hold then.
func (w *world) decide(t *testing.T, next *Table) {
	t.Helper()
	before := w.Table
	w.Table = must(t, next)
	if next.Version != before.Version+1 || differ(before, next) > 1 {
		t.Fatalf("ME1: %s follows %s", next.Encode(), before.Encode())
	}
	for _, n := range next.Nodes {
		if !w.Copies[engine(n)] {
			t.Fatalf("ME2: %s votes without its copies: %s", engine(n), next.Encode())
		}
	}
	if len(next.Nodes) < leastNodes {
		t.Fatalf("ME4: %s", next.Encode())
	}
	if j := next.Joining(); j != nil && before.Joining() == nil {
		if w.Used[engine(*j)] {
			t.Fatalf("ME5: %s comes once more: %s", engine(*j), next.Encode())
		}
		w.Used[engine(*j)] = true
	}
	w.lanesAreKept(t)
}

// must wants a table to be read as it was written.
func must(t *testing.T, table *Table) *Table {
	t.Helper()
	got, err := Decode(table.Encode())
	if err != nil || !reflect.DeepEqual(got, table) {
		t.Fatalf("%s is read as %+v, %v", table.Encode(), got, err)
	}
	return got
}

func (w *world) lanesAreKept(t *testing.T) {
	t.Helper()
	for name := range w.Lanes {
		if w.Lanes[name] && !slices.ContainsFunc(w.Table.Nodes, func(n Node) bool { return engine(n) == name }) &&
			slices.ContainsFunc(w.Table.Nodes, func(n Node) bool { return !w.Lanes[engine(n)] }) {
			t.Fatalf("ME3: %s keeps the lanes, and does not vote: %s", name, w.Table.Encode())
		}
	}
}

// differ counts the nodes that vote by one table only.
func differ(a, b *Table) (n int) {
	for _, x := range a.Nodes {
		if !slices.Contains(b.Nodes, x) {
			n++
		}
	}
	for _, x := range b.Nodes {
		if !slices.Contains(a.Nodes, x) {
			n++
		}
	}
	return n
}

// goOn does a part of what is to be done, and no more. It says whether there was anything.
func (w *world) goOn(t *testing.T, owner string) bool {
	t.Helper()
	s := w.Table.Next(owner)
	keepers := map[string]bool{}
	for _, n := range s.Keepers {
		keepers[engine(n)] = true
	}
	switch s.Do {
	case Nothing, HandOver:
		return false
	case Join:
		w.Group[engine(*s.Node)] = true
		if !w.Copies[engine(*s.Node)] {
			w.Copies[engine(*s.Node)] = true
			return true
		}
	case Expel:
		for _, name := range slices.Sorted(maps.Keys(w.Group)) {
			if w.Group[name] && !keepers[name] {
				w.Group[name], w.Lanes[name] = false, false
				return true
			}
		}
		if w.moves(keepers, s.Replicas) {
			return true
		}
	case Streams:
		if w.moves(keepers, s.Replicas) {
			w.lanesAreKept(t)
			return true
		}
	}
	w.decide(t, s.Then)
	return true
}

// moves has the lanes come one step nearer to what they should be.
func (w *world) moves(keepers map[string]bool, replicas int) bool {
	spare := slices.ContainsFunc(slices.Collect(maps.Keys(keepers)), func(name string) bool { return !w.Lanes[name] })
	for _, name := range slices.Sorted(maps.Keys(w.Lanes)) {
		if w.Lanes[name] && (!keepers[name] && spare || keepers[name] && w.kept() > replicas) {
			w.Lanes[name] = false
			return true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(keepers)) {
		if !w.Lanes[name] && w.kept() < replicas {
			w.Lanes[name] = true
			return true
		}
	}
	return false
}

func (w *world) kept() (n int) {
	for _, keeps := range w.Lanes {
		if keeps {
			n++
		}
	}
	return n
}

var allOrders = []Order{
	{Do: Add, Node: "d", Address: "d:1"}, {Do: Remove, Node: "d"}, {Do: Remove, Node: "b"},
	{Do: Add, Node: "b", Address: "b:1"},
	{Do: Replace, Node: "b", Address: "b:2"}, {Do: Replace, Node: "d", Address: "d:2"}, {Do: Replicas, Replicas: 1},
	{Do: Replicas, Replicas: 3}, {Do: Remove, Node: "c"},
}

// ME1 to ME5 hold whoever owns the shards and stops doing so at any step, with three orders given at any time, and
// each change ends.
func TestEveryCourse(t *testing.T) {
	seen := map[string]bool{}
	const orders = 3
	var all []*world
	visit := func(w *world) {
		if key := w.key(); !seen[key] {
			seen[key] = true
			all = append(all, w)
		}
	}
	visit(begun(3, "a", "b", "c"))
	visit(begun(1, "a", "b"))
	for len(all) > 0 {
		w := all[len(all)-1]
		all = all[:len(all)-1]
		for _, owner := range w.Table.Names() {
			c := w.clone()
			c.goOn(t, owner)
			visit(c)
		}
		w.ends(t)
		for _, o := range allOrders {
			if next, err := w.Table.Begin(o, func(string) string { return "" }); err == nil && next != w.Table &&
				w.Orders < orders {
				c := w.clone()
				c.Orders++
				c.decide(t, next)
				visit(c)
			}
		}
	}
	if len(seen) < 2000 {
		t.Errorf("%d states", len(seen))
	}
}

// ends has a change go on until it is over, under an owner that does not go.
func (w *world) ends(t *testing.T) {
	t.Helper()
	c := w.clone()
	owner := "a"
	for n := 0; c.goOn(t, owner); n++ {
		if n > 30 {
			t.Fatalf("it never ends: %s", w.key())
		}
	}
	if c.Table.Change != nil || c.kept() != c.Table.replicas(len(c.Table.Nodes)) {
		t.Fatalf("it ends as %s\n%s", c.key(), w.key())
	}
	for _, n := range c.Table.Nodes {
		delete(c.Group, engine(n))
	}
	if c.key(); len(c.Group) > 0 {
		t.Fatalf("the engines %v are left in the group: %s", c.Group, w.key())
	}
}

// What cannot be is refused with words, and nothing has changed.
func TestRefusals(t *testing.T) {
	three := Founders([]string{"c", "a", "b"}, map[string]string{"a": "a:1", "b": "b:1", "c": "c:1"}, 3)
	adding, err := three.Begin(Order{Do: Add, Node: "d", Address: "d:1"}, nobody)
	if err != nil || adding.Change.Add.Since != 1 || adding.Find("d") == nil || adding.voter("d") != nil {
		t.Fatalf("%+v, %v", adding, err)
	}
	two := Founders([]string{"a", "b"}, map[string]string{"a": "a:1", "b": "b:1"}, 1)
	for _, c := range []struct {
		table *Table
		order Order
		lacks string
		want  string
	}{
		{three, Order{Do: Add, Node: "b", Address: "e:1"}, "", "node b is one of the cluster already, at b:1"},
		{three, Order{Do: Add, Node: "d", Address: "b:1"}, "", "b:1 is the address of node b"},
		{three, Order{Do: Add, Node: "d", Address: "b:2"}, "", "b:2 is the address of node b, or next to it"},
		{three, Order{Do: Replace, Node: "c", Address: "b:0"}, "", "b:0 is the address of node b, or next to it"},
		{three, Order{Do: Remove, Node: "x"}, "", `the cluster has no node "x": there are a, b, c`},
		{three, Order{Do: Replace, Node: "x", Address: "x:1"}, "", `the cluster has no node "x": there are a, b, c`},
		{three, Order{Do: Replace, Node: "b", Address: "b:1"}, "", "node b has this address already"},
		{three, Order{Do: Replace, Node: "b", Address: "a:1"}, "", "a:1 is the address of node a"},
		{three, Order{Do: Replicas, Replicas: 2}, "", "replicas can be 1, 3 or 5"},
		{three, Order{Do: Replicas, Replicas: 5}, "", "5 replicas need as many nodes, and there are 3"},
		{three, Order{Do: Replicas, Replicas: 3}, "", "there are 3 replicas already"},
		{two, Order{Do: Remove, Node: "b"}, "", "a cluster has 2 nodes at least, and there are 2"},
		{two, Order{Do: Replace, Node: "b", Address: "b:2"}, "", "a cluster has 2 nodes at least, and there are 2"},
		{three, Order{Do: Remove, Node: "b"}, "c", "node c is gone"},
		{three, Order{Do: Add, Node: "d", Address: "d:1"}, "b", "node b is gone"},
		{three, Order{Do: Replicas, Replicas: 1}, "b", "node b is gone"},
		{three, Order{Do: "dance"}, "", `no order "dance"`},
		{adding, Order{Do: Remove, Node: "b"}, "", "a change is under way: add d=d:1"},
		{adding, Order{Do: Replicas, Replicas: 1}, "", "a change is under way: add d=d:1"},
	} {
		_, err := c.table.Begin(c.order, func(name string) string {
			if name == c.lacks {
				return "is gone"
			}
			return ""
		})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.order, err, c.want)
		}
	}
	if again, err := adding.Begin(Order{Do: Add, Node: "d", Address: "d:1"}, nobody); again != adding || err != nil {
		t.Errorf("said again: %+v, %v", again, err)
	}
	for _, dead := range []Order{{Do: Remove, Node: "b"}, {Do: Replace, Node: "b", Address: "b:2"}} {
		gone := func(name string) string { return strings.Repeat("is gone", strings.Count(name, "b")) }
		if _, err := three.Begin(dead, gone); err != nil {
			t.Errorf("%s, which is dead: %v", dead, err)
		}
	}
	for _, text := range []string{"", "{}", `{"version":1,"replicas":1}`, "[]",
		`{"version":1,"replicas":1,"nodes":[{"name":"b"},{"name":"a"}]}`} {
		if table, err := Decode([]byte(text)); err == nil {
			t.Errorf("%q is %+v", text, table)
		}
	}
}

func nobody(string) string { return "" }
