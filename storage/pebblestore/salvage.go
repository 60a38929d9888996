package pebblestore

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"beanfield/storage"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// Salvaged says what Salvage found.
type Salvaged struct {
	Jobs   int // given to job
	Queues int // given to queue
	Files  int // tables and logs read
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

// Salvage reads what is readable of a damaged data directory, which no process
// may have in use, and changes nothing there. It reads tables and logs one by
// one, steps over what cannot be read, and believes the newest trace of each job.
// So a job whose delete was in a damaged part may come back, and one whose update
// was may come back in an older state: a salvaged store keeps "never lost" as far
// as it can, not "never back".
//
// Pebble's manifest and the mark tell which files are in use, which are missing, and how
// far the others reached. Only what is in use counts: Pebble leaves tables and logs behind,
// and a job may be in one of them whose delete is nowhere any more. If no manifest
// can be read, all files count, and the result says how many jobs may be back.
// Of an undamaged directory a salvage gives what a server finds in it.
//
// job gets the jobs in no particular order; job and body are valid only during
// the call. queue gets the queues. Put them in an Intake, and finish that with MaxID.
func Salvage(dir string, fs vfs.FS, job func(*storage.Job, []byte) error, queue func(*storage.Queue) error) (Salvaged, error) {
	if fs == nil {
		fs = vfs.Default
	}
	s := &salvage{dir: &directory{fs: fs, path: dir}, fn: job, queueFn: queue}
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
	dir     *directory
	fn      func(*storage.Job, []byte) error
	queueFn func(*storage.Queue) error
	result  Salvaged
	seen    idSet     // ids of records that can be read, or of their deletes
	holes   []idRange // ids whose records may have been in what cannot be read
	queued  bool      // the directory may have queues

	// Of the shard at hand.
	latest  map[uint64]trace
	updates map[uint64]update
	queues  map[string]queueTrace // by tube
	bodies  map[uint64][]string   // tables with pieces of a job's body
	witness *witness
	doubts  doubts
	flushed uint64 // the highest id found in tables
	giving  bool   // the second pass
	at      string // the file that is being read
}

// trace is the newest that is known of a job's record.
type trace struct {
	seq     uint64
	deleted bool
	given   bool
}

type update struct {
	seq   uint64
	value []byte // nil for a deleted one
}

// damaged reports a file that cannot be read, or a part of it. The second pass meets
// the same damage as the first.
func (s *salvage) damaged(file string, err error) {
	if s.giving {
		return
	}
	text := strings.TrimPrefix(explain(err).Error(), "storage: ")
	if !strings.Contains(text, file) {
		text = file + ": " + text
	}
	if slices.Contains(s.result.Damaged, text) {
		return // a log is read more than once
	}
	s.result.Damaged = append(s.result.Damaged, text)
}

func (s *salvage) damagedf(file, format string, args ...any) {
	s.damaged(file, damaged(file, format, args...))
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
	fs := s.dir.fs
	var generation string
	m, ok, err := s.dir.readManifest()
	s.queued = !ok || m.Format >= queueFormat
	switch {
	case errors.Is(err, ErrVersion):
		return nil, err
	case ok && m.Filling:
		return nil, dirError(s.dir.path, ErrUnfinished, "an import into it did not finish: repeat it")
	case ok:
		generation = s.dir.generation(m.Generation)
	default:
		names, listErr := fs.List(s.dir.path)
		if listErr != nil {
			return nil, fmt.Errorf("storage: %w", listErr)
		}
		names = slices.DeleteFunc(names, func(n string) bool { return !strings.HasPrefix(n, genPrefix) })
		if len(names) == 0 {
			return nil, dirError(s.dir.path, ErrForeign, "it has no %s* in it", genPrefix)
		}
		if path := s.dir.join(manifestName); err != nil {
			s.damaged(path, err)
		} else {
			s.damagedf(path, "it is missing")
		}
		generation = s.dir.join(slices.Max(names))
	}
	names, err := fs.List(generation)
	if err != nil && !isNotExist(err) {
		return nil, fmt.Errorf("storage: %w", err)
	}
	for i := range m.Shards {
		if path := s.dir.shard(m.Generation, i); !slices.Contains(names, fs.PathBase(path)) {
			s.damagedf(path, "it is missing")
			s.hole(1, math.MaxUint64)
			s.queueHole()
		}
	}
	names = slices.DeleteFunc(names, func(n string) bool { return !strings.HasPrefix(n, shardPrefix) })
	slices.Sort(names)
	for i, n := range names {
		names[i] = fs.PathJoin(generation, n)
	}
	return names, nil
}

// shard reads everything twice: to learn what is newest, and to give it out.
func (s *salvage) shard(path string) error {
	names, err := s.dir.fs.List(path)
	if err != nil {
		return err
	}
	slices.Sort(names)
	s.latest, s.updates, s.queues = make(map[uint64]trace), make(map[uint64]update), make(map[string]queueTrace)
	s.bodies, s.flushed, s.giving = make(map[uint64][]string), 0, false
	s.doubts = doubts{}
	s.hear(path, names)
	for _, name := range names {
		file := s.dir.fs.PathJoin(path, name)
		if err := s.file(file, s.learn); err != nil {
			s.damaged(file, err)
		}
	}
	s.giving = true
	for _, name := range names {
		err := s.file(s.dir.fs.PathJoin(path, name), s.give)
		if stop := (stopped{}); errors.As(err, &stop) {
			return stop.error
		}
	}
	return s.giveQueues()
}

// stopped is an error of the caller's function, which ends the salvage.
type stopped struct{ error }

// visit gets one entry of a file.
type visit func(kind pebble.InternalKeyKind, seq uint64, key, value []byte) error

func (s *salvage) file(path string, fn visit) error {
	base := s.dir.fs.PathBase(path)
	table, isTable := numbered(base, "", ".sst")
	if !isTable || !s.tableCounts(table) {
		return nil // Pebble's own, or left behind
	}
	f, err := s.dir.fs.Open(path)
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
func (s *salvage) learn(kind pebble.InternalKeyKind, seq uint64, key, value []byte) error {
	if len(key) == pieceKeyLen && key[0] == keyPiece {
		return s.learnPiece(kind, key)
	}
	if len(key) > 0 && key[0] == keyQueue {
		return s.learnQueue(kind, seq, key, value)
	}
	id, err := keyID(key)
	if err != nil {
		return err
	}
	s.result.MaxID = max(s.result.MaxID, id)
	switch key[0] {
	case keyMaxID:
		if highest, err := decodeMaxID(key, value); err == nil && isSet(kind) {
			s.result.MaxID = max(s.result.MaxID, highest)
			s.noteFlushed(highest)
		}
	case keyRecord:
		s.seen.add(id)
		s.noteFlushed(id)
		if t, ok := s.latest[id]; !ok || seq > t.seq {
			s.latest[id] = trace{seq: seq, deleted: !isSet(kind)}
		}
	case keyUpdate:
		if u, ok := s.updates[id]; !ok || seq > u.seq {
			u = update{seq: seq}
			if isSet(kind) {
				u.value = bytes.Clone(value)
			}
			s.updates[id] = u
		}
	}
	return nil
}

// noteFlushed notes an id that a table has, other than of a large body, which is in a
// table before its job is in a log.
func (s *salvage) noteFlushed(id uint64) {
	if strings.HasSuffix(s.at, ".sst") {
		s.flushed = max(s.flushed, id)
	}
}

// give calls the caller's function for a record that is the newest of its job.
func (s *salvage) give(kind pebble.InternalKeyKind, seq uint64, key, value []byte) error {
	id, err := keyID(key)
	if err != nil || key[0] != keyRecord || !isSet(kind) {
		return nil // a key that is none has been told of by learn
	}
	t := s.latest[id]
	if t.deleted || t.given || t.seq != seq {
		return nil
	}
	var j storage.Job
	r, err := decodeRecord(key, value, &j)
	if errors.Is(err, ErrVersion) {
		return stopped{err}
	}
	t.given = true
	s.latest[id] = t
	if err != nil {
		s.lost("job %d cannot be read: %v", id, err)
		return nil
	}
	j.Tube = string(r.tube)
	if u := s.updates[id]; u.value != nil {
		put, updateKey := j, makeKey(keyUpdate, id)
		tube, err := decodeUpdate(updateKey[:], u.value, &j)
		switch {
		case errors.Is(err, ErrVersion):
			return stopped{err}
		case err != nil:
			s.lost("job %d is as it was put: what was noted later cannot be read: %v", id, err)
			j = put
		case tube != nil:
			j.Tube = string(tube)
		}
	}
	if r.apart {
		if r.body, err = s.body(&j, r.sum); err != nil {
			s.lost("job %d is left out: %v", id, err)
			return nil
		}
	}
	if s.doubts.about(id, seq) {
		s.result.MayBeBack++
	}
	s.result.Jobs++
	if err := s.fn(&j, r.body); err != nil {
		return stopped{err}
	}
	return nil
}
