package cluster

import (
	"context"

	"beanfield/storage/turns"
)

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
	// Low says that the disk is nearly full; empty if it is not. It is cheap.
	Low() string
	// Checkpoint copies a shard's store into a directory.
	Checkpoint(shard int, dir string) (turns.Place, error)
	// Replace has a checkpoint take the place of a shard's store.
	Replace(shard int, dir string) error
	// Sum says what a copy has once it has taken a record. It may be that this cannot be told any more.
	Sum(ctx context.Context, shard int, at uint64) (Content, error)
	// Stop has every Take return that waits for room. The others may be called till Close.
	Stop()
	Close() error
}
