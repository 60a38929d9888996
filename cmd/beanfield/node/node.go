package node

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"slices"
	"sync/atomic"

	"beanfield/cmd/beanfield/config"
	"beanfield/cmd/beanfield/control"
	"beanfield/cmd/beanfield/datadir"
	"beanfield/cmd/beanfield/exit"
	"beanfield/router"
	"beanfield/storage"
	"beanfield/storage/cluster"
	"beanfield/storage/pebblestore"
	"beanfield/storage/tally"
)

// clusterNode is this process as a node.
type clusterNode struct {
	config  *config.Config
	version string
	log     *slog.Logger
	passing Passing
	copies  *pebblestore.Replicas
	running atomic.Pointer[cluster.Node] // nil until it has started
	waiting atomic.Pointer[string]       // what it waits for till then
	control *control.Server
	claim   *os.File
}

// Passing is what the nodes need of each other to pass clients on.
type Passing struct {
	At     cluster.Addresses // the others are told
	Serves func(link string) // is told where the node that serves takes clients (cluster.Options)
}

// New makes a node as the configuration says.
func New(c *config.Config, version string, log *slog.Logger, p Passing) Node {
	n := &clusterNode{config: c, version: version, log: log, passing: p}
	n.waits("other nodes of the cluster")
	return n
}

// waits notes what the node waits for while it starts.
func (n *clusterNode) waits(what string) { n.waiting.Store(&what) }

// Start implements Node.
func (n *clusterNode) Start(ctx context.Context) error {
	dir := n.config.Storage.Path
	if pid, err := datadir.Holder(dir); err != nil || pid != 0 {
		return exit.With(exit.Storage, errors.Join(err, fmt.Errorf("%s is in use by process %d", dir, pid)))
	}
	if err := datadir.MayBeOf(dir, n.config.Cluster.Name); err != nil {
		return exit.With(exit.Storage, err)
	}
	o := clusterOptions(n.config, n.version, n.log)
	o.Open, o.Waiting, o.At, o.Serves = n.open, n.waits, n.passing.At, n.passing.Serves
	if err := os.Mkdir(o.Dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return exit.With(exit.Storage, err)
	}
	var err error
	if n.claim, err = datadir.Claim(dir); err != nil {
		return exit.With(exit.Storage, err)
	}
	if n.control, err = control.Serve(o.Dir, n, n.log); err != nil {
		return exit.With(exit.Storage, errors.Join(fmt.Errorf("the socket of beanfield cluster: %w", err),
			n.claim.Close()))
	}
	running, err := cluster.Start(ctx, o)
	if err != nil {
		n.control.Close()
		_ = n.claim.Close()
		return Failure(err)
	}
	n.running.Store(running)
	return nil
}

// open opens this node's copies of the shards.
func (n *clusterNode) open(opening cluster.Opening) (cluster.Copies, error) {
	o := pebbleOptions(n.config, n.log)
	o.Fatal = func(err error) {
		n.log.Error("this node's store has failed: another node serves until this one is started again on a disk "+
			"that works", "error", err)
	}
	copies, err := pebblestore.OpenReplicas(pebblestore.ReplicaOptions{
		Options: o, Cluster: opening.Cluster, Origins: opening.Origins, Anew: opening.Anew,
		Member: opening.Member, Damaged: opening.Damaged,
	})
	if err != nil {
		return nil, err
	}
	n.copies = copies
	return nodeCopies{copies}, nil
}

// Close implements Node.
func (n *clusterNode) Close(ctx context.Context) error {
	err := n.running.Load().Close(ctx)
	n.control.Close()
	return errors.Join(err, n.claim.Close())
}

// Status is what the node knows of the cluster. Until it has started, these are the names.
func (n *clusterNode) Status() cluster.Status {
	if running := n.running.Load(); running != nil {
		return running.Status()
	}
	k := &n.config.Cluster
	st := cluster.Status{Cluster: k.Name, Node: k.Node, Shards: []cluster.ShardStatus{},
		Problems: []string{"waiting for " + *n.waiting.Load()}}
	for _, name := range slices.Sorted(maps.Keys(k.Nodes)) {
		st.Nodes = append(st.Nodes, cluster.NodeStatus{Name: name, Alive: name == k.Node, Silence: -1})
	}
	return st
}

// Look is Status, with what the engine says when it is asked.
func (n *clusterNode) Look(ctx context.Context) cluster.Status {
	if running := n.running.Load(); running != nil {
		return running.Look(ctx)
	}
	return n.Status()
}

// Figures are for the metrics.
func (n *clusterNode) Figures() cluster.Figures {
	if running := n.running.Load(); running != nil {
		return running.Figures()
	}
	return cluster.Figures{}
}

// Appends reads how long appends took.
func (n *clusterNode) Appends(to *tally.Reading) {
	if running := n.running.Load(); running != nil {
		running.Appends(to)
	}
}

// Orders implements control.Node: the node itself carries orders out, once it has started.
func (n *clusterNode) Orders() (control.Orders, error) {
	if running := n.running.Load(); running != nil {
		return running, nil
	}
	return nil, fmt.Errorf("the node has not started yet: it waits for %s", *n.waiting.Load())
}

// clusterOptions are those of a node.
func clusterOptions(c *config.Config, version string, log *slog.Logger) cluster.Options {
	k := &c.Cluster
	o := cluster.Options{
		Name: k.Name, Node: k.Node, Secret: k.Secret, Cert: k.Cert, Key: k.Key, CA: k.CA, Replicas: k.Replicas,
		Engine: k.Engine, EngineUnsafe: k.EngineUnsafe, Prefer: k.Prefer, Nodes: map[string]string{},
		Dir: pebblestore.ClusterDir(c.Storage.Path), Shards: c.Shards, DefaultShards: config.ShardCount(c),
		Version: version, Logger: log,
	}
	for name, at := range k.Nodes {
		o.Nodes[name] = at.String()
	}
	return o
}

// Term implements Node.
func (n *clusterNode) Term(ctx context.Context) (Term, error) {
	var w *warm
	if n.config.Cluster.Warm {
		w = newWarm(n.copies, router.Options{Shards: n.copies.Shards(), Budget: Budget(n.config),
			PolicyFor: n.config.PolicyFor(), Kept: n.config.PoliciesWith}, n.log)
	}
	t, err := n.running.Load().Term(ctx)
	if w != nil {
		w.end()
	}
	if err != nil {
		if w != nil {
			w.discard()
		}
		return nil, Failure(err)
	}
	return &clusterTerm{t, n.copies, w}, nil
}

// clusterTerm is a time during which this node owns all shards.
type clusterTerm struct {
	*cluster.Term
	copies *pebblestore.Replicas
	warm   *warm // nil if nothing is kept ready
}

// Ready implements term.
func (t *clusterTerm) Ready() *router.Router {
	if t.warm == nil {
		return nil
	}
	return t.warm.take(t.upstream)
}

func (t *clusterTerm) upstream(shard int) pebblestore.Upstream { return upstream{t.Term, shard} }

func (t *clusterTerm) Store(*config.Config, *storage.Steps, *slog.Logger) (storage.Store, error) {
	return t.copies.Serve(t.upstream), nil
}

func (t *clusterTerm) Shards(*config.Config) int { return t.copies.Shards() }

// upstream appends turns of one shard.
type upstream struct {
	*cluster.Term
	shard int
}

func (u upstream) Append(b []byte) error { return u.Term.Append(u.shard, b) }
