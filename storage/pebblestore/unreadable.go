package pebblestore

import (
	"fmt"
	"sync"

	"beanfield/storage"
	"beanfield/storage/pebblestore/database"
)

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
