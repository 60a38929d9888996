package storage

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"syscall"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/objstorage/objstorageprovider"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// LargeBody is the size above which a body stands apart from its job's record. It is
// part of the format: a delete removes pieces where a job is larger.
const LargeBody = mib

// A large body is cut into pieces, each under a key of its own: the record's, of
// another kind, and four bytes that count. They are written to a table beside the
// database, which then takes the table over: neither the log that everybody waits
// for nor a memtable nor a compaction ever sees them. A range delete removes them
// together with the record.
const (
	pieceSize   = 256 << 10
	pieceKeyLen = keyLen + 4
	// tablePieces bounds a table. To remove a file of a gigabyte keeps a processor
	// in the kernel for 70 ms.
	tablePieces = 64
	// stagedPrefix begins the name of a table that the database does not have yet.
	stagedPrefix = "body-"
)

func pieceKey(id uint64, n int) (k [pieceKeyLen]byte) {
	putKey(k[:], keyPiece, id)
	binary.BigEndian.PutUint32(k[keyLen:], uint32(n))
	return k
}

// pieceBounds enclose all pieces of a body.
func pieceBounds(id uint64) (from, to []byte) {
	first, last := pieceKey(id, 0), pieceKey(id, 1<<32-1)
	return first[:], last[:]
}

// stager writes the large bodies of one database.
type stager struct {
	db    *pebble.DB
	fs    vfs.FS
	dir   string
	table sstable.WriterOptions
}

// stage writes a body, and returns when it is on the disk.
func (s *stager) stage(id uint64, body [][]byte) error {
	for n := 0; len(body) > 0; n += tablePieces {
		path := s.fs.PathJoin(s.dir, fmt.Sprintf("%s%d-%d", stagedPrefix, id, n))
		var err error
		if body, err = s.write(path, id, n, body); err == nil {
			err = s.db.Ingest(context.Background(), []string{path})
		}
		if err == nil {
			continue
		}
		if gone := s.fs.Remove(path); gone != nil && !isNotExist(gone) {
			err = errors.Join(err, gone)
		}
		return fmt.Errorf("storage: body of job %d: %w", id, err)
	}
	return nil
}

// write makes a table of the pieces from n on, and returns what is left of the body.
// The disk gets it as it grows, so that no sync of others waits for all of it.
func (s *stager) write(path string, id uint64, n int, body [][]byte) ([][]byte, error) {
	f, err := s.fs.Create(path, category)
	if err != nil {
		return body, err
	}
	f = vfs.NewSyncingFile(&tableFile{File: f}, vfs.SyncingFileOptions{BytesPerSync: pieceSize})
	w := sstable.NewWriter(objstorageprovider.NewFileWritable(f), s.table)
	value := make([]byte, 0, recordPrefix+pieceSize)
	for end := n + tablePieces; n < end && len(body) > 0; n++ {
		value = append(value[:0], recordVersion, 0, 0, 0, 0)
		for len(body) > 0 && len(value) < cap(value) {
			k := min(len(body[0]), cap(value)-len(value))
			value = append(value, body[0][:k]...)
			if body[0] = body[0][k:]; len(body[0]) == 0 {
				body = body[1:]
			}
		}
		key := pieceKey(id, n)
		seal(key[:], value)
		if err := w.Set(key[:], value); err != nil {
			return body, errors.Join(err, w.Close())
		}
	}
	return body, w.Close() // syncs
}

// sweep removes tables that were never taken over.
func (s *stager) sweep() error {
	names, err := s.fs.List(s.dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		if !strings.HasPrefix(name, stagedPrefix) {
			continue
		}
		if err := s.fs.Remove(s.fs.PathJoin(s.dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// Stage implements Log. One body is written at a time: the disk is no faster for
// two, and others want it too.
func (l *pebbleLog) Stage(id uint64, body [][]byte, ack Ack) {
	parts := append([][]byte(nil), body...) // consumed on the way
	l.stages.Go(func() {
		l.staging.Lock()
		err := l.stage(id, parts)
		l.staging.Unlock()
		ack.Committed(err)
	})
}

// stage does it. A disk that is full is no reason to end the log: nothing was
// promised yet.
func (l *pebbleLog) stage(id uint64, parts [][]byte) error {
	err := l.fault.guard(func() error { return l.stager.stage(id, parts) })
	switch {
	case err == nil:
		l.durable.Add(1)
	case l.fault.Err() != nil:
	case errors.Is(err, syscall.ENOSPC):
		l.store.o.Logger.Error("a large job found no room", "shard", l.name, "error", err)
		err = fmt.Errorf("%w: %w", ErrNoSpace, err)
	default:
		l.fault.fail(err)
	}
	return err
}

// readPieces appends the body of a job to dst.
func readPieces(r pebble.Reader, id uint64, size uint32, dst []byte) (_ []byte, err error) {
	from, to := pieceBounds(id)
	it, err := r.NewIter(&pebble.IterOptions{LowerBound: from, UpperBound: to})
	if err != nil {
		return dst, err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	start := len(dst)
	for n := 0; len(dst)-start < int(size); n++ {
		if n == 0 {
			it.First()
		} else {
			it.Next()
		}
		if err := it.Error(); err != nil {
			return dst, err
		}
		want := pieceKey(id, n)
		if !it.Valid() || string(it.Key()) != string(want[:]) {
			return dst, fmt.Errorf("%w: piece %d of the body of job %d is missing", ErrCorrupt, n, id)
		}
		value, err := it.ValueAndErr()
		if err != nil {
			return dst, err
		}
		piece, err := unseal(want[:], value)
		if err != nil {
			return dst, fmt.Errorf("piece %d of the body of job %d: %w", n, id, err)
		}
		dst = append(dst, piece...)
	}
	if len(dst)-start != int(size) {
		return dst, fmt.Errorf("%w: the body of job %d has %d bytes, not %d", ErrCorrupt, id, len(dst)-start, size)
	}
	return dst, nil
}

// strayBodies finds the bodies that no record refers to: their jobs were never
// put. known are those that have one.
func strayBodies(r pebble.Reader, known map[uint64]bool) (stray []uint64, err error) {
	it, err := r.NewIter(kindRange(keyPiece))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	for ok := it.First(); ok; {
		id, _, err := pieceOf(it.Key())
		if err != nil {
			return nil, err
		}
		if !known[id] {
			stray = append(stray, id)
		}
		_, end := pieceBounds(id)
		ok = it.SeekGE(end)
	}
	return stray, it.Error()
}

// pieceOf takes a piece's key apart.
func pieceOf(key []byte) (id uint64, n int, err error) {
	if len(key) != pieceKeyLen {
		return 0, 0, fmt.Errorf("%w: key of %d bytes", ErrCorrupt, len(key))
	}
	return binary.BigEndian.Uint64(key[1:]), int(binary.BigEndian.Uint32(key[keyLen:])), nil
}
