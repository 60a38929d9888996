package pebblestore

import (
	"errors"
	"fmt"

	"beanfield/storage/locallog"
	"beanfield/storage/pebblestore/contents"
	"beanfield/storage/pebblestore/database"
	"beanfield/storage/pebblestore/format"

	"github.com/cockroachdb/pebble/v2"
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
		highest, err := contents.MaxID(t.db)
		if err == nil {
			err = t.begin(newPlace(), highest) // flushes what Pebble has read from its logs
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
