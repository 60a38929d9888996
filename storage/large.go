package storage

import "github.com/cockroachdb/pebble/v2"

// largeRecord is a record whose body is too large to be copied by the owner of
// the shard. The committer makes a batch of it when its turn has come.
type largeRecord struct {
	key  [keyLen]byte
	head []byte   // the record without its body, not sealed
	body [][]byte // never changes
	size int      // of the whole value
}

// putLarge keeps a record, whose head is in scratch, for the committer.
func (l *pebbleLog) putLarge(id uint64, size int, body [][]byte) {
	l.cut()
	r := &largeRecord{
		key: makeKey(keyRecord, id), size: size,
		head: append([]byte(nil), l.scratch...), body: append([][]byte(nil), body...),
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open.full = append(l.open.full, fullBatch{large: r})
	l.open.large += size
}

// batch encodes the record.
func (r *largeRecord) batch(db *pebble.DB) *pebble.Batch {
	b := db.NewBatchWithSize(r.size + len(r.key) + 64)
	op := b.SetDeferred(len(r.key), r.size)
	copy(op.Key, r.key[:])
	at := copy(op.Value, r.head)
	for _, p := range r.body {
		at += copy(op.Value[at:], p)
	}
	seal(op.Key, op.Value)
	return b
}
