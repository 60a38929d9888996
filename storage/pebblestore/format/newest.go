package format

import (
	"errors"
	"fmt"

	"beanfield/storage/fold"
	"beanfield/storage/turns"

	"github.com/cockroachdb/pebble/v2"
)

// Newest is a database as its log makes it: with the net effect of all turns that it has not
// folded yet. Nothing of that goes into the database. log calls a function for all turns behind the place of the
// store; it is called twice: what ends later does not count.
func Newest(db *pebble.DB, log func(fn func(b []byte, at turns.At) error) error) (*pebble.Batch, error) {
	highest, err := MaxID(db)
	if err != nil {
		return nil, err
	}
	w := fold.NewWindow(highest)
	err = log(w.Absorb)
	share := w.NewShare()
	if err == nil {
		err = log(share.Collect)
	}
	if err != nil {
		return nil, err
	}
	share.Seal(turns.Place{})
	b := db.NewIndexedBatch()
	if err := apply(b, share); err != nil {
		return nil, fmt.Errorf("storage: %w", errors.Join(err, b.Close()))
	}
	return b, nil
}

// apply adds a share.
func apply(b *pebble.Batch, share *fold.Share) error {
	key := Key(KeyMaxID, 0)
	err := b.Set(key[:], MaxIDValue(share.Highest), nil)
	if err == nil {
		err = EachChange(share, func(key, value []byte) error {
			if value == nil {
				return b.Delete(key, nil)
			}
			return b.Set(key, value, nil)
		})
	}
	for _, id := range share.Bodies {
		from, to := PieceBounds(id)
		err = errors.Join(err, b.DeleteRange(from, to, nil))
	}
	for _, p := range share.Pieces {
		key := PieceKey(p.ID, int(p.N))
		err = errors.Join(err, b.Set(key[:], p.Value, nil))
	}
	return err
}

// EachChange calls fn for each key that a share changes, in their order. The value of one that
// is removed is nil. Key and value are valid only during the call.
func EachChange(share *fold.Share, fn func(key, value []byte) error) error {
	for _, c := range share.Queues {
		if err := fn(QueueKey(string(c.Name)), c.Value); err != nil {
			return err
		}
	}
	var key [KeyLen]byte
	for _, list := range [...]struct {
		kind    byte
		changes []fold.Change
	}{{KeyRecord, share.Records}, {KeyMembers, membersOf(share)}, {KeyUpdate, share.Updates}} {
		for _, c := range list.changes {
			PutKey(key[:], list.kind, c.ID)
			if err := fn(key[:], c.Value); err != nil {
				return err
			}
		}
	}
	return nil
}
