package pebblestore

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"beanfield/storage/pebblestore/ondisk"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/batchrepr"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// walkedLog is a log that was read.
type walkedLog struct {
	logSeen
	last  uint64 // the highest id that was put before the first gap
	limit int64  // what ends behind it does not count
}

// surveyLogs learns how far the logs that count reach, and what they name.
func (s *salvage) surveyLogs() {
	for _, name := range s.witness.names {
		number, ok := numbered(name, "", ".log")
		if !ok || !s.logCounts(number) {
			continue
		}
		l := walkedLog{logSeen: logSeen{number: number, path: s.witness.path("%s", name)}}
		if err := s.survey(&l); err != nil {
			s.damaged(l.path, err)
			s.logHole(l.last+1, true)
		}
		s.walked = append(s.walked, l)
	}
	for i := range s.walked {
		if l := &s.walked[i]; l.shape.Good >= s.claim(i) {
			l.limit = l.shape.Good // as for a server, this is where the log ends
		} else {
			l.limit = math.MaxInt64
		}
	}
}

func (s *salvage) survey(l *walkedLog) error {
	f, err := s.dir.fs.Open(l.path)
	if err != nil {
		return err
	}
	l.shape, err = s.records(f, l.number, func(r *ondisk.Record) error {
		header, _ := batchrepr.ReadHeader(r.Payload)
		st, stamped, tables, err := stampOf(r.Payload)
		if stamped && err == nil {
			s.witness.claim(st.synced)
		}
		for _, n := range tables {
			s.named[n] = true
		}
		s.doubts.batch(uint64(header.SeqNum), header.Count)
		return s.batch(0, batchrepr.Read(r.Payload), func(kind pebble.InternalKeyKind, _ uint64, key, _ []byte) error {
			if id, err := keyID(key); err == nil && key[0] == keyRecord && isSet(kind) && !r.Broken {
				l.last = max(l.last, id)
			}
			return nil
		})
	})
	return errors.Join(err, f.Close())
}

// records visits what seem to be the batches of a log, up to its end, and goes on after damage.
// After the end there may be remains of an older log.
func (s *salvage) records(f vfs.File, number uint64, fn func(r *ondisk.Record) error) (ondisk.Shape, error) {
	info, err := f.Stat()
	if err != nil {
		return ondisk.Shape{}, err
	}
	return ondisk.Log(f, info.Size(), number, func(r *ondisk.Record) error {
		if _, ok := batchrepr.ReadHeader(r.Payload); !ok {
			return nil // an empty one
		}
		st, stamped, _, err := stampOf(r.Payload)
		if r.Guessed && (!stamped || err != nil || st.key != s.witness.mark.key) {
			return nil // perhaps a body that looks like a piece of a log
		}
		return fn(r)
	})
}

// logFile visits the entries of a log that count.
func (s *salvage) logFile(f vfs.File, number uint64, fn visit) error {
	i := slices.IndexFunc(s.walked, func(l walkedLog) bool { return l.number == number })
	_, err := s.records(f, number, func(r *ondisk.Record) error {
		if r.End > s.walked[i].limit {
			return nil
		}
		header, _ := batchrepr.ReadHeader(r.Payload)
		return s.batch(uint64(header.SeqNum), batchrepr.Read(r.Payload), fn)
	})
	return err
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

// claim is how far a log reached, at least.
func (s *salvage) claim(i int) int64 {
	if i < len(s.walked)-1 && !s.walked[i].shape.Ended {
		return math.MaxInt64 // a newer log tells that this one was whole
	}
	return s.witness.claims[s.walked[i].number]
}

// judgeLogs reports which parts of the logs cannot be read although they were on disk.
func (s *salvage) judgeLogs() {
	for i, l := range s.walked {
		claim := s.claim(i)
		if l.shape.Good >= claim {
			continue
		}
		for _, g := range l.shape.Gaps {
			if g.From < claim {
				s.damagedf(l.path, "bytes %d to %d cannot be read", g.From, g.To)
			}
		}
		if l.shape.Tail < claim {
			s.damagedf(l.path, "it cannot be read from byte %d on%s", l.shape.Tail, upTo(claim))
		}
		s.logHole(l.last+1, i == len(s.walked)-1 && l.shape.Tail < claim)
	}
	for _, number := range slices.Sorted(maps.Keys(s.witness.claims)) {
		there := slices.ContainsFunc(s.walked, func(l walkedLog) bool { return l.number == number })
		if claim := s.witness.claims[number]; claim > 0 && !there && s.mustBeThere(number) {
			s.damagedf(s.witness.path("%06d.log", number), "it is missing, and had %d bytes", claim)
			s.logHole(s.flushed+1, !slices.ContainsFunc(s.walked, func(l walkedLog) bool { return l.number > number }))
		}
	}
	s.doubts.lossy = s.doubts.lossy || s.witness.manifest == nil
}

// mustBeThere says whether a log cannot have been removed. The newest never is.
func (s *salvage) mustBeThere(number uint64) bool {
	return s.logCounts(number) && (s.witness.manifest != nil || number == slices.Max(slices.Collect(maps.Keys(s.witness.claims))))
}

// logHole notes that jobs from an id on may have been in what cannot be read of the logs, and
// deletes of any job. cut says that it was the end of the newest one.
func (s *salvage) logHole(from uint64, cut bool) {
	s.hole(from, math.MaxUint64)
	s.queueHole()
	s.doubts.lossy, s.doubts.cut = true, s.doubts.cut || cut
}

func upTo(claim int64) string {
	if claim == math.MaxInt64 {
		return ""
	}
	return fmt.Sprintf(", and had been synced up to byte %d", claim)
}
