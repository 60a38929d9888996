package pebblestore

import (
	"fmt"
	"math"
	"slices"

	"beanfield/storage/pebblestore/ondisk"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/batchrepr"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// logFile reads a log up to its end, and goes on after damage. After the end there may
// be remains of an older log.
func (s *salvage) logFile(f vfs.File, number uint64, fn visit) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	last := uint64(0) // the highest id that was put before the first gap
	shape, err := ondisk.Log(f, info.Size(), number, func(r *ondisk.Record) error {
		header, ok := batchrepr.ReadHeader(r.Payload)
		if !ok {
			return nil // an empty one
		}
		if st, stamped, _, err := stampOf(r.Payload); err == nil && stamped {
			if r.Guessed && st.key != s.witness.mark.key {
				return nil // perhaps a body that looks like a piece of a log
			}
			s.witness.claim(st.synced)
		} else if r.Guessed {
			return nil
		}
		return s.batch(uint64(header.SeqNum), batchrepr.Read(r.Payload), func(kind pebble.InternalKeyKind, seq uint64, key, value []byte) error {
			if id, err := keyID(key); err == nil && key[0] == keyRecord && isSet(kind) && !r.Broken {
				last = max(last, id)
			}
			return fn(kind, seq, key, value)
		})
	})
	s.walked = append(s.walked, walkedLog{logSeen{number, s.at, shape}, last})
	return err
}

// walkedLog is a log that was read.
type walkedLog struct {
	logSeen
	last uint64 // the highest id that was put before the first gap
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

// judgeLogs reports which parts of the logs cannot be read although they were on disk.
func (s *salvage) judgeLogs() {
	counts := func(number uint64) bool {
		return s.witness.manifest == nil || number >= s.witness.manifest.MinLog
	}
	for i, l := range s.walked {
		claim := s.witness.claims[l.number]
		if i < len(s.walked)-1 && !l.shape.Ended {
			claim = math.MaxInt64 // a newer log tells that this one was whole
		}
		if !counts(l.number) || l.shape.Good >= claim {
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
		s.hole(l.last+1, math.MaxUint64)
		s.queueHole()
	}
	for number, claim := range s.witness.claims {
		there := slices.ContainsFunc(s.walked, func(l walkedLog) bool { return l.number == number })
		if s.witness.manifest != nil && claim > 0 && counts(number) && !there {
			s.damagedf(s.witness.path("%06d.log", number), "it is missing, and had %d bytes", claim)
			s.hole(s.flushed+1, math.MaxUint64)
			s.queueHole()
		}
	}
}

func upTo(claim int64) string {
	if claim == math.MaxInt64 {
		return ""
	}
	return fmt.Sprintf(", and had been synced up to byte %d", claim)
}
