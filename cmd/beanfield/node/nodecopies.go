package node

import (
	"context"
	"fmt"

	"beanfield/storage/cluster"
	"beanfield/storage/pebblestore"
)

// nodeCopies are a node's copies of the shards, as a cluster knows them.
type nodeCopies struct{ *pebblestore.Replicas }

// Sum implements cluster.Copies.
func (c nodeCopies) Sum(ctx context.Context, shard int, at uint64) (cluster.Content, error) {
	s, err := c.Replicas.Sum(ctx, shard, at)
	if err != nil {
		return cluster.Content{}, err
	}
	return cluster.Content{At: s.At, Hash: fmt.Sprintf("%016x", s.Hash), Jobs: s.Jobs, Queues: s.Queues, Bytes: s.Bytes,
		LastID: s.MaxID}, nil
}
