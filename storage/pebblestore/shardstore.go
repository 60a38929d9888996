package pebblestore

import (
	"math/rand/v2"

	"beanfield/storage/pebblestore/contents"
	"beanfield/storage/pebblestore/database"
	"beanfield/storage/pebblestore/format"
	"beanfield/storage/turns"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

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

// begin makes a new database a store that has folded nothing of a log that begins at a place.
func (s *shardStore) begin(place turns.Place, highest uint64) error {
	s.place = place
	key := format.Key(format.KeyPlace, 0)
	return s.fault.Guard(func() error {
		b := s.db.NewBatch()
		err := contents.SetMaxID(b, highest, nil)
		if err == nil {
			err = b.Set(key[:], format.AppendPlace(nil, s.place), nil)
		}
		if err == nil {
			err = b.Commit(pebble.NoSync)
		}
		if err != nil {
			return err
		}
		return s.db.Flush()
	})
}

// goOn reads where a store stands, and the highest id that it has recorded.
func (s *shardStore) goOn() (highest uint64, err error) {
	var place turns.Place
	var id uint64
	err = s.fault.Guard(func() (err error) {
		if place, err = contents.Place(s.db); err == nil {
			id, err = contents.MaxID(s.db)
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
