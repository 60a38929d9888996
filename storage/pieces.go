package storage

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
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

// stage writes a body, and returns its checksum when it is on the disk, or leaves
// nothing behind. Each table is taken over by itself, because Pebble reads its first and last
// block, and no commit becomes visible before its manifest is synced.
func (s *stager) stage(id uint64, body [][]byte) (sum uint32, err error) {
	for n := 0; len(body) > 0; n += tablePieces {
		path := s.fs.PathJoin(s.dir, fmt.Sprintf("%s%d-%d", stagedPrefix, id, n))
		if body, err = s.write(path, id, n, body, &sum); err == nil {
			err = s.db.Ingest(context.Background(), []string{path})
		}
		if err == nil {
			continue
		}
		if gone := s.fs.Remove(path); gone != nil && !isNotExist(gone) {
			err = errors.Join(err, gone)
		}
		if n > 0 {
			from, to := pieceBounds(id)
			err = errors.Join(err, s.db.DeleteRange(from, to, pebble.NoSync))
		}
		return 0, fmt.Errorf("storage: body of job %d: %w", id, err)
	}
	return sum, nil
}

// write makes a table of the pieces from n on, and returns what is left of the body.
// The disk gets it as it grows, so that no sync of others waits for all of it.
func (s *stager) write(path string, id uint64, n int, body [][]byte, sum *uint32) ([][]byte, error) {
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
		*sum = crc32.Update(*sum, castagnoli, value[recordPrefix:])
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
	size := bodySize(body)
	l.store.space.promised.Add(size)
	l.stages.Go(func() {
		l.staging.Lock()
		err := l.stage(id, parts, size)
		l.staging.Unlock()
		l.store.space.promised.Add(-size)
		ack.Committed(err)
	})
}

// stage does it. What cannot be written is refused, and that is all: nothing was
// promised yet. Where Pebble cannot go on, it says so itself.
func (l *pebbleLog) stage(id uint64, parts [][]byte, size int64) error {
	if err := l.fault.Err(); err != nil {
		return err
	}
	var sum uint32 // not looked at when the call has been given up
	err := l.fault.guard(func() (err error) {
		sum, err = l.stager.stage(id, parts)
		return err
	})
	if err == nil {
		l.durable.Add(1)
		l.mu.Lock()
		l.staged[id] = sum
		l.mu.Unlock()
		return nil
	}
	l.garbage.Add(size) // some of it may be there until a compaction
	l.dropped.Add(size)
	l.store.o.Logger.Error("a large job is refused", "shard", l.name, "error", err)
	if errors.Is(err, syscall.ENOSPC) {
		err = fmt.Errorf("%w: %w", ErrNoSpace, err)
	}
	return err
}

// takeStaged gives the checksum of a body that has been staged, once.
func (l *pebbleLog) takeStaged(id uint64) uint32 {
	l.mu.Lock()
	defer l.mu.Unlock()
	sum, ok := l.staged[id]
	if !ok {
		panic(fmt.Sprintf("storage: job %d is put, and its body was not staged", id))
	}
	delete(l.staged, id)
	return sum
}

func bodySize(body [][]byte) (n int64) {
	for _, p := range body {
		n += int64(len(p))
	}
	return n
}

// checkBody says whether what was read is what was put with the job.
func checkBody(j *Job, sum uint32, size int, got uint32) error {
	if size != int(j.Size) || got != sum {
		return fmt.Errorf("%w: the body of job %d has %d bytes and checksum %08x, should have %d and %08x",
			ErrCorrupt, j.ID, size, got, j.Size, sum)
	}
	return nil
}

// readPieces appends the body of a job to dst.
func readPieces(r pebble.Reader, j *Job, sum uint32, dst []byte) (_ []byte, err error) {
	from, to := pieceBounds(j.ID)
	it, err := r.NewIter(&pebble.IterOptions{LowerBound: from, UpperBound: to})
	if err != nil {
		return dst, err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	start, got := len(dst), uint32(0)
	dst = slices.Grow(dst, int(j.Size))
	valid := it.First()
	for n := 0; len(dst)-start < int(j.Size); n++ {
		want := pieceKey(j.ID, n)
		if err := it.Error(); err != nil {
			return dst, err
		}
		if !valid || string(it.Key()) != string(want[:]) {
			return dst, fmt.Errorf("%w: piece %d of the body of job %d is missing", ErrCorrupt, n, j.ID)
		}
		value, err := it.ValueAndErr()
		if err != nil {
			return dst, err
		}
		piece, err := unseal(want[:], value)
		if err != nil {
			return dst, fmt.Errorf("piece %d of the body of job %d: %w", n, j.ID, err)
		}
		dst = append(dst, piece...)
		got = crc32.Update(got, castagnoli, piece) // with all at once, a gigabyte takes 40 ms
		valid = it.Next()
	}
	return dst, checkBody(j, sum, len(dst)-start, got)
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
