package members

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// The orders.
const (
	Add      = "add"
	Remove   = "remove"
	Replace  = "replace"
	Replicas = "replicas"
)

// Order is what an operator wants.
type Order struct {
	Do       string `json:"do"`
	Node     string `json:"node,omitempty"`
	Address  string `json:"address,omitempty"`  // of Add and Replace
	Replicas int    `json:"replicas,omitempty"` // of Replicas
}

func (o Order) String() string {
	switch o.Do {
	case Replicas:
		return fmt.Sprintf("%s %d", o.Do, o.Replicas)
	case Remove:
		return o.Do + " " + o.Node
	}
	return o.Do + " " + o.Node + "=" + o.Address
}

// mostReplicas is what the engine can do, leastNodes how many there are at least (ME4).
const (
	mostReplicas = 5
	leastNodes   = 2
)

// Begin is the table with which an order begins, or why it does not. The same table means that it is under way. A
// missing node is one that does not live, or is not as it should be.
func (t *Table) Begin(o Order, missing func(name string) string) (*Table, error) {
	if c := t.Change; c != nil && c.Order == o.String() {
		return t, nil
	}
	if c := t.Change; c != nil && c.Node != o.Node {
		return nil, fmt.Errorf("a change is under way: %s; wait until cluster status shows none, or take that one "+
			"back with its opposite", c.Order)
	}
	n := t.next()
	n.Change = &Change{Order: o.String(), Node: o.Node}
	if err := n.begin(t, o); err != nil {
		return nil, err
	}
	if t.Change == nil {
		for _, node := range t.Nodes {
			if why := missing(node.Name); why != "" && (n.Change.Remove == nil || n.Change.Remove.Name != node.Name) {
				return nil, fmt.Errorf("a change needs all nodes, but for one that is to go: node %s %s", node.Name,
					why)
			}
		}
	}
	return n, nil
}

func (t *Table) begin(before *Table, o Order) error {
	is := t.voter(o.Node)
	switch o.Do {
	case Add:
		return t.beginAdd(before, o, is)
	case Remove:
		return t.beginRemove(before, o, is)
	case Replace:
		if is == nil && before.Change == nil {
			return t.unknown(o.Node)
		}
		if is != nil && is.Address == o.Address && before.Change == nil {
			return fmt.Errorf("node %s has this address already: if its disk is lost, start it there with an empty "+
				"directory", o.Node)
		}
		t.Change.Add = &Node{Name: o.Node, Address: o.Address}
		if err := t.taken(*t.Change.Add); err != nil {
			return err
		}
		return t.beginRemove(before, o, is)
	case Replicas:
		return t.beginReplicas(o.Replicas)
	}
	return fmt.Errorf("this version knows no order %q", o.Do)
}

// beginAdd also takes a Remove back that is under way.
func (t *Table) beginAdd(before *Table, o Order, is *Node) error {
	switch {
	case is != nil && before.Change == nil:
		return fmt.Errorf("node %s is one of the cluster already, at %s", is.Name, is.Address)
	case is != nil && is.Address == o.Address:
		return nil // it stays
	case is != nil:
		return fmt.Errorf("node %s is there, at %s", is.Name, is.Address)
	}
	node := Node{Name: o.Node, Address: o.Address, Since: t.Version}
	if before.Change != nil { // its engine may still be in the group
		t.Change.Remove = goes(before, o.Node)
		node.Since = 0 // see leaves
	}
	t.Change.Add = &node
	return t.taken(node)
}

// beginRemove begins with the removal of a node that votes, or takes back that it is added.
func (t *Table) beginRemove(before *Table, o Order, is *Node) error {
	switch {
	case is != nil && len(t.Nodes) <= leastNodes:
		return fmt.Errorf("a cluster has %d nodes at least, and there are %d: add one first", leastNodes, len(t.Nodes))
	case is != nil:
		t.Change.Remove = &Node{is.Name, is.Address, is.Since}
	case before.Change == nil:
		return t.unknown(o.Node)
	default:
		t.Change.Remove = goes(before, o.Node)
	}
	return nil
}

// goes is a node that does not vote, but may be in the engine's group: it was about to go or to come.
func goes(before *Table, name string) *Node {
	if c := before.Change; c.Remove != nil {
		return c.Remove
	} else if c.Add != nil {
		return c.Add
	}
	return &Node{Name: name}
}

func (t *Table) beginReplicas(n int) error {
	switch {
	case n < 1 || n > mostReplicas || n%2 == 0:
		return errors.New("replicas can be 1, 3 or 5: an even number outlives no more machines than one less")
	case n > len(t.Nodes):
		return fmt.Errorf("%d replicas need as many nodes, and there are %d: add some first", n, len(t.Nodes))
	case n == t.Replicas:
		return fmt.Errorf("there are %d replicas already", n)
	}
	t.Replicas = n
	return nil
}

func (t *Table) unknown(name string) error {
	return fmt.Errorf("the cluster has no node %q: there are %s", name, strings.Join(t.Names(), ", "))
}

// taken says whether another node has a port of one that is to come: each has that of its address, and the next one.
func (t *Table) taken(n Node) error {
	host, port := split(n.Address)
	for _, other := range t.Nodes {
		if at, p := split(other.Address); at == host && max(p-port, port-p) <= 1 && other.Name != n.Name {
			return fmt.Errorf("%s is the address of node %s, or next to it: each node has a port, and the one after "+
				"that, to itself", n.Address, other.Name)
		}
	}
	return nil
}

// split gives port 0 if there is none.
func split(address string) (host string, port int) {
	i := strings.LastIndexByte(address, ':')
	port, _ = strconv.Atoi(address[i+1:])
	return address[:max(i, 0)], port
}
