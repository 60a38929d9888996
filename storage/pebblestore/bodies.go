package pebblestore

import (
	"fmt"
	"sync"
	"sync/atomic"

	"beanfield/storage"
	"beanfield/storage/pebblestore/database"
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

// unreadable remembers the jobs whose bodies could not be read. Each is logged once,
// however often clients ask for it.
type unreadable struct {
	mu   sync.Mutex
	why  map[uint64]error // by job: what its last reader met
	told map[uint64]bool
}

// note keeps why a body could not be read, and returns it as an error.
func (u *unreadable) note(id uint64, err error) error {
	err = database.Explain(err)
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.why == nil {
		u.why, u.told = make(map[uint64]error), make(map[uint64]bool)
	}
	u.why[id] = err
	return fmt.Errorf("%w: job %d: %w", storage.ErrUnreadable, storage.IDOf(id), err)
}

// toTell returns for how many jobs it has been said now that their bodies cannot be
// read, and why this one's could not; or 0 if it was said of this one already.
func (u *unreadable) toTell(id uint64) (n int, why error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.why == nil || u.told[id] {
		return 0, nil
	}
	u.told[id] = true
	return len(u.told), u.why[id]
}

// tellQuarantined tells the operator of a job that is quarantined.
func (l *shardLog) tellQuarantined(j *storage.Job) {
	n, why := l.unreadable.toTell(j.Key())
	if n == 0 {
		return
	}
	l.store.o.Logger.Error("the body of a job cannot be read: the job is set aside, buried in its tube",
		"job", j.ID, "tube", j.Tube, "shard", l.name, "error", fmt.Sprint(why), "damaged_jobs", n)
}

// Quarantine implements storage.Log.
func (l *shardLog) Quarantine(j *storage.Job) {
	l.Update(j)
	l.tellQuarantined(j)
}
