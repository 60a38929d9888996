package node

import (
	"errors"
	"fmt"
	"log/slog"

	"beanfield/cmd/beanfield/config"
	"beanfield/cmd/beanfield/exit"
	"beanfield/storage"
	"beanfield/storage/cluster"
	"beanfield/storage/pebblestore"
)

// newStore is the only place that knows the backends.
func newStore(c *config.Config, steps *storage.Steps, log *slog.Logger) (storage.Store, error) {
	switch c.Storage.Backend {
	case config.InMemory:
		return storage.Memory(), nil
	case config.OnDisk:
		log.Info("keeping jobs on disk", "path", c.Storage.Path, "sync", c.Storage.Sync)
		o := pebbleOptions(c, log)
		o.Steps = steps
		return pebblestore.New(o), nil
	}
	return nil, fmt.Errorf("storage backend %q passed the check but does not exist", c.Storage.Backend)
}

func pebbleOptions(c *config.Config, log *slog.Logger) pebblestore.Options {
	o := pebblestore.Options{
		Dir:        c.Storage.Path,
		SyncEvery:  c.Storage.SyncInterval,
		CacheBytes: c.Storage.Cache,
		LogBytes:   c.Storage.Log,
		MinFree:    c.Storage.MinFree,
		Logger:     log,
		// The process stays: its other shards work, stats says what happened, and
		// a restart would not mend the disk.
		Fatal: func(err error) {
			log.Error("a log has failed: its shard answers INTERNAL_ERROR, and acknowledges nothing, until a restart",
				"error", err)
		},
	}
	switch c.Storage.Sync {
	case config.SyncInterval:
		o.Sync = storage.Interval
	case config.SyncNever:
		o.Sync = storage.Never
	}
	if o.MinFree == 0 {
		o.MinFree = -1 // which means 0 to the store
	}
	return o
}

// Budget is what the router divides among the shards. Each gets a byte at
// least, since 0 means no limit. Without a disk there is no budget: bodies have no
// other place to be.
func Budget(c *config.Config) int64 {
	if c.Storage.Backend == config.InMemory || c.Storage.MemoryBudget == 0 {
		return 0
	}
	return max(c.Storage.MemoryBudget, int64(config.ShardCount(c)))
}

// Failure gives an error of the store its exit code: that of storage is for what no restart mends.
func Failure(err error) error {
	for _, known := range []error{pebblestore.ErrInUse, pebblestore.ErrForeign, pebblestore.ErrVersion,
		cluster.ErrRefused} {
		if errors.Is(err, known) {
			return exit.With(exit.Storage, err)
		}
	}
	return err
}
