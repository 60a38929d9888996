package pebblestore

import (
	"errors"
	"fmt"
	"io"

	"beanfield/storage"
	"beanfield/storage/pebblestore/contents"
	"beanfield/storage/pebblestore/database"
	"beanfield/storage/pebblestore/directory"
	"beanfield/storage/pebblestore/repair"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/record"
)

// checkOldLogs checks the logs of Pebble's that an older build has left. The sync progress tells how
// far they had been synced. Logs below the manifest's are in tables.
func (s *store) checkOldLogs(w *repair.Witness, step *storage.Step) error {
	for _, l := range w.Progress.Logs {
		if l.Number < w.Manifest.MinLog || l.Length == 0 {
			continue
		}
		if err := checkOldLog(w, l, step); err != nil {
			return err
		}
	}
	// Pebble finds what else is wrong with them when it reads them.
	return s.readDatabase(w.Dir, s.o.FS.PathBase(w.Dir), func(db *pebble.DB) error {
		_, err := contents.MaxID(db)
		return err
	})
}

func checkOldLog(w *repair.Witness, l database.Extent, step *storage.Step) error {
	path := w.Path("%06d.log", l.Number)
	f, size, err := w.Open(path)
	if err != nil {
		return err
	}
	good, err := readOldLog(newLogReader(record.NewReader, f, l.Number), step)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("storage: %s: %w", path, err)
	}
	if good = min(good, size); good < l.Length {
		return directory.Damaged(path, "it cannot be read from byte %d on, and had been synced up to byte %d", good, l.Length)
	}
	return nil
}

// newLogReader calls open, which wants the number in a type that cannot be named here.
func newLogReader[N ~uint64](open func(io.Reader, N) *record.Reader, f io.Reader, number uint64) *record.Reader {
	return open(f, N(number))
}

// readOldLog finds how far a log can be read, chunk by chunk. What has no checksum is taken
// for readable: the rest of a block that has no room for a chunk, and the end of a closed
// log. Both together are shorter than a record.
func readOldLog(log *record.Reader, step *storage.Step) (good int64, err error) {
	const block, header, trailer = 32 << 10, 19, 11
	chunk := make([]byte, block)
	for {
		r, err := log.Next()
		for more := err == nil; more; more = err == nil {
			good = log.Offset()
			_, err = r.Read(chunk)
		}
		if errors.Is(err, io.EOF) && r != nil {
			step.Count()
			continue // that was the record's end
		}
		if room := block - good%block; room < header {
			good += room
		}
		if errors.Is(err, io.EOF) {
			return good + trailer, nil
		}
		if errors.Is(err, record.ErrZeroedChunk) || errors.Is(err, record.ErrInvalidChunk) || errors.Is(err, record.ErrUnexpectedEOF) {
			return good, nil
		}
		return good, err
	}
}
