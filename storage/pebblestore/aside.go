package pebblestore

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"beanfield/storage/pebblestore/database"
	"beanfield/storage/pebblestore/directory"
	"beanfield/storage/pebblestore/format"

	"github.com/cockroachdb/pebble/v2"
)

// A node's copy that cannot be read is set aside, and an empty one takes its place until another node's does.
// The newest of each shard is kept, for people: nothing reads it.

// asideName is where damaged copies are, in the directory for what a node keeps besides.
const asideName = "damaged"

// Aside is where the damaged copy of a shard is kept; empty if there is none.
func (r *Replicas) Aside(shard int) string { return r.store.kept(shard) }

func (s *store) kept(shard int) string {
	path := s.aside(shard)
	if _, err := s.o.FS.Stat(path); err != nil {
		return ""
	}
	return path
}

// Forget removes the damaged copy of a shard.
func (r *Replicas) Forget(shard int) error { return r.store.o.FS.RemoveAll(r.store.aside(shard)) }

func (s *store) aside(shard int) string {
	return s.dir.Join(directory.ClusterName, asideName, fmt.Sprintf("%s%03d", directory.ShardPrefix, shard))
}

// mends tells whether a copy is to be set aside: it is not what was written. What a disk does not give now, it may
// give later, and what another build has written, that build can read.
func (s *store) mends(err error) bool {
	return s.cluster != nil && s.cluster.Member && err != nil && database.Corrupt(database.Explain(err))
}

// emptyName is a file in the directory of a copy that was made empty at a node that may have had more. It goes when
// another node's copy comes, or the first records: then the log still had all, from its beginning.
const emptyName = "empty"

func (s *store) emptyMark(shard int) string {
	return s.o.FS.PathJoin(s.dir.Shard(s.now.Generation, shard), emptyName)
}

// markEmpty makes that file.
func (s *store) markEmpty(shard int) error {
	path := s.emptyMark(shard)
	f, err := s.o.FS.Create(path, directory.Category)
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), directory.SyncDir(s.o.FS, s.o.FS.PathDir(path)))
}

// whole refuses a directory in which an empty copy takes the place of one that may have had jobs.
func (s *store) whole(m format.Manifest) error {
	for i := range m.Shards {
		path := s.dir.Shard(m.Generation, i)
		_, err := s.o.FS.Stat(s.o.FS.PathJoin(path, emptyName))
		if err == nil {
			return directory.Error(s.o.Dir, directory.ErrUnfinished,
				"%s is empty until another node's copy takes its place: "+
					"a damaged one is in %s", path, s.dir.FS.PathDir(s.aside(i)))
		}
		if !directory.Missing(err) {
			return fmt.Errorf("storage: %w", err)
		}
	}
	return nil
}

// filled removes it once the store has records.
func (l *shardLog) filled() error {
	if !l.copied.empty || l.place.Number == 0 {
		return nil
	}
	if err := directory.Remove(l.store.o.FS, l.store.emptyMark(l.shard)); err != nil {
		return l.errorf("%w", err)
	}
	l.copied.empty = false
	return nil
}

// keepAside moves a directory with a damaged copy to where it is kept, in the place of the one of that name. That
// goes only when the move is done. An empty copy is kept nowhere.
func (s *store) keepAside(name, from string) error {
	fs, to := s.o.FS, s.dir.Join(directory.ClusterName, asideName, name)
	names, err := fs.List(from)
	switch {
	case directory.Missing(err):
		return nil
	case err != nil:
		return fmt.Errorf("storage: %w", err)
	case len(names) == 0 || slices.Contains(names, emptyName):
		return fs.RemoveAll(from)
	}
	above, before := fs.PathDir(to), to+".before"
	if err := directory.MakeDir(fs, above); err != nil {
		return err
	}
	if _, err = fs.Stat(to); err == nil {
		if err = fs.RemoveAll(before); err == nil { // there is a newer one
			err = fs.Rename(to, before)
		}
	}
	if err == nil || directory.Missing(err) {
		err = fs.Rename(from, to)
	}
	if err == nil {
		err = errors.Join(directory.SyncDir(fs, above), directory.SyncDir(fs, fs.PathDir(from)))
	}
	if err != nil {
		return fmt.Errorf("storage: %w", err)
	}
	return fs.RemoveAll(before)
}

