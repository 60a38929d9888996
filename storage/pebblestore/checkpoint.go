package pebblestore

import (
	"fmt"

	"beanfield/storage/locallog"
	"beanfield/storage/pebblestore/committer"
	"beanfield/storage/pebblestore/directory"
	"beanfield/storage/pebblestore/format"
	"beanfield/storage/turns"
)

// Checkpoint implements Checkpointer. The copy shows all shards at one moment:
// otherwise a job that a worker moves from one tube to another, by a put and
// then a delete, could be missing from both. So while the copy is made no group is
// applied on any shard, and no turn is acknowledged that has not been applied: if the
// copy shows a turn, it shows every turn that was acknowledged before it. Shards go
// on; only their acks wait. It does not take long: tables are linked, not copied, when
// dir is on the same file system. The manifest is written last, and dir is no data
// directory without it.
func (s *store) Checkpoint(dir string) error {
	s.copying.Lock()
	defer s.copying.Unlock()
	fs := s.o.FS
	if _, err := fs.Stat(dir); err == nil {
		return fmt.Errorf("storage: checkpoint: %s exists", dir)
	} else if !directory.Missing(err) {
		return fmt.Errorf("storage: checkpoint: %w", err)
	}
	copied := &directory.Dir{FS: fs, Path: dir}
	if err := directory.MakeDir(fs, dir); err != nil {
		return fmt.Errorf("storage: checkpoint: %w", err)
	}
	return s.copyInto(copied, format.Manifest{Generation: 1, Shards: s.now.Shards})
}

// copyInto makes the generation of a directory, and its manifest.
func (s *store) copyInto(copied *directory.Dir, m format.Manifest) error {
	err := directory.MakeDir(s.o.FS, copied.Generation(m.Generation))
	if err == nil {
		err = s.copyLogs(copied)
	}
	if err != nil {
		return fmt.Errorf("storage: checkpoint: %w", err)
	}
	return copied.WriteManifest(m)
}

func (s *store) copyLogs(to *directory.Dir) error {
	defer func() {
		for _, l := range s.logs {
			l.committer.Thaw()
		}
	}()
	// The most is folded before anybody has to wait.
	if err := inParallel(len(s.logs), func(i int) error { return s.logs[i].foldAll() }); err != nil {
		return err
	}
	for _, step := range []func(*committer.Committer) error{(*committer.Committer).Hold, (*committer.Committer).Settle,
		(*committer.Committer).Gate} {
		for _, l := range s.logs {
			if err := step(l.committer); err != nil {
				return err
			}
		}
	}
	return inParallel(len(s.logs), func(i int) error { return s.logs[i].copyTo(to.Shard(1, i)) })
}

// copyTo copies a shard. All of its turns are folded first, so the copy's log has none: it
// begins where the store stands.
func (l *shardLog) copyTo(path string) error {
	if err := l.foldAll(); err != nil {
		return err
	}
	place, err := l.copyStore(path)
	if err != nil {
		return err
	}
	return locallog.Create(l.store.logOptions(path, len(l.store.logs)), place)
}

// copyStore copies what has been folded, and says up to where. A database that has not changed since
// it was opened has no manifest of this run, and Pebble would copy none: so it is told once more where it stands.
func (l *shardLog) copyStore(path string) (turns.Place, error) {
	l.folding.Lock() // the place stays what it is
	defer l.folding.Unlock()
	return l.place, l.fault.Guard(func() error {
		if !l.changed {
			share := l.window.NewShare()
			share.Seal(l.place)
			if err := l.take(share); err != nil {
				return err
			}
		}
		return l.db.Checkpoint(path)
	})
}
