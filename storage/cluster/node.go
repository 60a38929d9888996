package cluster

import (
	"context"
	"fmt"
)

// Node is one of the machines.
type Node struct {
	o Options
}

// Start starts the engine, finds or makes the streams of all shards, opens the copies and begins to
// follow. While too few nodes are there it waits, and says so now and then, until the context
// ends.
func Start(ctx context.Context, o Options) (*Node, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("%w: no node can be started yet", ErrRefused)
}

// Tenure waits until this node owns all shards, and may hand out jobs.
func (n *Node) Tenure(ctx context.Context) (*Tenure, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// Copies are those of this node.
func (n *Node) Copies() Copies { return nil }

// Status is what the node knows of the cluster.
func (n *Node) Status() Status { return Status{Cluster: n.o.Name, Node: n.o.Node} }

// Figures are for the metrics.
func (n *Node) Figures() Figures { return Figures{} }

// Move has a node own the shards. It returns when that one does.
func (n *Node) Move(ctx context.Context, node string) error { return ErrRefused }

// Drain has a node own nothing, until it is called again with undo.
func (n *Node) Drain(ctx context.Context, node string, undo bool) error { return ErrRefused }

// Leave gives a node up: what its copies lack may be purged. It must begin from a checkpoint
// when it is back. Join takes that back.
func (n *Node) Leave(ctx context.Context, node string) error { return ErrRefused }

// Join has a node's copies count again.
func (n *Node) Join(ctx context.Context, node string) error { return ErrRefused }

// Verify compares this node's copies with those of the others.
func (n *Node) Verify(ctx context.Context) ([]string, error) { return nil, ErrRefused }

// Rebuild has a node throw its copy of a shard away, and begin again from a checkpoint of another
// node.
func (n *Node) Rebuild(ctx context.Context, node string, shard int) error { return ErrRefused }

// Close hands over what the node owns, and ends it.
func (n *Node) Close(ctx context.Context) error { return nil }
