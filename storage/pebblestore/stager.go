package pebblestore

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"strings"
	"sync"
	"syscall"

	"beanfield/storage"
	"beanfield/storage/pebblestore/database"
	"beanfield/storage/pebblestore/directory"
	"beanfield/storage/pebblestore/format"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/objstorage/objstorageprovider"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"
)

const (
	// tablePieces bounds a table. Removing a file of a gigabyte keeps a processor
	// in the kernel for 70 ms.
	tablePieces = 64
	// stagedPrefix begins the name of a table that the database does not have yet.
	stagedPrefix = "body-"
)

// stager writes the large bodies of one database: to tables beside it, which it then
// takes over. They never go through the log that all turns wait for, a memtable or a
// compaction.
type stager struct {
	db    *pebble.DB
	fs    vfs.FS
	dir   string
	table sstable.WriterOptions
	most  int // pieces in a table
}

// stage writes a body, and returns its checksum when it is on the disk, or leaves
// nothing behind. Each table is taken over by itself: Pebble reads the first and the
// last block of all that it gets at once, which took 23 ms for a gigabyte.
func (s *stager) stage(id uint64, body [][]byte) (sum uint32, err error) {
	for n := 0; len(body) > 0; n += s.most {
		path := s.fs.PathJoin(s.dir, fmt.Sprintf("%s%d-%d", stagedPrefix, id, n))
		if body, err = s.write(path, id, n, body, &sum); err == nil {
			err = s.db.Ingest(context.Background(), []string{path})
		}
		if err == nil {
			continue
		}
		if gone := directory.Remove(s.fs, path); gone != nil {
			err = errors.Join(err, gone)
		}
		if n > 0 {
			from, to := format.PieceBounds(id)
			err = errors.Join(err, s.db.DeleteRange(from, to, pebble.NoSync))
		}
		return 0, fmt.Errorf("storage: body of job %d: %w", id, err)
	}
	return sum, nil
}

// write makes a table of the pieces from n on, and returns what is left of the body.
// The disk gets it as it grows, so that no sync of others waits for all of it.
func (s *stager) write(path string, id uint64, n int, body [][]byte, sum *uint32) ([][]byte, error) {
	f, err := s.fs.Create(path, directory.Category)
	if err != nil {
		return body, err
	}
	f = vfs.NewSyncingFile(database.NewTableFile(f), vfs.SyncingFileOptions{BytesPerSync: format.PieceSize})
	w := sstable.NewWriter(objstorageprovider.NewFileWritable(f), s.table)
	value := make([]byte, 0, format.HeadLen+format.PieceSize)
	for end := n + s.most; n < end && len(body) > 0; n++ {
		key := format.PieceKey(id, n)
		value, body = cutPiece(key[:], value, body, sum)
		if err := w.Set(key[:], value); err != nil {
			return body, errors.Join(err, w.Close())
		}
	}
	return body, w.Close() // syncs
}

// cutPiece makes the value of the next piece in the room of another, and returns what is left of the body.
func cutPiece(key, value []byte, body [][]byte, sum *uint32) ([]byte, [][]byte) {
	value = format.AppendHead(value[:0])
	for len(body) > 0 && len(value) < cap(value) {
		k := min(len(body[0]), cap(value)-len(value))
		value = append(value, body[0][:k]...)
		if body[0] = body[0][k:]; len(body[0]) == 0 {
			body = body[1:]
		}
	}
	*sum = crc32.Update(*sum, format.Castagnoli, value[format.HeadLen:])
	format.Seal(key, value)
	return value, body
}

// sweep removes tables that were never taken over.
func (s *stager) sweep() error {
	return directory.RemoveThose(s.fs, s.dir, func(name string) bool {
		return strings.HasPrefix(name, stagedPrefix) || strings.HasPrefix(name, foldPrefix)
	})
}

// Stage implements Log. One body is written at a time: two would not be faster, and
// commits need the disk too.
func (l *shardLog) Stage(id uint64, body [][]byte, ack storage.Ack) {
	l.stageBy(l.stager.stage, id, body, ack)
}

// stageBy has a function write the body.
func (l *shardLog) stageBy(write stageFunc, id uint64, body [][]byte, ack storage.Ack) {
	parts := append([][]byte(nil), body...) // consumed on the way
	size := bodySize(body)
	l.store.space.promised.Add(size)
	l.stages.Go(func() {
		l.staging.Lock()
		err := l.stage(write, id, parts, size)
		l.staging.Unlock()
		l.store.space.promised.Add(-size)
		if err != nil {
			l.store.space.look() // what Room has taken for it is free again
		}
		ack.Committed(err)
	})
}

// stage writes a body. A body that cannot be written is refused without further harm:
// nothing was promised yet. Where Pebble cannot go on, it reports a fault itself.
func (l *shardLog) stage(write stageFunc, id uint64, parts [][]byte, size int64) error {
	if err := l.fault.Err(); err != nil {
		return err
	}
	var sum uint32 // not read if guard has given the call up
	err := l.fault.Guard(func() (err error) {
		sum, err = write(id, parts)
		return err
	})
	if err == nil {
		l.durable.Add(1)
		l.sums.keep(id, sum)
		return nil
	}
	l.garbage.Add(size) // some of it may be there until a compaction
	l.dropped.Add(size)
	l.store.o.Logger.Error("a large job is refused", "shard", l.name, "error", err)
	if errors.Is(err, syscall.ENOSPC) {
		err = fmt.Errorf("%w: %w", storage.ErrNoSpace, err)
	}
	return err
}

// stageFunc writes a body, and returns its checksum when it is as durable as it must be.
type stageFunc func(id uint64, body [][]byte) (sum uint32, err error)

// checksums holds those of bodies that have been staged, by the ids of their jobs.
type checksums struct {
	mu   sync.Mutex
	byID map[uint64]uint32
}

func (c *checksums) keep(id uint64, sum uint32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byID == nil {
		c.byID = make(map[uint64]uint32)
	}
	c.byID[id] = sum
}

// take gives the checksum of a body that has been staged, once.
func (c *checksums) take(id uint64) uint32 {
	c.mu.Lock()
	defer c.mu.Unlock()
	sum, ok := c.byID[id]
	if !ok {
		panic(fmt.Sprintf("storage: job %d is put, and its body was not staged", id))
	}
	delete(c.byID, id)
	return sum
}

func bodySize(body [][]byte) (n int64) {
	for _, p := range body {
		n += int64(len(p))
	}
	return n
}
