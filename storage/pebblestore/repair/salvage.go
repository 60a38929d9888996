package repair

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"beanfield/storage"
	"beanfield/storage/pebblestore/database"
	"beanfield/storage/pebblestore/directory"
	"beanfield/storage/pebblestore/format"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// Salvaged says what Salvage found.
type Salvaged struct {
	Jobs   int // given to job
	Queues int // given to queue
	Files  int // tables, and files of logs, that were read
	// Damaged is what could not be read, each with the file's name, the place and the
	// reason. If there is nothing in it, nothing is missing.
	Damaged []string
	// Unknown are the ids, as text, that may have been in what could not be read, and
	// that are mentioned nowhere else; UnknownIDs is how many. Their jobs are missing,
	// or had been deleted.
	Unknown    string
	UnknownIDs uint64
	// MayBeBack is how many of the jobs may have been deleted: their deletes may have been in
	// what could not be read, or, where no manifest can be read, in files that were removed.
	MayBeBack int
	// QueuesInDoubt says that what is kept of a queue may have been in what could not be
	// read: it is missing, or in an older state.
	QueuesInDoubt bool
	// MaxID is the highest id in any readable part, even that of a job that is
	// deleted or cannot be read: new ids must be above it.
	MaxID uint64
}

// Salvage reads what is readable of a damaged data directory, which no process may have in
// use, and changes nothing there. It reads the tables one by one, steps over what cannot be
// read, and then the logs of turns behind the places of their stores. It believes the newest
// trace of each job. So a job whose delete was in a damaged part may come back, and one whose
// update was may come back in an older state: a salvaged store keeps "never lost" as far
// as it can, not "never back".
//
// Pebble's manifest and the sync progress tell which tables are in use, and which are missing.
// Only what is in use counts: Pebble leaves tables behind, and a job may be in one of
// them whose delete is nowhere any more. If no manifest can be read, all tables count, and the
// result says how many jobs may be back.
// Of an undamaged directory a salvage gives what a server finds in it. Where the tables are
// damaged, it also reads what is still there of turns that the store has folded.
//
// job gets the jobs in no particular order; job and body are valid only during
// the call. queue gets the queues. Put them in an Intake, and finish that with MaxID.
func Salvage(dir string, fs vfs.FS, job func(*storage.Job, []byte) error, queue func(*storage.Queue) error) (
	Salvaged, error) {
	if fs == nil {
		fs = vfs.Default
	}
	s := &salvage{dir: &directory.Dir{FS: fs, Path: dir}, fn: job, queueFn: queue}
	shards, err := s.shards()
	if err != nil {
		return s.result, err
	}
	for _, path := range shards {
		if err := s.shard(path); err != nil {
			return s.result, fmt.Errorf("storage: salvage %s: %w", path, err)
		}
	}
	unknown, n := s.seen.unknown(s.holes, s.result.MaxID)
	s.result.Unknown, s.result.UnknownIDs = rangesText(unknown), n
	return s.result, nil
}

type salvage struct {
	dir     *directory.Dir
	fn      func(*storage.Job, []byte) error
	queueFn func(*storage.Queue) error
	result  Salvaged
	seen    idSet     // ids of records that can be read, or of their deletes
	holes   []idRange // ids whose records may have been in what cannot be read
	oneShard
}

// oneShard is what is known of the shard at hand.
type oneShard struct {
	latest  map[uint64]trace
	updates map[uint64]update
	queues  map[string]queueTrace // by tube
	bodies  map[uint64][]string   // tables with pieces of a job's body
	witness *Witness
	doubts  doubts
	log     salvagedLog
	giving  bool   // the second pass
	at      string // what is being read
}

// trace is what is known of a job's record. No id is ever put twice: so a delete counts,
// wherever it is.
type trace struct {
	record  uint64 // of the log, in which it was put; 0 for one in a table
	deleted bool
	given   bool
}

type update struct {
	rank  uint64
	value []byte
}

