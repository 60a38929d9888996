package members

import "fmt"

// Do is what is to be done for a change.
type Do int

// What there is to do.
const (
	Nothing  Do = iota
	HandOver    // another node has to own the shards, and goes on
	Streams     // Keepers keep the lanes, so many of them each lane
	Expel       // nobody but Keepers is in the engines' group, or keeps lanes; then as Streams
	Join        // Node's engine is let in, and its copies are made
)

// Step is what is to be done now. When it has been done, Then is the next table.
type Step struct {
	Do       Do
	Node     *Node
	Keepers  []Node
	Replicas int
	Then     *Table
}

func (s Step) String() string {
	switch s.Do {
	case HandOver:
		return fmt.Sprintf("another node is to serve instead of %s", s.Node.Name)
	case Streams:
		return "the lanes move, one copy of one lane at a time"
	case Expel:
		return "the engine of the node that has left leaves the others"
	case Join:
		return fmt.Sprintf("node %s is to start at %s and gets its copies", s.Node.Name, s.Node.Address)
	}
	return ""
}

// Next is what is to be done, as the node says that owns the shards.
func (t *Table) Next(owner string) Step {
	c := t.Change
	if c == nil {
		return Step{}
	}
	n := t.next()
	if c.Remove != nil {
		return t.leaves(n, owner)
	}
	if c.Add != nil {
		n.Nodes, n.Change.Add = n.All(), nil
		return Step{Do: Join, Node: c.Add, Keepers: t.All(), Then: n}
	}
	n.Change = nil
	return Step{Do: Streams, Keepers: t.Nodes, Replicas: t.replicas(len(t.Nodes)), Then: n}
}

// leaves is what is to be done for a node that is to leave.
func (t *Table) leaves(n *Table, owner string) Step {
	name := t.Change.Remove.Name
	rest := without(t.Nodes, name)
	switch {
	case len(rest) == len(t.Nodes): // it is gone
		if n.Change.Remove = nil; n.Change.Add != nil {
			add := *n.Change.Add
			add.Since = n.Version
			n.Change.Add = &add
		}
		return Step{Do: Expel, Keepers: rest, Replicas: t.replicas(len(rest)), Then: n}
	case owner == name:
		return Step{Do: HandOver, Node: t.Change.Remove}
	}
	n.Nodes = rest
	return Step{Do: Streams, Keepers: rest, Replicas: t.replicas(len(rest)), Then: n}
}
