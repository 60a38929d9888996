package pebblestore

import (
	"context"
	"errors"
	"fmt"

	"beanfield/storage/fold"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/objstorage/objstorageprovider"
	"github.com/cockroachdb/pebble/v2/sstable"
)

// A share of the fold becomes tables, which the database takes over at once: they are durable
// when it has, and it has all of them or none. Nothing of them goes through a memtable. Each
// kind of key has tables of its own, so that new records, whose ids are above all others, go
// to the last level, and stay there until their jobs have ended.

// foldPrefix begins the name of a table of a share that the database does not have yet.
const foldPrefix = "fold-"

// mostInTable is about how many bytes a table may get. To remove a larger one keeps a
// processor busy.
const mostInTable = 8 * mib

// take makes a share part of the store.
func (s *shardStore) take(share *fold.Share) error {
	w := &tables{store: s}
	err := w.share(share)
	if err == nil {
		err = s.db.Ingest(context.Background(), w.paths)
	}
	if err == nil {
		return nil
	}
	for _, path := range w.paths {
		if gone := s.stager.fs.Remove(path); gone != nil && !isNotExist(gone) {
			err = errors.Join(err, gone)
		}
	}
	return fmt.Errorf("storage: %s: folding its log: %w", s.name, err)
}

// tables are those of one share.
type tables struct {
	store *shardStore
	paths []string
	w     *sstable.Writer // the open one, or nil
	size  int
}

// share writes all tables of a share, in the order of their keys.
func (t *tables) share(share *fold.Share) error {
	state := [...]struct {
		kind  byte
		value []byte
	}{
		{keyMaxID, maxIDValue(share.Highest)},
		{keyPlace, appendPlace(nil, share.Place)},
	}
	for _, s := range state {
		key := makeKey(s.kind, 0)
		if err := t.set(key[:], s.value); err != nil {
			return t.end(err)
		}
	}
	if err := t.end(t.queues(share.Queues)); err != nil {
		return err
	}
	if err := t.end(t.jobs(keyRecord, share.Records)); err != nil {
		return err
	}
	if err := t.end(t.jobs(keyUpdate, share.Updates)); err != nil {
		return err
	}
	return t.end(t.bodies(share.Bodies))
}

func (t *tables) queues(changes []fold.Change) error {
	for _, c := range changes {
		key := queueKey(string(c.Name))
		if c.Value == nil {
			if err := t.add(key, pebble.InternalKeyKindDelete, nil); err != nil {
				return err
			}
		} else if err := t.set(key, c.Value); err != nil {
			return err
		}
	}
	return nil
}

// jobs writes changes of records or updates. A record could be removed by a single delete,
// but when a compaction cannot read what is behind that, Pebble panics.
func (t *tables) jobs(kind byte, changes []fold.Change) error {
	for _, c := range changes {
		key := makeKey(kind, c.ID)
		var err error
		if c.Value == nil {
			err = t.add(key[:], pebble.InternalKeyKindDelete, nil)
		} else {
			err = t.set(key[:], c.Value)
		}
		if err == nil && t.size >= mostInTable {
			err = t.end(nil)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// bodies removes the pieces of large bodies.
func (t *tables) bodies(ids []uint64) error {
	for _, id := range ids {
		from, to := pieceBounds(id)
		if err := t.open(); err != nil {
			return err
		}
		if err := t.w.DeleteRange(from, to); err != nil {
			return err
		}
	}
	return nil
}

func (t *tables) set(key, value []byte) error {
	return t.add(key, pebble.InternalKeyKindSet, value)
}

func (t *tables) add(key []byte, kind pebble.InternalKeyKind, value []byte) error {
	if err := t.open(); err != nil {
		return err
	}
	t.size += len(key) + len(value)
	return t.w.Raw().Add(pebble.MakeInternalKey(key, 0, kind), value, false)
}

// open begins a table, if none is open.
func (t *tables) open() error {
	if t.w != nil {
		return nil
	}
	s := &t.store.stager
	path := s.fs.PathJoin(s.dir, fmt.Sprintf("%s%d", foldPrefix, len(t.paths)))
	f, err := s.fs.Create(path, category)
	if err != nil {
		return err
	}
	t.paths = append(t.paths, path)
	o := s.table
	o.Compression = sstable.SnappyCompression // most of it stays where it is, as in the last level
	t.w = sstable.NewWriter(objstorageprovider.NewFileWritable(newTableFile(f)), o)
	t.size = 0
	return nil
}

// end ends the open table, if there is one, and forces it to the disk.
func (t *tables) end(err error) error {
	if t.w == nil {
		return err
	}
	err = errors.Join(err, t.w.Close())
	t.w = nil
	return err
}
