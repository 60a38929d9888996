package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"beanfield/storage/cluster/ownership"
)

// ErrNobody says that no node owns the shards, so that nobody can be told.
var ErrNobody = errors.New("cluster: no node owns the shards now")

// orderLimit is how long an order waits for its answer.
const orderLimit = 5 * time.Second

// order has a node carry out an operator's order: this one, another one, or with an empty name the owner.
func (n *Node) order(ctx context.Context, to string, q question) error {
	if to == "" {
		if err := n.ask(func(time.Duration) { to = n.election.Owner() }); err != nil {
			return err
		}
		if to == "" {
			return ErrNobody
		}
	}
	r := n.askNodes(ctx, []string{to}, orderLimit, q)[0]
	if r.Told != nil { // what has become of it
		n.do(func(now time.Duration) { n.election.Receive(now, r.Told) })
	}
	switch {
	case r.silent:
		return fmt.Errorf("cluster: node %s does not answer", to)
	case r.Error != "":
		return errors.New(r.Error)
	}
	return nil
}

// obey does what an operator has ordered this node.
func (n *Node) obey(q question) (r reply, err error) {
	var why error
	err = n.ask(func(now time.Duration) {
		if q.About == rebuildOrder {
			why = n.rebuildHere(q.Shard)
		} else {
			why = n.election.Obey(now, q.About, q.Node, q.Undo)
		}
		r.Told = n.election.Message(ownership.Hello, "")
	})
	if err == nil && why != nil {
		r.Error = why.Error()
	}
	return r, err
}

// rebuildOrder has a node begin anew from another node's checkpoint.
const rebuildOrder = "rebuild"

func (n *Node) known(node string) error {
	if !slices.Contains(n.names(), node) {
		return fmt.Errorf("cluster: there is no node %q", node)
	}
	return nil
}

// Move has a node own the shards. It returns when that one does.
func (n *Node) Move(ctx context.Context, node string) error {
	err := n.known(node)
	if err == nil {
		err = n.order(ctx, "", question{About: ownership.Move, Node: node})
	}
	if err != nil {
		return err
	}
	if err = n.wait(ctx, func() bool { return n.election.Owner() == node }); err != nil {
		err = fmt.Errorf("cluster: node %s does not own the shards yet: %w", node, err)
	}
	return err
}

// Drain has a node own nothing, until it is called again with undo.
func (n *Node) Drain(ctx context.Context, node string, undo bool) error {
	if err := n.known(node); err != nil {
		return err
	}
	return n.order(ctx, node, question{About: ownership.Drain, Undo: undo})
}

// Leave gives a node up: what its copies lack may be purged. It must begin from a checkpoint
// when it is back. Join takes that back.
func (n *Node) Leave(ctx context.Context, node string) error {
	return n.order(ctx, "", question{About: ownership.Leave, Node: node})
}

// Join has a node's copies count again.
func (n *Node) Join(ctx context.Context, node string) error {
	return n.order(ctx, "", question{About: ownership.Leave, Node: node, Undo: true})
}

// Rebuild has a node throw its copy of a shard away, and begin again from a checkpoint of another
// node. A negative shard means all. It returns when that has begun.
func (n *Node) Rebuild(ctx context.Context, node string, shard int) error {
	if err := n.known(node); err != nil {
		return err
	}
	return n.order(ctx, node, question{About: rebuildOrder, Shard: shard})
}
