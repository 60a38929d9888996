package database

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"

	"beanfield/storage"
	"beanfield/storage/pebblestore/format"

	crdb "github.com/cockroachdb/errors"
	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// checkedTable is a table that is being read. Pebble reads a block with one call,
// and when its checksum is wrong, tries whether some flipped bit makes it right: with
// a block of 256 KiB that took 50 s. So the checksum is checked here first. The error
// then names the file and the place, which not all of Pebble's errors do.
type checkedTable struct {
	vfs.File
	name string
}

// leastChecked is the length from which on a read can only be that of a block: a footer is
// shorter. Shorter reads are left to Pebble's search for a flipped bit.
const leastChecked = 128

// ReadAt reads a block: its content, a byte that says how it is compressed, and the
// checksum of both.
func (t *checkedTable) ReadAt(p []byte, off int64) (int, error) {
	n, err := t.File.ReadAt(p, off)
	if err != nil || n < leastChecked {
		return n, err
	}
	end := n - 4
	if got, want := Checksum(p[:end]), binary.LittleEndian.Uint32(p[end:n]); got != want {
		err = fmt.Errorf("%s: %w: the block at byte %d, of %d bytes, has checksum %08x, should have %08x",
			t.name, storage.ErrCorrupt, off, n, got, want)
		return n, crdb.Mark(err, pebble.ErrCorruption)
	}
	return n, nil
}

// Checksum is the one that Pebble writes into its files.
func Checksum(b []byte) uint32 {
	c := crc32.Checksum(b, format.Castagnoli)
	return (c>>15 | c<<17) + 0xa282ead8
}

// OpenTable takes the file of a table over, also when it fails. Its blocks are checked as they
// are read.
func OpenTable(f vfs.File, path string) (*sstable.Reader, error) {
	readable, err := sstable.NewSimpleReadable(&checkedTable{File: f, name: path})
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	var o pebble.Options
	o.EnsureDefaults()
	r, err := sstable.NewReader(context.Background(), readable, o.MakeReaderOptions())
	if err != nil {
		return nil, errors.Join(err, readable.Close())
	}
	return r, nil
}

// WalkTable visits the entries from a key on, and returns the last one's key.
func WalkTable(r *sstable.Reader, from []byte, fn func(kind pebble.InternalKeyKind, seq uint64, key,
	value []byte) error) (last []byte, err error) {
	it, err := r.NewIter(sstable.NoTransforms, nil, nil, sstable.AssertNoBlobHandles)
	if err != nil {
		return nil, err
	}
	defer func() {
		if closing := it.Close(); err == nil { // it says the same again
			err = closing
		}
	}()
	for kv := it.SeekGE(from, 0); kv != nil; kv = it.Next() {
		value, _, err := kv.Value(nil)
		if err != nil {
			return last, err
		}
		last = append(last[:0], kv.K.UserKey...)
		if err := fn(kv.Kind(), uint64(kv.SeqNum()), kv.K.UserKey, value); err != nil {
			return last, err
		}
	}
	return last, it.Error()
}
