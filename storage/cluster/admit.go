package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"beanfield/storage/cluster/members"
)

// tableOf is what a node asks the others that does not know whether it is a member: for the newest table that they
// know.
const tableOf = "members"

// unheard is how often a node asks for it that knows what it has promised, until that is enough: 3 to 9 s.
const unheard = 10

// admit waits until this node is one of the cluster's, and has its engine take part. Before that an engine may only
// pass on messages: it would become one of the engines' group, and count for its majorities.
func (n *Node) admit(ctx context.Context) (err error) {
	if n.begins, err = n.beginning(); err != nil {
		return err
	}
	if !n.stranger.Load() {
		return errors.Join(n.sign(), n.answers(true))
	}
	w := n.saying("the other nodes of the cluster")
	defer w.done()
	for asked := 1; n.begins.paper() == nil && len(n.o.Nodes) > 1; asked++ {
		t, silent, twin := n.askTable(ctx)
		// a new cluster is waiting for its answers; in another one perhaps somebody else has its name
		if err := n.answers(t == nil); err != nil {
			return err
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case t == nil && len(silent) == 0: // a new cluster
			return n.letIn(ctx)
		case t == nil && n.promised && asked >= unheard:
			n.o.Logger.Warn("no other node tells who the cluster's members are: this one goes on as who made its promises")
			return n.letIn(ctx)
		case t == nil:
			w.because(errors.New("none that knows the cluster's members has answered, and a new cluster begins when all " +
				"nodes are there; missing: " + strings.Join(silent, ", ")))
		default:
			why := cmp.Or(n.outside(ctx, t), twin)
			if why == nil {
				n.adopt(t)
				return n.letIn(ctx)
			}
			w.because(why)
			n.promised = false // others decide
		}
		_ = pause(ctx, foundingLimit/2)
	}
	return n.letIn(ctx)
}

// outside says why this node is not one of those in a table, and what makes it one.
func (n *Node) outside(ctx context.Context, t *members.Table) error {
	name, at, others := n.o.Node, n.o.Nodes[n.o.Node], strings.Join(t.Names(), ", ")
	self, c := t.Find(name), t.Change
	switch {
	case self != nil && (n.server == nil || self.Address == at || n.server.Is(ctx, self.Address)):
		return nil
	case self == nil && c != nil && c.Add != nil && c.Node == name:
		return fmt.Errorf("the cluster is changing, and this node's turn comes: %s", c.Order)
	case self == nil:
		return fmt.Errorf("this node, %s, is none of the cluster's: at one of %s, beanfield cluster add %s=%s adds it",
			name, others, name, at)
	}
	do := members.Replace
	if c != nil && c.Add != nil && c.Node == name { // it comes, but from elsewhere
		do, _, _ = strings.Cut(c.Order, " ")
	}
	return fmt.Errorf("the cluster has node %s at %s, and this one is at %s: at one of %s, beanfield cluster %s %[1]s="+
		"%[3]s has this one take its place", name, self.Address, at, others, do)
}

// letIn has the engine take part. What this node has promised as an earlier member is another one's: as if its disk
// was new (P12).
func (n *Node) letIn(ctx context.Context) error {
	if self := n.table.Load().Find(n.o.Node); self != nil && n.knows.Load() {
		n.since = self.Since
	}
	if err := errors.Join(n.sign(), dropPromises(n.o.Dir, n.since)); err != nil {
		return err
	}
	if n.server != nil {
		if err := n.server.Route(n.addresses()); err != nil {
			return err
		}
		if err := n.server.WakeAs(ctx, n.since); err != nil {
			return err
		}
		n.rests.Store(false)
		n.watch.Started(false)
	}
	n.watch.LetIn(n.since)
	n.stranger.Store(false)
	return n.answers(true)
}

// askTable asks all nodes that are known for the newest table. One from before this node was let in is none. twin says
// that another process lives that is this node by that table.
func (n *Node) askTable(ctx context.Context) (t *members.Table, silent []string, twin error) {
	names := n.names()
	if n.knows.Load() { // it was removed, and has not forgotten that
		t = n.table.Load()
	}
	replies := n.askNodes(ctx, names, foundingLimit, question{About: tableOf, Node: n.o.Node})
	for i, r := range replies {
		switch {
		case r.silent:
			silent = append(silent, names[i])
		case r.Table != nil && r.Table.Version >= n.since && (t == nil || r.Table.Version > t.Version):
			t = r.Table
		}
	}
	if t == nil {
		return nil, silent, nil
	}
	self := t.Find(n.o.Node)
	at := slices.IndexFunc(replies, func(r reply) bool {
		return self != nil && r.Lives != nil && *r.Lives >= self.Since
	})
	if at >= 0 {
		twin = fmt.Errorf("another process is node %s, as node %s hears: this one waits until that one has gone; is this "+
			"the configuration of another machine?", n.o.Node, names[at])
	}
	return t, silent, twin
}
