package pebblestore

import (
	"errors"
	"fmt"

	"beanfield/storage/locallog"

	"github.com/cockroachdb/pebble/v2"
)

// takeOver gives a directory of an older build, where Pebble has a log for each shard, the
// format of this one. Pebble folds its logs when it opens a database, and begins no others.
// Until the manifest has the new format, nothing is removed and nothing is changed that the
// older build would miss; so after a crash it begins again.
func (s *store) takeOver(m manifest) (manifest, error) {
	if m.Format >= turnsFormat {
		return m, nil
	}
	s.o.Logger.Info("the directory is of an older build: it gets the format of this one, which older builds refuse",
		"from", m.Format, "to", turnsFormat)
	sh := newSharing(s.o, s.space.wrap(), m.Shards)
	err := inParallel(m.Shards, func(i int) error {
		path := s.dir.shard(m.Generation, i)
		step := s.o.Steps.Begin("taking over "+s.o.FS.PathBase(path), "")
		defer step.End()
		if err := s.takeOverShard(sh, path, m.Shards); err != nil {
			return fmt.Errorf("storage: take over %s: %w", path, explain(err))
		}
		return nil
	})
	if err != nil {
		return m, err
	}
	sh.close()
	// The older build may have put a rear queue where this one does not look for it.
	m.Format, m.Rule = turnsFormat, 0
	return m, s.dir.writeManifest(m)
}

func (s *store) takeOverShard(sh *sharing, path string, shards int) error {
	f := newFault(nil)
	t, err := sh.openStore(f, path, s.o.FS.PathBase(path), func(o *pebble.Options) { o.ErrorIfNotExists = true })
	if err != nil {
		return err
	}
	err = f.guard(func() error {
		highest, err := readMaxID(t.db)
		if err == nil {
			err = t.begin(highest)
		}
		return err
	})
	if f.Err() != nil {
		return err // the database may never answer again
	}
	if err = errors.Join(err, t.close()); err != nil {
		return err
	}
	o := s.logOptions(path, shards)
	if err := o.FS.RemoveAll(o.Dir); err != nil { // of a takeover that was cut short
		return err
	}
	return locallog.Create(o, t.place)
}

// checkOldLogs checks the logs of Pebble's that an older build has left.
func (w *witness) checkOldLogs() error { return nil }