// damaged reports a file that cannot be read, or a part of it. The second pass meets
// the same damage as the first.
func (s *salvage) damaged(file string, err error) {
	if s.giving {
		return
	}
	text := strings.TrimPrefix(database.Explain(err).Error(), "storage: ")
	if !strings.Contains(text, file) {
		text = file + ": " + text
	}
	if slices.Contains(s.result.Damaged, text) {
		return // it is read more than once
	}
	s.result.Damaged = append(s.result.Damaged, text)
}

func (s *salvage) damagedf(file, format string, args ...any) {
	s.damaged(file, directory.Damaged(file, format, args...))
}

// lost reports one job.
func (s *salvage) lost(format string, args ...any) {
	s.result.Damaged = append(s.result.Damaged, s.at+": "+fmt.Sprintf(format, args...))
}

func (s *salvage) hole(from, to uint64) {
	if !s.giving && from <= to {
		s.holes = append(s.holes, idRange{from, to})
	}
}

// shards finds the directories of the generation that counts: the manifest's,
// or the newest if the manifest cannot be read.
func (s *salvage) shards() ([]string, error) {
	fs := s.dir.FS
	var generation string
	m, ok, err := s.dir.ReadManifest()
	switch {
	case errors.Is(err, format.ErrVersion):
		return nil, err
	case ok && m.Filling:
		return nil, directory.Error(s.dir.Path, directory.ErrUnfinished, "an import into it did not finish: repeat it")
	case ok:
		generation = s.dir.Generation(m.Generation)
	default:
		names, listErr := fs.List(s.dir.Path)
		if listErr != nil {
			return nil, fmt.Errorf("storage: %w", listErr)
		}
		names = slices.DeleteFunc(names, func(n string) bool {
			return !strings.HasPrefix(n, directory.GenerationPrefix)
		})
		if len(names) == 0 {
			return nil, directory.Error(s.dir.Path, directory.ErrForeign, "it has no %s* in it",
				directory.GenerationPrefix)
		}
		if path := s.dir.Join(directory.ManifestName); err != nil {
			s.damaged(path, err)
		} else {
			s.damagedf(path, "it is missing")
		}
		generation = s.dir.Join(slices.Max(names))
	}
	names, err := fs.List(generation)
	if err != nil && !directory.Missing(err) {
		return nil, fmt.Errorf("storage: %w", err)
	}
	for i := range m.Shards {
		if path := s.dir.Shard(m.Generation, i); !slices.Contains(names, fs.PathBase(path)) {
			s.damagedf(path, "it is missing")
			s.hole(1, math.MaxUint64)
			s.result.QueuesInDoubt = true
		}
	}
	names = slices.DeleteFunc(names, func(n string) bool { return !strings.HasPrefix(n, directory.ShardPrefix) })
	slices.Sort(names)
	for i, n := range names {
		names[i] = fs.PathJoin(generation, n)
	}
	return names, nil
}

// shard reads everything twice: to learn what is newest, and to give it out.
func (s *salvage) shard(path string) error {
	names, err := s.dir.FS.List(path)
	if err != nil {
		return err
	}
	slices.Sort(names)
	s.oneShard = oneShard{
		latest: make(map[uint64]trace), updates: make(map[uint64]update),
		queues: make(map[string]queueTrace), bodies: make(map[uint64][]string),
		log: salvagedLog{dir: directory.Turns(s.dir.FS, path)},
	}
	told := len(s.result.Damaged)
	s.hear(path, names)
	for _, name := range names {
		file := s.dir.FS.PathJoin(path, name)
		if err := s.file(file, s.learn); err != nil {
			s.damaged(file, err)
		}
	}
	s.learnLog(len(s.result.Damaged) == told)
	s.giving = true
	for _, name := range names {
		err := s.file(s.dir.FS.PathJoin(path, name), s.give)
		if stop := (stopped{}); errors.As(err, &stop) {
			return stop.error
		}
	}
	if err := s.giveLog(); err != nil {
		return err
	}
	return s.giveQueues()
}

// stopped is an error of the caller's function, which ends the salvage.
type stopped struct{ error }

