package members

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Node is one of the cluster's machines.
type Node struct {
	Name    string `json:"name"`
	Address string `json:"address"` // where the others find it: host:port
	// Since is the version of the Table that has let it in; 0 for those with which the cluster began.
	Since uint64 `json:"since,omitempty"`
}

// Table is what a cluster has decided about its nodes.
type Table struct {
	Version  uint64  `json:"version"`
	Nodes    []Node  `json:"nodes"` // that vote, in the order of their names
	Replicas int     `json:"replicas"`
	Change   *Change `json:"change,omitempty"` // that is under way
}

// Change is what is still to be done of an order.
type Change struct {
	Order  string `json:"order"`            // as it was said
	Node   string `json:"node,omitempty"`   // whom it is about
	Remove *Node  `json:"remove,omitempty"` // a node that is to leave
	Add    *Node  `json:"add,omitempty"`    // one that is to come, when nobody is to leave any more
}

// Founders is the table of a log that has none: of these names and addresses.
func Founders(names []string, addresses map[string]string, replicas int) *Table {
	t := &Table{Replicas: replicas}
	for _, name := range slices.Sorted(slices.Values(names)) {
		t.Nodes = append(t.Nodes, Node{Name: name, Address: addresses[name]})
	}
	return t
}

// Encode and Decode are how a table is kept. Fields that another version has more are lost.
func (t *Table) Encode() []byte {
	b, _ := json.Marshal(t) // there is nothing in it that could not be encoded
	return b
}

// Decode is the reverse of Encode.
func Decode(b []byte) (*Table, error) {
	t := new(Table)
	if err := json.Unmarshal(b, t); err != nil {
		return nil, fmt.Errorf("members: a table that is none: %w", err)
	}
	if t.Version == 0 || len(t.Nodes) == 0 || t.Replicas < 1 || !slices.IsSortedFunc(t.Nodes, byName) {
		return nil, fmt.Errorf("members: a table of version %d with %d nodes is none", t.Version, len(t.Nodes))
	}
	return t, nil
}

func byName(a, b Node) int { return strings.Compare(a.Name, b.Name) }

// Names are those of the nodes that vote, in their order.
func (t *Table) Names() (names []string) {
	for _, n := range t.Nodes {
		names = append(names, n.Name)
	}
	return names
}

// Joining is the node that gets its copies, and does not vote yet; nil without one.
func (t *Table) Joining() *Node {
	if t.Change == nil || t.Change.Remove != nil {
		return nil
	}
	return t.Change.Add
}

// All are the nodes that vote, and the one that joins.
func (t *Table) All() []Node {
	all := slices.Clone(t.Nodes)
	if j := t.Joining(); j != nil {
		all = append(all, *j)
		slices.SortFunc(all, byName)
	}
	return all
}

// Find is a node that votes or joins; nil if there is none of this name.
func (t *Table) Find(name string) *Node { return find(t.All(), name) }

// voter is a node that votes.
func (t *Table) voter(name string) *Node { return find(t.Nodes, name) }

// Has tells whether a node is at an address, or is about to come there or to leave it.
func (t *Table) Has(name, address string) bool {
	is := func(n Node) bool { return n.Name == name && n.Address == address }
	c := t.Change
	return slices.ContainsFunc(t.Nodes, is) ||
		c != nil && (c.Remove != nil && is(*c.Remove) || c.Add != nil && is(*c.Add))
}

func find(nodes []Node, name string) *Node {
	if i := slices.IndexFunc(nodes, func(n Node) bool { return n.Name == name }); i >= 0 {
		return &nodes[i]
	}
	return nil
}

// Replicas of lanes are no more than there are nodes to keep them.
func (t *Table) replicas(nodes int) int { return min(t.Replicas, nodes) }

// next is a copy of the table, of the next version.
func (t *Table) next() *Table {
	n := *t
	n.Version++
	n.Nodes = slices.Clone(t.Nodes)
	if t.Change != nil {
		c := *t.Change
		n.Change = &c
	}
	return &n
}

// without is the table with a node less.
func without(nodes []Node, name string) []Node {
	return slices.DeleteFunc(slices.Clone(nodes), func(n Node) bool { return n.Name == name })
}
