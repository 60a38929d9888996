package format

import (
	"errors"
	"fmt"

	"beanfield/storage/fold"
	"beanfield/storage/turns"

	"github.com/cockroachdb/pebble/v2"
)

// Newest is a database as its log makes it: with the net effect of all turns that it has not
// folded yet. Nothing of that goes into the database.
type Newest struct {
	*pebble.Batch
}

// NewNewest is told all turns of a log behind the place of its store, twice: what ends later does not count.
func NewNewest(db *pebble.DB, highest uint64, log func(fn func(b []byte, at turns.At) error) error) (Newest, error) {
	w := fold.NewWindow(highest)
	err := log(w.Absorb)
	share := w.NewShare()
	if err == nil {
		err = log(share.Collect)
	}
	if err != nil {
		return Newest{}, err
	}
	share.Seal(turns.Place{})
	n := Newest{db.NewIndexedBatch()}
	if err := n.apply(share); err != nil {
		return n, errors.Join(err, n.Close())
	}
	return n, nil
}

// apply adds a share.
func (n Newest) apply(share *fold.Share) error {
	b := n.Batch
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
	if err != nil {
		return fmt.Errorf("storage: %w", err)
	}
	return nil
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
	}{{KeyRecord, share.Records}, {KeyUpdate, share.Updates}} {
		for _, c := range list.changes {
			PutKey(key[:], list.kind, c.ID)
			if err := fn(key[:], c.Value); err != nil {
				return err
			}
		}
	}
	return nil
}
