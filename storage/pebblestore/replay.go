package pebblestore

import (
	"bytes"
	"errors"
	"fmt"

	"beanfield/storage"
	"beanfield/storage/locallog"
	"beanfield/storage/pebblestore/database"
	"beanfield/storage/pebblestore/format"
	"beanfield/storage/turns"

	"github.com/cockroachdb/pebble/v2"
)

// Replay implements Log.
func (l *shardLog) Replay(fn func(j *storage.Job, body []byte) error) error {
	n, err := l.settledNewest()
	if err == nil {
		err = errors.Join(l.replay(n, fn), n.Close())
		l.newest = nil
	}
	return l.replayed(err)
}

// ReplayQueues implements storage.Log.
func (l *shardLog) ReplayQueues(fn func(q *storage.Queue) error) error {
	n, err := l.settledNewest()
	if err == nil {
		err = format.EachQueue(n, fn)
	}
	return l.replayed(err)
}

// settledNewest is all that store and log have. ReplayQueues makes it, and Replay,
// which is called after that, is its end.
func (l *shardLog) settledNewest() (*pebble.Batch, error) {
	if l.newest != nil {
		return l.newest, nil
	}
	if err := l.committer.Settle(); err != nil {
		return nil, err
	}
	if l.turns.Synced() < l.appended.Load() { // only what is durable is read
		if err := l.sync(); err != nil {
			return nil, err
		}
	}
	l.folding.Lock()
	defer l.folding.Unlock()
	return l.newestOf(l.absorbed.Load())
}

// newestOf is all that store and log have, up to a record. The caller holds folding.
func (l *shardLog) newestOf(last uint64) (n *pebble.Batch, err error) {
	n, err = format.Newest(l.db, func(fn func(b []byte, at turns.At) error) error {
		_, err := l.turnsUpTo(last, fn)
		return err
	})
	l.newest = n
	return n, err
}

// replayed returns the error with which a replay ends, or nil.
func (l *shardLog) replayed(err error) error {
	if fault := l.fault.Err(); fault != nil {
		err = errors.Join(err, fault)
	}
	if err != nil {
		l.harmed(err)
		return l.store.dir.OrSalvage(l.errorf("replay: %w", database.Explain(err)), "")
	}
	return nil
}

func (l *shardLog) replay(r pebble.Reader, fn func(j *storage.Job, body []byte) error) error {
	bodies := make(map[uint64]bool)
	l.live.Store(0)
	err := relayed(func(to *relay) error {
		return format.InReplayOrder(r, func(s *format.Scan) error {
			l.live.Add(format.DiskSize(&s.Job))
			if s.Content.Apart {
				bodies[s.Job.ID] = true
			}
			return nil
		}, func(s *format.Scan) error { return l.give(s, to) })
	}, fn)
	if err != nil {
		return err
	}
	if l.cleaned {
		return nil // bodies may have been staged whose jobs are put next
	}
	l.cleaned = true
	// It is not known what died before this run: let compactIfDue check.
	l.garbage.Store(1 << 62)
	step := l.store.o.Steps.Begin("looking for bodies without jobs in "+l.name, "")
	defer step.End()
	stray, err := format.StrayBodies(r, bodies)
	if err != nil && !database.FailedToRead(err) { // the others are found at a later start
		return err
	}
	if l.store.cluster != nil {
		l.copied.strays = stray // the other copies have them too
		return nil
	}
	return l.drop(stray)
}

// give passes on a job even if its body, stored apart, cannot be read, and marks it as
// damaged. If a record cannot be read, nobody knows what else was in that block: then
// the replay fails.
func (l *shardLog) give(s *format.Scan, r *relay) error {
	body, err := s.Body()
	if s.Content.Apart && database.FailedToRead(err) {
		l.harmed(err)
		_ = l.unreadable.note(s.Job.ID, err)
		l.tellQuarantined(&s.Job)
		s.Job.Damaged, body, err = true, nil, nil
	}
	if err != nil {
		return err
	}
	s.Job.ID = storage.IDOf(s.Job.ID)
	l.keys.has(&s.Job)
	return r.give(&s.Job, body, s.Content.Apart && body != nil)
}

