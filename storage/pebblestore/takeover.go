package pebblestore

import (
	"errors"
	"fmt"
	"io"

	"beanfield/storage/locallog"
	"beanfield/storage/pebblestore/database"
	"beanfield/storage/pebblestore/directory"
	"beanfield/storage/pebblestore/format"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/record"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// takeOver gives a directory of an older build, where Pebble has a log for each shard, the
// format of this one. Pebble folds its logs when it opens a database, and begins no others.
// Until the manifest has the new format, nothing is removed and nothing is changed that the
// older build would miss; so after a crash it begins again.
func (s *store) takeOver(m format.Manifest) (format.Manifest, error) {
	if !m.Old() {
		return m, nil
	}
	s.o.Logger.Info("the directory is of an older build: it gets the format of this one, which older builds refuse",
		"from", m.Format, "to", format.TurnsFormat)
	sh := s.o.sharing(s.space.wrap(), m.Shards)
	err := inParallel(m.Shards, func(i int) error {
		path := s.dir.Shard(m.Generation, i)
		step := s.o.Steps.Begin("taking over "+s.o.FS.PathBase(path), "")
		defer step.End()
		if err := s.takeOverShard(sh, path, m.Shards); err != nil {
			return fmt.Errorf("storage: take over %s: %w", path, database.Explain(err))
		}
		return nil
	})
	if err != nil {
		return m, err
	}
	sh.Close()
	// The older build may have put a rear queue where this one does not look for it.
	m.Format, m.Rule = format.TurnsFormat, 0
	return m, s.dir.WriteManifest(m)
}

func (s *store) takeOverShard(sh *database.Sharing, path string, shards int) error {
	f := database.NewFault(nil)
	t, err := openStore(sh, f, path, s.o.FS.PathBase(path), func(o *pebble.Options) { o.ErrorIfNotExists = true })
	if err != nil {
		return err
	}
	err = f.Guard(func() error {
		highest, err := readMaxID(t.db)
		if err == nil {
			err = t.begin(highest) // flushes what Pebble has read from its logs
		}
		return err
	})
	if failed := f.Err(); failed != nil {
		return failed // the database may never answer again
	}
	if err == nil {
		t.base.Progress.LogsTaken()
	}
	if err = errors.Join(err, t.close()); err != nil {
		return err
	}
	return locallog.Create(s.logOptions(path, shards), t.place)
}

// removeLogs removes the logs of Pebble's. When the manifest has the new format, nothing is
// in them: but Pebble begins an empty one at each start, and would keep them all until it
// flushes.
func removeLogs(fs vfs.FS, dir string) error {
	names, err := fs.List(dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		if _, ok := database.Numbered(name, "", ".log"); !ok {
			continue
		}
		if err := fs.Remove(fs.PathJoin(dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// checkOldLogs checks the logs of Pebble's that an older build has left. The sync progress tells how
// far they had been synced. Logs below the manifest's are in tables.
func (s *store) checkOldLogs(w *witness) error {
	for _, l := range w.progress.Logs {
		if l.Number < w.manifest.MinLog || l.Length == 0 {
			continue
		}
		if err := w.checkOldLog(l); err != nil {
			return err
		}
	}
	// Pebble finds what else is wrong with them when it reads them.
	return s.readDatabase(w.dir, s.o.FS.PathBase(w.dir), func(db *pebble.DB) error {
		_, err := readMaxID(db)
		return err
	})
}

func (w *witness) checkOldLog(l database.Extent) error {
	path := w.path("%06d.log", l.Number)
	f, size, err := w.open(path)
	if err != nil {
		return err
	}
	good, err := w.readOldLog(newLogReader(record.NewReader, f, l.Number))
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
func (w *witness) readOldLog(log *record.Reader) (good int64, err error) {
	const block, header, trailer = 32 << 10, 19, 11
	chunk := make([]byte, block)
	for {
		r, err := log.Next()
		for more := err == nil; more; more = err == nil {
			good = log.Offset()
			_, err = r.Read(chunk)
		}
		if errors.Is(err, io.EOF) && r != nil {
			w.step.Count()
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
