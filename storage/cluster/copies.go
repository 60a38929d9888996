package cluster

import (
	"context"

	"beanfield/storage/turns"
)

// Opening is what copies are opened with.
type Opening struct {
	Cluster string
	Origins []turns.Place // the places of empty ones
	// Anew says that what the node has is of no use: it is set aside.
	Anew bool
	// Member says that the node has been one of the cluster's: others have what it cannot read.
	Member bool
	// Damaged is told of a copy that cannot be read, and where it is kept: from now on, or, if it is in use, when
	// it has been replaced.
	Damaged func(shard int, kept string, inUse bool, why error)
}

// Copies are the stores of a node's shards, as package cluster needs them. The methods may be called
// by several goroutines, but Take and Replace of one shard by one at a time.
type Copies interface {
	Shards() int
	// Place is that of the last record that a copy has.
	Place(shard int) turns.Place
	// Take is given the next record that counts, and its bytes.
	Take(shard int, rec turns.Record, data []byte, hash uint64) error
	// Durable is the number up to which records are folded, and no crash takes them.
	Durable(shard int) uint64
	// Fold makes all durable that a copy has now. A copy that is being replaced it leaves alone.
	Fold(shard int) error
	// Members are the bytes of the newest members.Table that a copy has; nil without one. It is cheap, and not called
	// beside Replace.
	Members(shard int) []byte
	// Low says that the disk is nearly full; empty if it is not. It is cheap.
	Low() string
	// Checkpoint copies a shard's store into a directory.
	Checkpoint(shard int, dir string) (turns.Place, error)
	// Replace has a checkpoint take the place of a shard's store, which is kept aside if it is damaged.
	Replace(shard int, dir string, damaged bool) error
	// Aside is where a damaged store is kept, which Forget removes; empty if there is none.
	Aside(shard int) string
	Forget(shard int) error
	// Sum says what a copy has once it has taken a record. It may be that this cannot be told any more.
	Sum(ctx context.Context, shard int, at uint64) (Content, error)
	// Stop has every Take return that waits for room. The others may be called till Close.
	Stop()
	Close() error
}