// visit gets one entry of a table, or one operation of the log as if it were an entry. Of two
// for the same key, the one of the higher rank is newer.
type visit func(kind pebble.InternalKeyKind, rank uint64, key, value []byte) error

func (s *salvage) file(path string, fn visit) error {
	base := s.dir.FS.PathBase(path)
	table, isTable := database.Numbered(base, "", ".sst")
	if !isTable || !s.tableCounts(table) {
		return nil // Pebble's own, or left behind
	}
	f, err := s.dir.FS.Open(path)
	if err != nil {
		return err
	}
	if !s.giving {
		s.result.Files++
	}
	s.at = path
	return s.table(path, table, f, fn)
}

func isSet(kind pebble.InternalKeyKind) bool {
	return kind == pebble.InternalKeyKindSet || kind == pebble.InternalKeyKindSetWithDelete
}

// learn notes what is newest.
func (s *salvage) learn(kind pebble.InternalKeyKind, rank uint64, key, value []byte) error {
	if len(key) == format.PieceKeyLen && key[0] == format.KeyPiece {
		return s.learnPiece(kind, key)
	}
	if len(key) > 0 && key[0] == format.KeyQueue {
		return s.learnQueue(kind, rank, key, value)
	}
	id, err := format.KeyID(key)
	if err != nil {
		return err
	}
	s.result.MaxID = max(s.result.MaxID, storage.IDOf(id))
	t := s.latest[id]
	switch {
	case key[0] == format.KeyMaxID && isSet(kind):
		if highest, err := format.DecodeMaxID(key, value); err == nil {
			s.result.MaxID = max(s.result.MaxID, highest)
		}
		return nil
	case key[0] == format.KeyPlace && isSet(kind):
		return s.log.learnPlace(rank, key, value)
	case key[0] == format.KeyRecord && isSet(kind):
		s.seen.add(id)
		t.record = s.log.learnPut(id, format.Apart(value))
	case key[0] == format.KeyRecord:
		s.seen.add(id)
		t.deleted = true
	case key[0] == format.KeyUpdate && isSet(kind):
		if u, ok := s.updates[id]; !ok || rank > u.rank {
			s.updates[id] = update{rank, bytes.Clone(value)}
		}
		return nil
	case key[0] == format.KeyUpdate:
		t.deleted = true // it goes with the record only
	default:
		return nil
	}
	s.latest[id] = t
	return nil
}

// give calls the caller's function for a record of a job that has not been deleted.
func (s *salvage) give(kind pebble.InternalKeyKind, _ uint64, key, value []byte) error {
	id, err := format.KeyID(key)
	if err != nil || key[0] != format.KeyRecord || !isSet(kind) {
		return nil // a key that is none has been told of by learn
	}
	t := s.latest[id]
	if t.deleted || t.given {
		return nil
	}
	var j storage.Job
	r, err := format.DecodeRecord(key, value, &j)
	if errors.Is(err, format.ErrVersion) {
		return stopped{err}
	}
	t.given = true
	s.latest[id] = t
	if err != nil {
		s.lost("job %d cannot be read: %v", id, err)
		return nil
	}
	j.Tube = string(r.Tube)
	if u, ok := s.updates[id]; ok {
		put, updateKey := j, format.Key(format.KeyUpdate, id)
		tube, err := format.DecodeUpdate(updateKey[:], u.value, &j)
		switch {
		case errors.Is(err, format.ErrVersion):
			return stopped{err}
		case err != nil:
			s.lost("job %d is as it was put: what was noted later cannot be read: %v", id, err)
			j = put
		case tube != nil:
			j.Tube = string(tube)
		}
	}
	if r.Apart {
		if r.Body, err = s.body(&j, r.Sum); err != nil {
			s.lost("job %d is left out: %v", id, err)
			return nil
		}
	}
	if s.doubts.about(id, t.record) {
		s.result.MayBeBack++
	}
	s.result.Jobs++
	j.ID = storage.IDOf(id)
	if err := s.fn(&j, r.Body); err != nil {
		return stopped{err}
	}
	return nil
}
