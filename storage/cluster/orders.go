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

// order has a node obey: this one, another one, or with an empty name the owner.
func (n *Node) order(ctx context.Context, node, command, target string, shard int, undo bool) error {
	reply := make(chan error, 1)
	err := n.ask(func(now time.Duration) {
		if node == "" {
			node = n.election.Owner()
		}
		switch {
		case node == "":
			reply <- ErrNobody
		case node == n.o.Node:
			reply <- n.obey(now, command, target, shard, undo)
		default:
			n.orders++
			n.waits[n.orders] = reply
			m := n.election.Message(ownership.Order, node)
			m.ID, m.Command, m.Target, m.Shard, m.Undo = n.orders, command, target, shard, undo
			acts{n}.Send(m)
		}
	})
	if err != nil {
		return err
	}
	limit, cancel := context.WithTimeout(ctx, orderLimit)
	defer cancel()
	select {
	case err := <-reply:
		return err
	case <-limit.Done():
		return fmt.Errorf("cluster: node %s does not answer: %w", node, limit.Err())
	}
}

// obey does what an operator has ordered this node.
func (n *Node) obey(now time.Duration, command, target string, shard int, undo bool) error {
	if command == rebuildOrder {
		return n.rebuildHere(shard)
	}
	return n.election.Obey(now, command, target, undo)
}

// rebuildOrder has a node begin anew from another node's checkpoint.
const rebuildOrder = "rebuild"

// ordered obeys another node's order, and answers it.
func (n *Node) ordered(now time.Duration, m *ownership.Message) {
	err := n.obey(now, m.Command, m.Target, m.Shard, m.Undo)
	r := n.election.Message(ownership.Reply, m.From) // with what has become of it
	r.ID = m.ID
	if err != nil {
		r.Error = err.Error()
	}
	acts{n}.Send(r)
}

// replied hands an answer to whoever waits for it.
func (n *Node) replied(m *ownership.Message) {
	reply := n.waits[m.ID]
	delete(n.waits, m.ID)
	if reply == nil {
		return
	}
	if m.Error != "" {
		reply <- errors.New(m.Error)
	} else {
		reply <- nil
	}
}

func (n *Node) known(node string) error {
	if !slices.Contains(n.o.names(), node) {
		return fmt.Errorf("cluster: there is no node %q", node)
	}
	return nil
}

// Move has a node own the shards. It returns when that one does.
func (n *Node) Move(ctx context.Context, node string) error {
	err := n.known(node)
	if err == nil {
		err = n.order(ctx, "", ownership.Move, node, 0, false)
	}
	for err == nil {
		owner := ""
		if err = n.ask(func(time.Duration) { owner = n.election.Owner() }); owner == node {
			break
		}
		select {
		case <-ctx.Done():
			err = fmt.Errorf("cluster: node %s does not own the shards yet: %w", node, ctx.Err())
		case <-time.After(tickEach):
		}
	}
	return err
}

// Drain has a node own nothing, until it is called again with undo.
func (n *Node) Drain(ctx context.Context, node string, undo bool) error {
	if err := n.known(node); err != nil {
		return err
	}
	return n.order(ctx, node, ownership.Drain, "", 0, undo)
}

// Leave gives a node up: what its copies lack may be purged. It must begin from a checkpoint
// when it is back. Join takes that back.
func (n *Node) Leave(ctx context.Context, node string) error {
	return n.order(ctx, "", ownership.Leave, node, 0, false)
}

// Join has a node's copies count again.
func (n *Node) Join(ctx context.Context, node string) error {
	return n.order(ctx, "", ownership.Leave, node, 0, true)
}

// Rebuild has a node throw its copy of a shard away, and begin again from a checkpoint of another
// node. A negative shard means all. It returns when that has begun.
func (n *Node) Rebuild(ctx context.Context, node string, shard int) error {
	if err := n.known(node); err != nil {
		return err
	}
	return n.order(ctx, node, rebuildOrder, "", shard, false)
}
