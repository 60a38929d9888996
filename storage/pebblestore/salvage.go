package pebblestore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"beanfield/storage"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/batchrepr"
	"github.com/cockroachdb/pebble/v2/record"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// Salvaged says what Salvage found.
type Salvaged struct {
	Jobs    int      // given to fn
	Files   int      // tables and logs read
	Damaged []string // what could not be read, with the file's name and the reason
	// MaxID is the highest id that any readable part tells of, be it of a job
	// that is deleted or cannot be read: new ids must be above it.
	MaxID uint64
}

// Salvage reads what is readable of a damaged data directory, which no process
// may have in use, and changes nothing there. It does not ask Pebble's own
// manifest, which may be what is damaged, but reads all tables and logs one by
// one, stepping over blocks with wrong checksums, and believes the newest trace
// of each job. So a job whose delete was in a damaged part may come back, and
// one whose update was may come back in an older state: a salvaged store keeps
// "never lost" as far as it can, not "never back".
//
// fn gets the jobs in no particular order; job and body are valid only during
// the call. Put them in an Intake, and finish that with MaxID.
func Salvage(dir string, fs vfs.FS, fn func(j *storage.Job, body []byte) error) (Salvaged, error) {
	if fs == nil {
		fs = vfs.Default
	}
	s := &salvage{dir: &directory{fs: fs, path: dir}, fn: fn}
	shards, err := s.shards()
	if err != nil {
		return s.result, err
	}
	for _, path := range shards {
		if err := s.shard(path); err != nil {
			return s.result, fmt.Errorf("storage: salvage %s: %w", path, err)
		}
	}
	return s.result, nil
}

type salvage struct {
	dir    *directory
	fn     func(*storage.Job, []byte) error
	result Salvaged

	// Of the shard at hand.
	latest  map[uint64]trace
	updates map[uint64]update
	bodies  map[uint64][]string // tables with pieces of a job's body
	lost    []string            // bodies that are not whole, with the reason
	at      string              // the file that is being read
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

func (s *salvage) damaged(file string, err error) {
	s.result.Damaged = append(s.result.Damaged, fmt.Sprintf("%s: %v", file, err))
}

// shards finds the directories of the generation that counts: the manifest's,
// or the newest if there is no telling.
func (s *salvage) shards() ([]string, error) {
	fs := s.dir.fs
	var generation string
	if m, ok, err := s.dir.readManifest(); errors.Is(err, ErrVersion) {
		return nil, err
	} else if ok && m.Filling {
		return nil, dirError(s.dir.path, ErrUnfinished, "an import into it did not end: repeat that")
	} else if ok {
		generation = s.dir.generation(m.Generation)
	} else {
		s.damaged(s.dir.join(manifestName), err)
		names, err := fs.List(s.dir.path)
		if err != nil {
			return nil, fmt.Errorf("storage: %w", err)
		}
		names = slices.DeleteFunc(names, func(n string) bool { return !strings.HasPrefix(n, genPrefix) })
		if len(names) == 0 {
			return nil, dirError(s.dir.path, ErrForeign, "it has no %s* in it", genPrefix)
		}
		generation = s.dir.join(slices.Max(names))
	}
	names, err := fs.List(generation)
	if err != nil {
		return nil, fmt.Errorf("storage: %w", err)
	}
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
	s.latest, s.updates = make(map[uint64]trace), make(map[uint64]update)
	s.bodies, s.lost = make(map[uint64][]string), nil
	for _, name := range names {
		file := s.dir.fs.PathJoin(path, name)
		if err := s.file(file, s.learn); err != nil {
			s.damaged(file, err)
		}
	}
	known := len(s.result.Damaged) // the second pass meets the same damage
	defer func() { s.result.Damaged = append(s.result.Damaged[:known], s.lost...) }()
	for _, name := range names {
		err := s.file(s.dir.fs.PathJoin(path, name), s.give)
		if stop := (stopped{}); errors.As(err, &stop) {
			return stop.error
		}
	}
	return nil
}

// stopped is an error of the caller's function, which ends the salvage.
type stopped struct{ error }

// visit gets one entry of a file.
type visit func(kind pebble.InternalKeyKind, seq uint64, key, value []byte) error

func (s *salvage) file(path string, fn visit) error {
	base, ext, _ := strings.Cut(s.dir.fs.PathBase(path), ".")
	n, err := strconv.ParseUint(base, 10, 64)
	if err != nil || (ext != "sst" && ext != "log") {
		return nil // Pebble's own
	}
	f, err := s.dir.fs.Open(path)
	if err != nil {
		return err
	}
	s.result.Files++
	s.at = path
	if ext == "log" {
		return errors.Join(s.logFile(f, n, fn), f.Close())
	}
	return s.table(path, f, fn)
}

// logBlock is the size of the blocks that a log is framed in: after damage,
// reading can begin again at the next one.
const logBlock = 32 << 10

// logFile reads a log up to its end, stepping over damaged blocks. Behind the
// end there may be what is left of an older log, which tells itself by its
// number.
func (s *salvage) logFile(f vfs.File, number uint64, fn visit) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	for start := int64(0); start < info.Size(); {
		r := newLogReader(record.NewReader, io.NewSectionReader(f, start, info.Size()-start), number)
		at, err := s.records(r, fn)
		if err == nil || errors.As(err, new(stopped)) {
			return err
		}
		start += at - at%logBlock + logBlock
		s.damaged(fmt.Sprintf("log %06d before byte %d", number, start), err)
	}
	return nil
}