// drop removes large bodies without a record. Nothing waits for it:
// what a crash brings back, the next replay drops again.
func (l *shardLog) drop(stray []uint64) error {
	if len(stray) == 0 {
		return nil
	}
	b := l.db.NewBatch()
	for _, id := range stray {
		from, to := format.PieceBounds(id)
		if err := b.DeleteRange(from, to, nil); err != nil {
			return err
		}
	}
	if err := b.Commit(pebble.NoSync); err != nil {
		return err
	}
	return l.fault.Guard(l.db.Flush) // or a body that is taken over later would have to wait for it
}

// Body implements Log. A record is in a group first, then in the log, where the window knows
// its place, and then in the database. Each has it before the one before lets it go.
func (l *shardLog) Body(id uint64, dst []byte) ([]byte, error) {
	if err := l.fault.Err(); err != nil {
		return dst, err
	}
	id = l.keys.of(id)
	key := format.Key(format.KeyRecord, id)
	out, err := l.body(key, id, dst)
	if errors.Is(err, storage.ErrCorrupt) {
		// Pieces are gone if the job was deleted after its record was read.
		_, closer, again := l.db.Get(key[:])
		if again == nil {
			err = errors.Join(err, closer.Close())
		} else if _, _, logged := l.window.Find(id); !logged {
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
	l.harmed(err)
	return dst, l.unreadable.note(id, err)
}

func (l *shardLog) body(key [format.KeyLen]byte, id uint64, dst []byte) ([]byte, error) {
	out, err := l.settled(key, id, dst)
	if !errors.Is(err, pebble.ErrNotFound) {
		return out, err
	}
	var value []byte
	var inPieces bool
	l.committer.Queued(id, func(queued []byte) {
		value, inPieces = queued, format.Apart(queued)
		switch {
		case inPieces:
			value = bytes.Clone(value) // its pieces are to be read without the mutex
		case value != nil:
			out, err = l.appendBody(key[:], value, dst)
		}
	})
	switch {
	case value == nil:
		// It may have been appended between the two looks.
		return l.settled(key, id, dst)
	case inPieces:
		out, err = l.appendBody(key[:], value, dst)
	}
	return out, err // a value that was not copied may be overwritten by now
}

// settled reads a body that is in the log or in the database.
func (l *shardLog) settled(key [format.KeyLen]byte, id uint64, dst []byte) ([]byte, error) {
	if at, n, ok := l.window.Find(id); ok {
		out, err := l.logged(key, at, n, dst)
		if !errors.Is(err, locallog.ErrGone) {
			return out, err
		}
	}
	return l.stored(key[:], dst)
}

// logged reads a body from the log.
func (l *shardLog) logged(key [format.KeyLen]byte, at turns.At, n int, dst []byte) ([]byte, error) {
	b := make([]byte, n)
	if err := l.turns.ReadAt(at, b); err != nil {
		return dst, err
	}
	op, _, err := turns.NextOp(b)
	if err != nil {
		return dst, fmt.Errorf("%w: %w", storage.ErrCorrupt, err)
	}
	return l.appendBody(key[:], op.Value, dst)
}

func (l *shardLog) stored(key, dst []byte) ([]byte, error) {
	value, closer, err := l.db.Get(key)
	if err != nil {
		return dst, err
	}
	out, err := l.appendBody(key, value, dst)
	return out, errors.Join(err, closer.Close())
}

func (l *shardLog) appendBody(key, value, dst []byte) ([]byte, error) {
	var j storage.Job
	r, err := format.DecodeRecord(key, value, &j)
	if err != nil {
		return dst, err
	}
	if r.Apart {
		return format.ReadPieces(l.db, &j, r.Sum, dst)
	}
	return append(dst, r.Body...), nil
}
