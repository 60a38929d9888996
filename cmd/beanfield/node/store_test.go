package node

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"beanfield/cmd/beanfield/config"
	"beanfield/cmd/beanfield/exit"
	"beanfield/storage"
	"beanfield/storage/cluster"
	"beanfield/storage/must"
	"beanfield/storage/pebblestore"
)

// Every setting reaches the store, and zero means zero there.
func TestPebbleOptions(t *testing.T) {
	c := must.Get(config.Load(config.Flags{}))
	c.Storage.Path, c.Storage.Cache, c.Storage.Log = "/data", 5<<20, 6<<20
	for _, s := range []struct {
		word string
		want storage.SyncMode
	}{{"always", storage.Always}, {"interval", storage.Interval}, {"never", storage.Never}} {
		c.Storage.Sync, c.Storage.SyncInterval = s.word, 7*time.Millisecond
		o := pebbleOptions(c, nil)
		if o.Dir != "/data" || o.Sync != s.want || o.SyncEvery != 7*time.Millisecond || o.CacheBytes != 5<<20 ||
			o.LogBytes != 6<<20 || o.MinFree != 256<<20 || o.Fatal == nil {
			t.Errorf("%s: %+v", s.word, o)
		}
	}
	c.Storage.MinFree = 0
	if o := pebbleOptions(c, nil); o.MinFree >= 0 {
		t.Errorf("no limit is given as %d, which storage takes for its default", o.MinFree)
	}
}

// A budget must never make the memory store drop bodies; and a small budget, shared
// out among the shards, must not become 0, which means no limit.
func TestMemoryBudget(t *testing.T) {
	for _, x := range []struct {
		backend string
		budget  int64
		want    int64
	}{{"memory", 5, 0}, {"memory", 0, 0}, {"pebble", 0, 0}, {"pebble", 1, 8}, {"pebble", 8, 8},
		{"pebble", 1 << 30, 1 << 30}} {
		c := must.Get(config.Load(config.Flags{}))
		c.Shards, c.Storage.Backend, c.Storage.MemoryBudget = 8, x.backend, x.budget
		if got := Budget(c); got != x.want {
			t.Errorf("%s with %d: %d, want %d", x.backend, x.budget, got, x.want)
		}
	}
}

func TestStoreErrors(t *testing.T) {
	for err, want := range map[error]int{
		pebblestore.ErrInUse: exit.Storage, pebblestore.ErrForeign: exit.Storage, pebblestore.ErrVersion: exit.Storage,
		cluster.ErrRefused: exit.Storage, storage.ErrCorrupt: exit.Failed, storage.ErrNoSpace: exit.Failed,
		errors.New("other"): exit.Failed, nil: exit.OK,
	} {
		if err != nil {
			err = fmt.Errorf("storage: open: %w", err)
		}
		if got := exit.Code(Failure(err)); got != want {
			t.Errorf("%v ends with %d, want %d", err, got, want)
		}
	}
}
