package format

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"beanfield/storage"

	"github.com/cockroachdb/pebble/v2"
)

// Scan walks through the jobs of a database in the order of their ids, reading
// records and updates side by side: two sequential passes, no point reads, and
// whatever has been deleted is met at most once.
type Scan struct {
	from             pebble.Reader
	Records, Updates *pebble.Iterator
	tubes            map[string]string
	Job              storage.Job
	Content          Content
	matched          uint64 // the last job that had an update; the scan may still be at that update
	orphans          []uint64
}

func NewScan(r pebble.Reader) (*Scan, error) {
	records, err := r.NewIter(KindRange(KeyRecord))
	if err != nil {
		return nil, err
	}
	updates, err := r.NewIter(KindRange(KeyUpdate))
	if err != nil {
		return nil, errors.Join(err, records.Close())
	}
	return &Scan{from: r, Records: records, Updates: updates, tubes: make(map[string]string)}, nil
}

func (s *Scan) Close() error {
	return errors.Join(s.Records.Close(), s.Updates.Close())
}

func (s *Scan) First() (bool, error) {
	s.Updates.First()
	return s.load(s.Records.First())
}

func (s *Scan) Next() (bool, error) { return s.load(s.Records.Next()) }

// seek goes to one job, which is there. It tries the next one first: buried jobs
// are often in the order of their ids.
func (s *Scan) seek(id uint64) error {
	key := Key(KeyRecord, id)
	if !s.Records.Valid() || !s.Records.Next() || string(s.Records.Key()) != string(key[:]) {
		s.Records.SeekGE(key[:])
	}
	PutKey(key[:], KeyUpdate, id)
	if !s.Updates.Valid() || string(s.Updates.Key()) > string(key[:]) ||
		(string(s.Updates.Key()) != string(key[:]) && !s.Updates.Next()) ||
		string(s.Updates.Key()) != string(key[:]) {
		s.Updates.SeekGE(key[:])
	}
	found, err := s.load(s.Records.Valid())
	if err == nil && (!found || s.Job.ID != id) {
		err = fmt.Errorf("%w: job %d is gone", storage.ErrCorrupt, id)
	}
	return err
}

// load decodes the record that the scan is at, and the update with its id.
func (s *Scan) load(valid bool) (bool, error) {
	if !valid {
		if err := s.Records.Error(); err != nil {
			return false, err
		}
		for s.Updates.Valid() {
			if err := s.orphan(); err != nil {
				return false, err
			}
		}
		return false, s.Updates.Error()
	}
	key := s.Records.Key()
	value, err := s.Records.ValueAndErr()
	if err != nil {
		return false, err
	}
	if s.Content, err = DecodeRecord(key, value, &s.Job); err != nil {
		id, _ := KeyID(key)
		return false, fmt.Errorf("job %d: %w", id, err)
	}
	s.Job.Tube = s.intern(s.Content.Tube)
	return true, s.merge()
}

// Body is that of the job that the scan is at.
func (s *Scan) Body() ([]byte, error) {
	if s.Content.Apart {
		return ReadPieces(s.from, &s.Job, s.Content.Sum, nil)
	}
	return s.Content.Body, nil
}

func (s *Scan) merge() error {
	for s.Updates.Valid() {
		id, err := KeyID(s.Updates.Key())
		switch {
		case err != nil:
			return err
		case id > s.Job.ID:
			return nil
		case id < s.Job.ID:
			if err := s.orphan(); err != nil {
				return err
			}
			continue
		}
		value, err := s.Updates.ValueAndErr()
		if err != nil {
			return err
		}
		tube, err := DecodeUpdate(s.Updates.Key(), value, &s.Job)
		if err != nil {
			return fmt.Errorf("update of job %d: %w", id, err)
		}
		if tube != nil {
			s.Job.Tube = s.intern(tube)
		}
		s.matched = id
		return nil
	}
	return s.Updates.Error()
}

// orphan steps over an update that no record has: one that belongs to the record
// before is none.
func (s *Scan) orphan() error {
	id, err := KeyID(s.Updates.Key())
	if id != s.matched {
		s.orphans = append(s.orphans, id)
	}
	s.Updates.Next()
	return err
}

// intern returns one string for all jobs of a tube.
func (s *Scan) intern(tube []byte) string {
	if name, ok := s.tubes[string(tube)]; ok {
		return name
	}
	name := string(tube)
	s.tubes[name] = name
	return name
}

// InReplayOrder calls seen for every job of a database, in the order of their ids, and
// give for every job in the order of a replay. It returns the updates without a record.
func InReplayOrder(r pebble.Reader, seen, give func(s *Scan) error) (orphans []uint64, err error) {
	s, err := NewScan(r)
	if err != nil {
		return nil, err
	}
	defer func() {
		// After an error, closing the scan returns the same one.
		if closing := s.Close(); err == nil {
			err = closing
		}
	}()
	type rankedJob struct{ rank, id uint64 }
	var buried []rankedJob
	found, err := s.First()
	for ; found && err == nil; found, err = s.Next() {
		if err := seen(s); err != nil {
			return nil, err
		}
		if s.Job.State == storage.Buried {
			buried = append(buried, rankedJob{s.Job.BuryRank, s.Job.ID})
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
