package cluster

import (
	"errors"
	"fmt"
	"log/slog"

	"beanfield/storage/cluster/ownership"
	"beanfield/storage/cluster/transfer"
	"beanfield/storage/jetstream"
)

// Options are those of a node.
type Options struct {
	Name          string // of the cluster; the data of another one is refused
	Node          string // which of the nodes this is
	Secret        string // shared by the nodes, for embedded engines
	Cert, Key, CA string // files of TLS between embedded engines; empty: without
	// Nodes are where each node's engine talks to the others, the own one included: host:port. With them a cluster
	// begins, and a node finds it. Later its own decisions count (members.Table).
	Nodes         map[string]string
	Replicas      int          // how many nodes keep each stream of a new cluster; 0: all
	Engine        []string     // URLs of the site's own engine; empty: an embedded one
	EngineUnsafe  bool         // a site's engine may be older than what is known to be safe
	Prefer        bool         // the shards go back to a node that comes before the owner, when it is well
	Dir           string       // what the node keeps beside the store: its engine's files, its promises
	Shards        int          // 0: what the cluster has
	DefaultShards int          // how many a new cluster gets if Shards is 0
	Version       string       // of the program, for Status
	At            Addresses    // the other nodes are told
	Logger        *slog.Logger // nil: its lines are dropped

	// Waiting is told what the node waits for while it starts, whenever that changes; nil: nobody is.
	Waiting func(what string)
	// Serves is told where the node that serves takes clients that others pass on, host:port, whenever that changes: ""
	// while this one serves, or nobody is heard to. It must not wait, since beats do meanwhile. Nil: nobody is told.
	Serves func(link string)
	// Open opens the node's copies of the shards.
	Open func(Opening) (Copies, error)
}

// Formats are the versions of what this build tells other nodes, and keeps with them, by what it is.
func Formats() map[string]int {
	return map[string]int{"messages": ownership.Major, "streams": jetstream.Protocol, "copies": transfer.Version}
}

// Addresses are where a node is found, besides by its engine.
type Addresses = ownership.Addresses

// ErrOptions says that a node cannot run with its options.
var ErrOptions = errors.New("cluster: the options are wrong")

// ErrRefused says that a node may not be one of the cluster, or not now.
var ErrRefused = errors.New("cluster: refused")

func (o *Options) check() error {
	switch {
	case o.Name == "":
		return fmt.Errorf("%w: the cluster has no name", ErrOptions)
	case len(o.Engine) == 0 && o.Nodes[o.Node] == "":
		return fmt.Errorf("%w: no address for this node, %q", ErrOptions, o.Node)
	case o.Node == "" || o.Dir == "" || o.Open == nil:
		return fmt.Errorf("%w: no name of the node, no directory or no copies", ErrOptions)
	case o.Shards < 0 || o.DefaultShards < 0 || o.Replicas < 0 || o.Replicas > max(len(o.Nodes), 1):
		return fmt.Errorf("%w: %d shards, %d replicas on %d nodes", ErrOptions, max(o.Shards, o.DefaultShards),
			o.Replicas, len(o.Nodes))
	}
	if _, named := o.Nodes[o.Node]; !named {
		return fmt.Errorf("%w: this node, %q, is none of the cluster's", ErrOptions, o.Node)
	}
	return nil
}

// replicas are those that the streams of a new cluster get.
func (o *Options) replicas() int {
	if o.Replicas == 0 {
		return len(o.Nodes)
	}
	return o.Replicas
}