// setAside has an empty store take the place of a shard's, which cannot be read.
func (s *store) setAside(m format.Manifest, shard int, why error) error {
	path := s.dir.Shard(m.Generation, shard)
	err := s.keepAside(s.o.FS.PathBase(path), path)
	if err == nil {
		err = errors.Join(s.o.FS.MkdirAll(path, 0o700), directory.SyncDir(s.o.FS, s.dir.Generation(m.Generation)))
	}
	if err != nil {
		return errors.Join(why, err)
	}
	s.cluster.Damaged(shard, s.kept(shard), false, database.Explain(why))
	return nil
}

// verifyCopies does what verify does, and sets aside what is damaged. Its stores are to be made anew.
func (s *store) verifyCopies(m format.Manifest) error {
	s.anew = make([]bool, m.Shards)
	err := inParallel(m.Shards, func(i int) error {
		path := s.dir.Shard(m.Generation, i)
		_, err := s.o.FS.Stat(path)
		if directory.Missing(err) {
			err = directory.Damaged(path, "it is missing")
		}
		if err == nil {
			err = s.verifyShard(m, i)
		}
		if s.mends(err) {
			s.anew[i] = true
			return s.setAside(m, i, err)
		}
		return err
	})
	return s.dir.OrSalvage(err, "")
}

// setAllAside sets aside whatever there is if the manifest cannot be read, and removes that: nobody knows what it is.
// Where there are two generations, nobody knows which one counts, and whoever is next refuses them.
func (s *store) setAllAside(shards int) error {
	_, _, why := s.dir.Usable()
	if !s.mends(why) {
		return nil // whoever is next meets it, too
	}
	fs := s.o.FS
	names, err := fs.List(s.dir.Path)
	names = slices.DeleteFunc(names, func(name string) bool {
		return !strings.HasPrefix(name, directory.GenerationPrefix)
	})
	switch {
	case err != nil:
		return errors.Join(why, err)
	case len(names) > 1:
		return nil
	case len(names) == 1:
		err = s.keepGeneration(s.dir.Join(names[0]))
	}
	if err == nil {
		err = s.unmade()
	}
	if err != nil {
		return errors.Join(why, err)
	}
	for i := range shards {
		s.cluster.Damaged(i, s.kept(i), false, why)
	}
	return nil
}

// unmade removes the manifest.
func (s *store) unmade() error {
	err := directory.Remove(s.o.FS, s.dir.Join(directory.ManifestName))
	return errors.Join(err, directory.SyncDir(s.o.FS, s.dir.Path))
}

// empty sets aside all that a directory has.
func (s *store) empty() error {
	m, ok, err := s.dir.Usable()
	if err == nil && ok {
		err = s.dir.Sweep(m.Generation)
	}
	if err == nil && ok {
		err = s.keepGeneration(s.dir.Generation(m.Generation))
	}
	if err == nil && ok {
		err = s.unmade()
	}
	return err
}

// keepGeneration sets aside all that is in a generation.
func (s *store) keepGeneration(path string) error {
	fs := s.o.FS
	names, err := fs.List(path)
	if directory.Missing(err) {
		return nil
	}
	for _, name := range names {
		if err == nil {
			err = s.keepAside(name, fs.PathJoin(path, name))
		}
	}
	if err == nil {
		err = fs.Remove(path) // it is empty
	}
	return err
}

// harmed tells of damage that was met while the copy is in use, once.
func (l *shardLog) harmed(err error) {
	c := l.store.cluster
	if c != nil && c.Damaged != nil && l.store.running.Load() && database.FailedToRead(database.Explain(err)) &&
		!l.copied.harmed.Swap(true) {
		c.Damaged(l.shard, l.store.aside(l.shard), true, database.Explain(err))
	}
}

// watch has damage told that the database meets.
func (l *shardLog) watch(to *pebble.EventListener) {
	damage := to.DataCorruption
	to.DataCorruption = func(info pebble.DataCorruptionInfo) {
		damage(info)
		l.harmed(info.Details)
	}
}
