package pebblestore

import (
	"sync"
	"sync/atomic"

	"beanfield/storage"
)

// keys finds the copy of a job that has come from another shard, for those who ask for its body by its id.
// All other jobs have their ids for keys, and cost nothing here. Any goroutine may call its methods.
type keys struct {
	n    atomic.Int64 // how many there are; 0 spares the others the lock
	mu   sync.RWMutex
	hops map[uint64]uint32 // by id
}

// of is the key of the newest copy of a job.
func (k *keys) of(id uint64) uint64 {
	if k.n.Load() == 0 {
		return id
	}
	k.mu.RLock()
	defer k.mu.RUnlock()
	return storage.KeyOf(id, k.hops[id])
}

// has notes a copy.
func (k *keys) has(j *storage.Job) {
	hops := j.Hops()
	if hops == 0 {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.hops == nil {
		k.hops = make(map[uint64]uint32)
	}
	if hops > k.hops[j.ID] {
		k.hops[j.ID] = hops
		k.n.Store(int64(len(k.hops)))
	}
}

// lost forgets a copy, unless a newer one has come.
func (k *keys) lost(key uint64) {
	id, hops := storage.IDOf(key), storage.HopsOf(key)
	if hops == 0 {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.hops[id] == hops {
		delete(k.hops, id)
		k.n.Store(int64(len(k.hops)))
	}
}
