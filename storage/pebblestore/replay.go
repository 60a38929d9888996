package pebblestore

import (
	"bytes"
	"errors"
	"fmt"

	"beanfield/storage"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/batchrepr"
)

// readMaxID reads the highest id that a database has ever recorded. Every
// database has that key from its first moment: without it, it has lost its files.
func readMaxID(db *pebble.DB) (uint64, error) {
	key := makeKey(keyMaxID, 0)
	value, closer, err := db.Get(key[:])
	if errors.Is(err, pebble.ErrNotFound) {
		return 0, fmt.Errorf("%w: the database is empty", storage.ErrCorrupt)
	}
	if err != nil {
		return 0, err
	}
	defer closer.Close()
	return decodeMaxID(key[:], value)
}

// writeMaxID puts it there.
func writeMaxID(w pebble.Writer, id uint64, o *pebble.WriteOptions) error {
	key, value := makeKey(keyMaxID, 0), make([]byte, maxIDLen)
	encodeMaxID(key[:], value, id)
	return w.Set(key[:], value, o)
}

// Replay implements Log.
func (l *shardLog) Replay(fn func(j *storage.Job, body []byte) error) error {
	return l.replayed(l.replay(fn))
}

// replayed returns the error with which a replay ends, or nil.
func (l *shardLog) replayed(err error) error {
	if fault := l.fault.Err(); fault != nil {
		err = errors.Join(err, fault)
	}
	if err != nil {
		return l.store.dir.orSalvage(l.errorf("replay: %w", explain(err)), "")
	}
	return nil
}

func (l *shardLog) replay(fn func(j *storage.Job, body []byte) error) error {
	bodies := make(map[uint64]bool)
	var orphans []uint64
	err := relayed(func(r *relay) (err error) {
		orphans, err = inReplayOrder(l.db, func(s *scan) error {
			if l.isAstray(s.job.Tube) {
				return l.store.astray(s.job.Tube)
			}
			l.live.Add(diskSize(&s.job))
			if s.content.apart {
				bodies[s.job.ID] = true
			}
			return nil
		}, func(s *scan) error { return l.give(s, r) })
		return err
	}, fn)
	if err != nil {
		return err
	}
	// It is not known what died before this run: let tidy check.
	l.garbage.Store(1 << 62)
	step := l.store.o.Steps.Begin("looking for bodies without jobs in "+l.name, "")
	defer step.End()
	stray, err := strayBodies(l.db, bodies)
	if err != nil && !failedToRead(err) { // the others are found at a later start
		return err
	}
	return l.drop(orphans, stray)
}

// give passes on a job even if its body, stored apart, cannot be read, and marks it as
// damaged. If a record cannot be read, nobody knows what else was in that block: then
// the replay fails.
func (l *shardLog) give(s *scan, r *relay) error {
	body, err := s.body()
	if s.content.apart && failedToRead(err) {
		_ = l.unreadable.note(s.job.ID, err)
		l.tellAside(&s.job)
		s.job.Damaged, body, err = true, nil, nil
	}
	if err != nil {
		return err
	}
	return r.give(&s.job, body, s.content.apart && body != nil)
}

// drop removes updates and large bodies without a record. Nothing waits for it:
// what a crash brings back, the next replay drops again.
func (l *shardLog) drop(orphans, stray []uint64) error {
	if len(orphans)+len(stray) == 0 {
		return nil
	}
	b := l.db.NewBatch()
	for _, id := range stray {
		from, to := pieceBounds(id)
		if err := b.DeleteRange(from, to, nil); err != nil {
			return err
		}
	}
	for _, id := range orphans {
		key := makeKey(keyUpdate, id)
		if err := b.Delete(key[:], nil); err != nil {
			return err
		}
	}
	return b.Commit(pebble.NoSync)
}

// Body implements Log. What the committer has not applied yet is not in the
// database: then it is in one of the batches.
func (l *shardLog) Body(id uint64, dst []byte) ([]byte, error) {
	if err := l.fault.Err(); err != nil {
		return dst, err
	}
	key := makeKey(keyRecord, id)
	out, err := l.body(key, dst)
	if errors.Is(err, storage.ErrCorrupt) {
		// Pieces are gone if the job was deleted after its record was read.
		_, closer, again := l.db.Get(key[:])
		if again == nil {
			err = errors.Join(err, closer.Close())
		} else {
			err = again
		}
	}
	switch fatal := l.fault.Err(); {
	case err == nil:
		return out, nil
	case errors.Is(err, pebble.ErrNotFound):
		return dst, storage.ErrNoBody
	case fatal != nil:
		return dst, fatal
	}
	return dst, l.unreadable.note(id, err)
}

func (l *shardLog) body(key [keyLen]byte, dst []byte) ([]byte, error) {
	out, err := l.stored(key[:], dst)
	if !errors.Is(err, pebble.ErrNotFound) {
		return out, err
	}
	l.committer.mu.Lock()
	value := l.queued(key[:])
	inPieces := apart(value)
	switch {
	case inPieces:
		value = bytes.Clone(value) // its pieces are to be read without the mutex
	case value != nil:
		out, err = l.appendBody(key[:], value, dst)
	}
	l.committer.mu.Unlock()
	switch {
	case value == nil:
		// It may have been applied between the two looks.
		return l.stored(key[:], dst)
	case inPieces:
		out, err = l.appendBody(key[:], value, dst)
	}
	return out, err // a value that was not copied may be overwritten by now
}

func (l *shardLog) stored(key, dst []byte) ([]byte, error) {
	value, closer, err := l.db.Get(key)
	if err != nil {
		return dst, err
	}
	out, err := l.appendBody(key, value, dst)
	return out, errors.Join(err, closer.Close())
}

// queued finds a record in the complete turns that wait.
func (l *shardLog) queued(key []byte) []byte {
	for _, g := range []*group{l.committer.flight, l.committer.open} {
		if g == nil {
			continue
		}
		for _, b := range g.full {
			if value := inBatch(b.repr, key); value != nil {
				return value
			}
		}
		if value := inBatch(g.sealed, key); value != nil {
			return value
		}
	}
	return nil
}

func inBatch(repr, key []byte) []byte {
	r := batchrepr.Read(repr)
	for {
		kind, k, value, ok, err := r.Next()
		if err != nil || !ok {
			return nil
		}
		if kind == pebble.InternalKeyKindSet && string(k) == string(key) {
			return value
		}
	}
}

func (l *shardLog) appendBody(key, value, dst []byte) ([]byte, error) {
	var j storage.Job
	r, err := decodeRecord(key, value, &j)
	if err != nil {
		return dst, err
	}
	if r.apart {
		return readPieces(l.db, &j, r.sum, dst)
	}
	return append(dst, r.body...), nil
}
