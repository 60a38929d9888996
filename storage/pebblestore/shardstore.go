package pebblestore

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"beanfield/storage/fold"
	"beanfield/storage/pebblestore/database"
	"beanfield/storage/pebblestore/directory"
	"beanfield/storage/pebblestore/format"
	"beanfield/storage/turns"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/objstorage/objstorageprovider"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"
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
		s.changed = true
		return nil
	}
	for _, path := range w.paths {
		if gone := directory.Remove(s.fs, path); gone != nil { // a join hides the details of err (database.Explain)
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
	kind  byte            // of its keys
	size  int
}

// share writes all tables of a share, in the order of their keys.
func (t *tables) share(share *fold.Share) error {
	highest, place := format.Key(format.KeyMaxID, 0), format.Key(format.KeyPlace, 0)
	err := t.change(highest[:], format.MaxIDValue(share.Highest))
	if err == nil {
		err = t.change(place[:], format.PlaceValue(share.Place))
	}
	if err == nil {
		err = format.EachChange(share, t.change)
	}
	if err == nil {
		err = t.end(nil)
	}
	if err == nil {
		err = t.pieces(share.Pieces)
	}
	if err == nil {
		err = t.bodies(share.Bodies)
	}
	return t.end(err)
}

// pieces adds parts of large bodies. Those of a share are few enough for one table, and the ranges
// that are removed go there too: tables that are taken over together may not overlap.
func (t *tables) pieces(pieces []fold.Piece) error {
	for _, p := range pieces {
		if err := t.open(format.KeyPiece); err != nil {
			return err
		}
		key := format.PieceKey(p.ID, int(p.N))
		if err := t.w.Raw().Add(pebble.MakeInternalKey(key[:], 0, pebble.InternalKeyKindSet), p.Value,
			false); err != nil {
			return err
		}
	}
	return nil
}

// change sets a key, or removes it. A record could be removed by a single delete, but when a
// compaction cannot read what is behind that, Pebble panics.
func (t *tables) change(key, value []byte) error {
	kind := max(key[0], format.KeyQueue) // the few keys below have one table
	if kind != t.kind || t.size >= mostInTable {
		if err := t.end(nil); err != nil {
			return err
		}
	}
	if err := t.open(kind); err != nil {
		return err
	}
	what := pebble.InternalKeyKindSet
	if value == nil {
		what = pebble.InternalKeyKindDelete
	}
	t.size += len(key) + len(value)
	return t.w.Raw().Add(pebble.MakeInternalKey(key, 0, what), value, false)
}

// bodies removes the pieces of large bodies.
func (t *tables) bodies(ids []uint64) error {
	for _, id := range ids {
		from, to := format.PieceBounds(id)
		if err := t.open(format.KeyPiece); err != nil {
			return err
		}
		if err := t.w.DeleteRange(from, to); err != nil {
			return err
		}
	}
	return nil
}

// open begins a table, if none is open.
func (t *tables) open(kind byte) error {
	if t.w != nil {
		return nil
	}
	s := t.store
	path := s.fs.PathJoin(s.stager.dir, fmt.Sprintf("%s%d", foldPrefix, len(t.paths)))
	f, err := s.fs.Create(path, directory.Category)
	if err != nil {
		return err
	}
	t.paths = append(t.paths, path)
	o := s.stager.table
	o.Compression = sstable.SnappyCompression // most of it stays where it is, as in the last level
	t.w = sstable.NewWriter(objstorageprovider.NewFileWritable(database.NewTableFile(f)), o)
	t.kind, t.size = kind, 0
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

// shardStore is the store of one shard: what has been folded of its log, up to a place.
type shardStore struct {
	name   string
	fault  *database.Fault
	db     *pebble.DB
	fs     vfs.FS // gives up the ballast on a full disk, other than the stager's
	stager stager
	base   *database.Database
	place  turns.Place // belongs to whoever folds
	// changed says that a share has been taken since the database was opened.
	changed bool
}

// openStore opens the store of a shard at path, or makes its database.
func openStore(sh *database.Sharing, f *database.Fault, path, name string, change func(*pebble.Options)) (
	*shardStore, error) {
	d, err := sh.Open(f, path, name, change)
	if err != nil {
		return nil, err
	}
	return &shardStore{
		name: name, fault: f, db: d.DB, base: d, fs: sh.FS,
		stager: stager{db: d.DB, fs: sh.Plain, dir: path, most: tablePieces, table: d.Table},
	}, nil
}

// begin has a store stand where a log begins of which it has folded nothing yet, and forget what another log has said
// of a cluster's nodes.
func (s *shardStore) begin(place turns.Place, highest uint64, members []byte) error {
	share := fold.NewWindow(highest).NewShare()
	share.Seal(place)
	err := s.fault.Guard(func() error {
		before, err := format.Members(s.db)
		if err != nil {
			return err
		}
		if before != nil || members != nil {
			share.Members = &fold.Change{Value: members} // nil removes them
		}
		return s.take(share)
	})
	if err != nil {
		return err
	}
	s.place = place
	return nil
}

// goOn reads where a store stands, and the highest id that it has recorded.
func (s *shardStore) goOn() (highest uint64, err error) {
	var place turns.Place
	var id uint64
	err = s.fault.Guard(func() (err error) {
		if place, err = format.Place(s.db); err == nil {
			id, err = format.MaxID(s.db)
		}
		return err
	})
	if err != nil {
		return 0, err // the database may still be read
	}
	s.place = place
	return id, nil
}

// close closes the database.
func (s *shardStore) close() error {
	return s.base.Close(s.fault)
}

// newPlace is where a new log begins.
func newPlace() turns.Place { return turns.Place{Origin: rand.Uint64()} }
