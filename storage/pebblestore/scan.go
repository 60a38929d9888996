package pebblestore

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"beanfield/storage"
	"beanfield/storage/pebblestore/format"

	"github.com/cockroachdb/pebble/v2"
)

// scan walks through the jobs of a database in the order of their ids, reading
// records and updates side by side: two sequential passes, no point reads, and
// whatever has been deleted is met at most once.
type scan struct {
	from             pebble.Reader
	records, updates *pebble.Iterator
	tubes            map[string]string
	job              storage.Job
	content          format.Content
	matched          uint64 // the last job that had an update; the scan may still be at that update
	orphans          []uint64
}

func newScan(r pebble.Reader) (*scan, error) {
	records, err := r.NewIter(kindRange(format.KeyRecord))
	if err != nil {
		return nil, err
	}
	updates, err := r.NewIter(kindRange(format.KeyUpdate))
	if err != nil {
		return nil, errors.Join(err, records.Close())
	}
	return &scan{from: r, records: records, updates: updates, tubes: make(map[string]string)}, nil
}

func (s *scan) close() error {
	return errors.Join(s.records.Close(), s.updates.Close())
}

func (s *scan) first() (bool, error) {
	s.updates.First()
	return s.load(s.records.First())
}

func (s *scan) next() (bool, error) { return s.load(s.records.Next()) }

// seek goes to one job, which is there. It tries the next one first: buried jobs
// are often in the order of their ids.
func (s *scan) seek(id uint64) error {
	key := format.Key(format.KeyRecord, id)
	if !s.records.Valid() || !s.records.Next() || string(s.records.Key()) != string(key[:]) {
		s.records.SeekGE(key[:])
	}
	format.PutKey(key[:], format.KeyUpdate, id)
	if !s.updates.Valid() || string(s.updates.Key()) > string(key[:]) ||
		(string(s.updates.Key()) != string(key[:]) && !s.updates.Next()) ||
		string(s.updates.Key()) != string(key[:]) {
		s.updates.SeekGE(key[:])
	}
	found, err := s.load(s.records.Valid())
	if err == nil && (!found || s.job.ID != id) {
		err = fmt.Errorf("%w: job %d is gone", storage.ErrCorrupt, id)
	}
	return err
}

// load decodes the record that the scan is at, and the update with its id.
func (s *scan) load(valid bool) (bool, error) {
	if !valid {
		if err := s.records.Error(); err != nil {
			return false, err
		}
		for s.updates.Valid() {
			if err := s.orphan(); err != nil {
				return false, err
			}
		}
		return false, s.updates.Error()
	}
	key := s.records.Key()
	value, err := s.records.ValueAndErr()
	if err != nil {
		return false, err
	}
	if s.content, err = format.DecodeRecord(key, value, &s.job); err != nil {
		id, _ := format.KeyID(key)
		return false, fmt.Errorf("job %d: %w", id, err)
	}
	s.job.Tube = s.intern(s.content.Tube)
	return true, s.merge()
}

// body is that of the job that the scan is at.
func (s *scan) body() ([]byte, error) {
	if s.content.Apart {
		return readPieces(s.from, &s.job, s.content.Sum, nil)
	}
	return s.content.Body, nil
}

func (s *scan) merge() error {
	for s.updates.Valid() {
		id, err := format.KeyID(s.updates.Key())
		switch {
		case err != nil:
			return err
		case id > s.job.ID:
			return nil
		case id < s.job.ID:
			if err := s.orphan(); err != nil {
				return err
			}
			continue
		}
		value, err := s.updates.ValueAndErr()
		if err != nil {
			return err
		}
		tube, err := format.DecodeUpdate(s.updates.Key(), value, &s.job)
		if err != nil {
			return fmt.Errorf("update of job %d: %w", id, err)
		}
		if tube != nil {
			s.job.Tube = s.intern(tube)
		}
		s.matched = id
		return nil
	}
	return s.updates.Error()
}

// orphan steps over an update that no record has: one that belongs to the record
// before is none.
func (s *scan) orphan() error {
	id, err := format.KeyID(s.updates.Key())
	if id != s.matched {
		s.orphans = append(s.orphans, id)
	}
	s.updates.Next()
	return err
}

// intern returns one string for all jobs of a tube.
func (s *scan) intern(tube []byte) string {
	if name, ok := s.tubes[string(tube)]; ok {
		return name
	}
	name := string(tube)
	s.tubes[name] = name
	return name
}

// inReplayOrder calls seen for every job of a database, in the order of their ids, and
// give for every job in the order of a replay. It returns the updates without a record.
func inReplayOrder(r pebble.Reader, seen, give func(s *scan) error) (orphans []uint64, err error) {
	s, err := newScan(r)
	if err != nil {
		return nil, err
	}
	defer func() {
		// After an error, closing the scan returns the same one.
		if closing := s.close(); err == nil {
			err = closing
		}
	}()
	type rankedJob struct{ rank, id uint64 }
	var buried []rankedJob
	found, err := s.first()
	for ; found && err == nil; found, err = s.next() {
		if err := seen(s); err != nil {
			return nil, err
		}
		if s.job.State == storage.Buried {
			buried = append(buried, rankedJob{s.job.BuryRank, s.job.ID})
			continue
		}
		if err := give(s); err != nil {
			return nil, err
		}
	}
	if err != nil {
		return nil, err
	}
	orphans = s.orphans
	slices.SortFunc(buried, func(a, b rankedJob) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.id, b.id))
	})
	for _, b := range buried {
		if err := s.seek(b.id); err != nil {
			return nil, err
		}
		if err := give(s); err != nil {
			return nil, err
		}
	}
	return orphans, nil
}