// records reads as far as it goes, and says how far that was.
func (s *salvage) records(r *record.Reader, fn visit) (at int64, err error) {
	var buf bytes.Buffer
	for {
		at = r.Offset()
		rec, err := r.Next()
		if err == nil {
			buf.Reset()
			_, err = io.Copy(&buf, rec)
		}
		if errors.Is(err, io.EOF) || errors.Is(err, record.ErrUnexpectedEOF) {
			return at, nil
		}
		if err != nil {
			return at, err
		}
		header, ok := batchrepr.ReadHeader(buf.Bytes())
		if !ok {
			return at, fmt.Errorf("%w: batch header", storage.ErrCorrupt)
		}
		if err := s.batch(uint64(header.SeqNum), batchrepr.Read(buf.Bytes()), fn); err != nil {
			return at, err
		}
	}
}

// newLogReader calls open with a number of the type it wants, which Pebble keeps
// to itself.
func newLogReader[N ~uint64](open func(io.Reader, N) *record.Reader, f io.Reader, number uint64) *record.Reader {
	return open(f, N(number))
}

func (s *salvage) batch(seq uint64, r batchrepr.Reader, fn visit) error {
	for ; ; seq++ {
		kind, key, value, ok, err := r.Next()
		if err != nil || !ok {
			return err
		}
		switch kind {
		case pebble.InternalKeyKindLogData:
			seq-- // it takes no number
			continue
		case pebble.InternalKeyKindIngestSST:
			continue // it names a table, which is read as such
		}
		if err := fn(kind, seq, key, value); err != nil {
			return err
		}
	}
}

// openTable takes the file over, also when it fails.
func openTable(f vfs.File) (*sstable.Reader, error) {
	readable, err := sstable.NewSimpleReadable(f)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	var o pebble.Options
	o.EnsureDefaults()
	r, err := sstable.NewReader(context.Background(), readable, o.MakeReaderOptions())
	if err != nil {
		return nil, errors.Join(err, readable.Close())
	}
	return r, nil
}

func (s *salvage) table(path string, f vfs.File, fn visit) error {
	r, err := openTable(f)
	if err != nil {
		return err
	}
	defer r.Close()
	from, step := []byte{0}, uint64(1)
	for {
		last, err := walkTable(r, from, fn)
		if stop := (stopped{}); err == nil || errors.As(err, &stop) {
			return err
		}
		s.damaged(path, err)
		// Step over the damage: to the next id, then twice as far each time.
		if last != nil {
			from, step = last, 1
		}
		if from = beyond(from, step); from == nil {
			return nil
		}
		step *= 2
	}
}

// walkTable visits the entries from a key on, and returns the last one's key.
func walkTable(r *sstable.Reader, from []byte, fn visit) (last []byte, err error) {
	it, err := r.NewIter(sstable.NoTransforms, nil, nil, sstable.AssertNoBlobHandles)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	for kv := it.SeekGE(from, 0); kv != nil; kv = it.Next() {
		value, _, err := kv.Value(nil)
		if err != nil {
			return last, err
		}
		last = append(last[:0], kv.K.UserKey...)
		if err := fn(kv.Kind(), uint64(kv.SeqNum()), kv.K.UserKey, value); err != nil {
			return last, err
		}
	}
	return last, it.Error()
}

// beyond is a key so many ids after another, or nil at the end.
func beyond(key []byte, step uint64) []byte {
	if len(key) == pieceKeyLen {
		key = key[:keyLen]
	}
	id, err := keyID(key)
	if err != nil {
		id, key = 0, []byte{keyMaxID}
	}
	kind := key[0]
	if id+step < id || step == 0 {
		if kind >= keyPiece { // the last one
			return nil
		}
		kind, id, step = kind+1, 0, 0
	}
	next := makeKey(kind, id+step)
	return next[:]
}

func isSet(kind pebble.InternalKeyKind) bool {
	return kind == pebble.InternalKeyKindSet || kind == pebble.InternalKeyKindSetWithDelete
}

// learn notes what is newest.
func (s *salvage) learn(kind pebble.InternalKeyKind, seq uint64, key, value []byte) error {
	if len(key) == pieceKeyLen && key[0] == keyPiece {
		return s.learnPiece(kind, key)
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
		}
	case keyRecord:
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
	if err == nil {
		j.Tube = string(r.tube)
		if u := s.updates[id]; u.value != nil {
			updateKey := makeKey(keyUpdate, id)
			err = decodeUpdate(updateKey[:], u.value, &j)
		}
	}
	if errors.Is(err, ErrVersion) {
		return stopped{err}
	}
	if err != nil {
		return nil // unreadable in spite of the block's right checksum
	}
	t.given = true
	s.latest[id] = t
	if r.apart {
		if r.body, err = s.body(&j, r.sum); err != nil {
			s.lost = append(s.lost, fmt.Sprintf("%s: %v", s.at, err))
			return nil
		}
	}
	s.result.Jobs++
	if err := s.fn(&j, r.body); err != nil {
		return stopped{err}
	}
	return nil
}
