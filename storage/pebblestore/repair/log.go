package repair

import (
	"bytes"
	"errors"
	"io"
	"math"
	"strings"

	"beanfield/storage"
	"beanfield/storage/locallog"
	"beanfield/storage/pebblestore/format"
	"beanfield/storage/turns"

	"github.com/cockroachdb/pebble/v2"
)

// salvagedLog is the log of a shard whose tables have been read.
type salvagedLog struct {
	dir    string
	slots  []string
	place  turns.Place // of the store, the newest that can be read
	placed uint64      // its rank and 1; 0 for none

	survey  bool   // it is being found out from where on the log is whole
	telling bool   // and what is missing behind the place
	remains bool   // older turns count too
	record  uint64 // that is being read; 0 while tables are
	rank    uint64 // of the last operation
	put     uint64 // the highest id of a job that was put, but for those with large bodies
	random  bool   // jobs were put in another order than that of their ids
	gap     uint64 // from this id on, jobs may have been in what is missing; 0 for none
}

// SlotSuffix ends the names of the log's files.
const SlotSuffix = ".turns"

// logRank is above the ranks of tables.
const logRank = 1 << 62

func (l *salvagedLog) learnPlace(rank uint64, key, value []byte) error {
	p, err := format.DecodePlace(key, value)
	if err == nil && rank+1 > l.placed {
		l.place, l.placed = p, rank+1
	}
	return err
}

// learnPut returns the record in which a job is put. A large body gets its id long before
// its job is put.
func (l *salvagedLog) learnPut(id uint64, apart bool) uint64 {
	switch {
	case storage.HopsOf(id) > 0: // it was put in another shard, and came when it came
		l.random = l.random || l.telling && l.placed > 0
	case !apart:
		l.random = l.random || l.telling && l.placed > 0 && id < l.put
		l.put = max(l.put, id)
	}
	return l.record
}

// learnLog reads the log behind the place of the store. If the store is not sound, it reads
// older turns too, which the store had folded: jobs that it has lost may be there. Of
// these it takes only what is there with all that came later, since a delete that was
// overwritten would bring its job back.
func (s *salvage) learnLog(sound bool) {
	l := &s.log
	names, _ := s.dir.FS.List(l.dir) // if it is missing, locallog says so
	for _, name := range names {
		if strings.HasSuffix(name, SlotSuffix) {
			l.slots = append(l.slots, s.dir.FS.PathJoin(l.dir, name))
		}
	}
	s.result.Files += len(l.slots)
	if l.placed == 0 {
		s.damagedf(l.dir, "nothing tells how far the store has folded this log, so all of it is used")
		l.place.Origin = s.origin()
	}
	l.telling = true
	_ = s.readLog(l.place, s.learn) // nothing ends a salvage that only learns
	l.telling = false
	if l.remains = !sound && l.placed > 0; l.remains {
		_ = s.readLog(turns.Place{Origin: l.place.Origin}, nil)
		_ = s.readLog(turns.Place{Origin: l.place.Origin}, s.learn)
	}
	if l.gap == 0 {
		return
	}
	if l.random {
		l.gap = 1
	}
	s.hole(l.gap, math.MaxUint64)
	for id := range s.bodies {
		if !s.seen.has(id) {
			s.hole(id, id)
		}
	}
}

func (s *salvage) giveLog() error {
	err := s.readLog(s.log.place, s.give)
	if err == nil && s.log.remains {
		err = s.readLog(turns.Place{Origin: s.log.place.Origin}, s.give)
	}
	return err
}

// readLog visits the operations of the log behind a place; of what is before the store's, only
// what is whole. Without fn it finds out what that is. It returns only an error that ends
// the salvage.
func (s *salvage) readLog(from turns.Place, fn visit) error {
	l := &s.log
	s.at, l.rank = l.dir, max(l.rank, logRank)
	l.survey = l.telling || fn == nil
	if l.survey {
		s.doubts.whole = 0
	}
	stop := stopped{}
	err := locallog.Salvage(s.dir.FS, l.dir, from, func(number uint64, b []byte) error {
		l.record = number
		if l.survey {
			s.doubts.whole = min(s.doubts.whole, number)
		}
		if fn == nil || from != l.place && number < s.doubts.whole {
			return nil
		}
		err := l.operations(b, fn)
		if err != nil && !errors.As(err, &stop) {
			s.logDamaged(l.dir, -1, err.Error())
			return nil
		}
		return err
	}, s.logDamaged)
	if fn == nil && l.record < l.place.Number {
		s.doubts.whole = math.MaxUint64 // newer ones had been there, and left when the store had them
	}
	if err == nil || errors.As(err, &stop) {
		return stop.error
	}
	s.logDamaged(l.dir, -1, err.Error())
	return nil
}

// operations visits those of turns as if they were entries of a table.
func (l *salvagedLog) operations(b []byte, fn visit) error {
	for len(b) > 0 {
		op, n, err := turns.NextOp(b)
		if err != nil {
			return err
		}
		b = b[n:]
		if op.Kind == turns.Members {
			continue // it is the cluster's, which has it elsewhere
		}
		l.rank++
		kind, key := pebble.InternalKeyKindSet, format.Key(format.KeyRecord, op.ID)
		k := key[:]
		switch op.Kind {
		case turns.Update:
			k[0] = format.KeyUpdate
		case turns.Delete:
			kind = pebble.InternalKeyKindSingleDelete
		case turns.Piece:
			piece := format.PieceKey(op.ID, int(op.N))
			k = piece[:]
		case turns.SetQueue:
			k = format.QueueKey(string(op.Name))
		case turns.DropQueue:
			k, kind = format.QueueKey(string(op.Name)), pebble.InternalKeyKindDelete
		case turns.Raise:
			format.PutKey(k, format.KeyMaxID, 0)
			op.Value = format.MaxIDValue(op.ID)
		}
		if err := fn(kind, l.rank, k, op.Value); err != nil {
			return err
		}
	}
	return nil
}

// logDamaged notes that something of the log is missing between the record that was read last
// and the next one.
func (s *salvage) logDamaged(file string, at int64, why string) {
	if s.log.survey {
		s.doubts.whole = math.MaxUint64
	}
	if !s.log.telling {
		return
	}
	if at < 0 {
		s.damaged(file, errors.New(why))
	} else {
		s.damagedf(file, "%s: byte %d", why, at)
	}
	s.doubts.lossy, s.result.QueuesInDoubt = true, true
	if s.log.gap == 0 {
		s.log.gap = s.log.put + 1
	}
}

// origin finds out whose records are in the log.
func (s *salvage) origin() uint64 {
	for _, path := range s.log.slots {
		f, err := s.dir.FS.Open(path)
		if err != nil {
			continue
		}
		b, err := io.ReadAll(f)
		if err = errors.Join(err, f.Close()); err != nil {
			continue
		}
		for at := bytes.Index(b, []byte(turns.Magic)); at >= 0; at = bytes.Index(b, []byte(turns.Magic)) {
			if r, _, _, err := turns.Decode(b[at:]); err == nil {
				return r.Origin
			}
			b = b[at+1:]
		}
	}
	return 0
}
