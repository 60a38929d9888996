package main

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"

	"beanfield/storage"
	"beanfield/storage/cluster"
	"beanfield/storage/pebblestore"
	"beanfield/storage/turns"
)

// clusterDir is what a node keeps in its data directory besides the store.
const clusterDir = "cluster"

// clusterNode is this process as a node.
type clusterNode struct {
	*cluster.Node
	copies *pebblestore.Replicas
}

// makeNode starts a node as the configuration says.
func makeNode(ctx context.Context, c *Config, log *slog.Logger) (node, error) {
	n := &clusterNode{}
	o := clusterOptions(c, log)
	o.Open = func(name string, _ int, origins []turns.Place) (cluster.Copies, error) {
		p := pebbleOptions(c, log)
		p.Fatal = func(err error) {
			log.Error("this node's store has failed: another node serves until this one is started again on a disk that works", "error", err)
		}
		copies, err := pebblestore.OpenReplicas(pebblestore.ReplicaOptions{Options: p, Cluster: name, Origins: origins})
		if err != nil {
			return nil, err
		}
		n.copies = copies
		return copies, nil
	}
	var err error
	if n.Node, err = cluster.Start(ctx, o); err != nil {
		if errors.Is(err, cluster.ErrRefused) {
			err = &exitError{exitStorage, err}
		}
		return nil, storeError(err)
	}
	return n, nil
}

// clusterOptions are those of a node.
func clusterOptions(c *Config, log *slog.Logger) cluster.Options {
	k := &c.Cluster
	o := cluster.Options{
		Name: k.Name, Node: k.Node, Secret: k.Secret, Cert: k.Cert, Key: k.Key, CA: k.CA, Replicas: k.Replicas,
		Engine: k.Engine, EngineUnsafe: k.EngineUnsafe, Nodes: map[string]string{},
		Dir: filepath.Join(c.Storage.Path, clusterDir), Shards: c.Shards, DefaultShards: shards(c), Version: version, Logger: log,
	}
	for name, at := range k.Nodes {
		o.Nodes[name] = at.String()
	}
	return o
}

// Tenure implements node.
func (n *clusterNode) Tenure(ctx context.Context) (tenure, error) {
	t, err := n.Node.Tenure(ctx)
	if err != nil {
		return nil, err
	}
	return &clusterTenure{t, n.copies}, nil
}

// clusterTenure is a time during which this node owns all shards.
type clusterTenure struct {
	*cluster.Tenure
	copies *pebblestore.Replicas
}

func (t *clusterTenure) Store(*Config, *storage.Steps, *slog.Logger) (storage.Store, error) {
	return t.copies.Serve(func(shard int) pebblestore.Upstream { return upstream{t.Tenure, shard} }), nil
}

func (t *clusterTenure) Shards(*Config) int { return t.copies.Shards() }

// upstream appends turns of one shard.
type upstream struct {
	*cluster.Tenure
	shard int
}

func (u upstream) Append(b []byte) (number uint64, err error) { return u.Tenure.Append(u.shard, b) }
