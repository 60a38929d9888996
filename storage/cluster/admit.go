package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"beanfield/storage/cluster/members"
)

// tableOf is what a node asks the others that does not know whether it is a member: for the newest table that they
// know.
const tableOf = "members"

// admit waits until this node is one of the cluster's, and has its engine take part. Before that an engine may only
// pass on messages: it would become one of the engines' group, and count for its majorities.
func (n *Node) admit(ctx context.Context) (err error) {
	if n.begins, err = n.beginning(); err == nil {
		err = n.answers()
	}
	if err != nil || !n.stranger {
		return err
	}
	w := n.saying("the other nodes of the cluster")
	defer w.done()
	for n.begins.paper() == nil && len(n.o.Nodes) > 1 {
		t, silent := n.askTable(ctx)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case t == nil && len(silent) == 0: // a new cluster
			return n.letIn(ctx)
		case t == nil:
			w.because(errors.New("a new cluster begins when all nodes are there; missing: " + strings.Join(silent,
				", ")))
		case t.Find(n.o.Node) != nil:
			n.adopt(t)
			return n.letIn(ctx)
		default:
			w.because(fmt.Errorf("this node, %s, is none of the cluster's: at one of %s, beanfield cluster add "+
				"%s=%s adds it",
				n.o.Node, strings.Join(t.Names(), ", "), n.o.Node, n.o.Nodes[n.o.Node]))
		}
		_ = pause(ctx, foundingLimit/2)
	}
	return n.letIn(ctx)
}

// letIn has the engine take part. What this node has promised as an earlier member is another one's: as if its disk
// was new (P12).
func (n *Node) letIn(ctx context.Context) error {
	if self := n.table.Load().Find(n.o.Node); self != nil && n.knows.Load() {
		n.since = self.Since
	}
	if n.since > 0 {
		if err := os.Remove(filepath.Join(n.o.Dir, promisesName)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	if n.server == nil {
		return nil
	}
	if err := n.server.Route(n.addresses()); err != nil {
		return err
	}
	if err := n.server.WakeAs(ctx, n.since); err != nil {
		return err
	}
	n.rests.Store(false)
	n.watch.Started(false)
	return nil
}

// askTable asks all nodes that are known for the newest table.
func (n *Node) askTable(ctx context.Context) (t *members.Table, silent []string) {
	names := n.names()
	if n.knows.Load() { // it was removed, and has not forgotten that
		t = n.table.Load()
	}
	for i, r := range n.askNodes(ctx, names, foundingLimit, question{About: tableOf}) {
		switch {
		case r.silent:
			silent = append(silent, names[i])
		case r.Table != nil && (t == nil || r.Table.Version > t.Version):
			t = r.Table
		}
	}
	return t, silent
}
