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
	records, updates *pebble.Iterator
	tubes            map[string]string
	Job              storage.Job
	Content          Content
}

func newScan(r pebble.Reader) (*Scan, error) {
	records, err := r.NewIter(KindRange(KeyRecord))
	if err != nil {
		return nil, err
	}
	updates, err := r.NewIter(KindRange(KeyUpdate))
	if err != nil {
		return nil, errors.Join(err, records.Close())
	}
	updates.First()
	return &Scan{from: r, records: records, updates: updates, tubes: make(map[string]string)}, nil
}

// seek goes to one job, which is there. It tries the next one first: buried jobs
// are often in the order of their ids.
func (s *Scan) seek(id uint64) error {
	key := Key(KeyRecord, id)
	if !s.records.Valid() || !s.records.Next() || string(s.records.Key()) != string(key[:]) {
		s.records.SeekGE(key[:])
	}
	PutKey(key[:], KeyUpdate, id)
	if !s.updates.Valid() || string(s.updates.Key()) > string(key[:]) ||
		(string(s.updates.Key()) != string(key[:]) && !s.updates.Next()) ||
		string(s.updates.Key()) != string(key[:]) {
		s.updates.SeekGE(key[:])
	}
	found, err := s.load(s.records.Valid())
	if err == nil && (!found || s.Job.ID != id) {
		err = fmt.Errorf("%w: job %d is gone", storage.ErrCorrupt, id)
	}
	return err
}

// load decodes the record that the scan is at, and the update with its id.
func (s *Scan) load(valid bool) (bool, error) {
	if !valid {
		if err := s.records.Error(); err != nil {
			return false, err
		}
		return false, s.updates.Error()
	}
	key := s.records.Key()
	value, err := s.records.ValueAndErr()
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
	for s.updates.Valid() {
		id, err := KeyID(s.updates.Key())
		switch {
		case err != nil:
			return err
		case id > s.Job.ID:
			return nil
		case id < s.Job.ID: // that of the job before, or of none
			s.updates.Next()
			continue
		}
		value, err := s.updates.ValueAndErr()
		if err != nil {
			return err
		}
		tube, err := DecodeUpdate(s.updates.Key(), value, &s.Job)
		if err != nil {
			return fmt.Errorf("update of job %d: %w", id, err)
		}
		if tube != nil {
			s.Job.Tube = s.intern(tube)
		}
		return nil
	}
	return s.updates.Error()
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

// Ranked is a buried job: these are the last of a replay, by their ranks.
type Ranked struct{ Rank, ID uint64 }

func (r Ranked) Compare(s Ranked) int {
	return cmp.Or(cmp.Compare(r.Rank, s.Rank), cmp.Compare(r.ID, s.ID))
}

// InReplayOrder calls seen for every job of a database, in the order of their ids, and
// give for every job in the order of a replay.
func InReplayOrder(r pebble.Reader, seen, give func(s *Scan) error) (err error) {
	s, err := newScan(r)
	if err != nil {
		return err
	}
	defer func() {
		// After an error, closing the scan returns the same one.
		if closing := errors.Join(s.records.Close(), s.updates.Close()); err == nil {
			err = closing
		}
	}()
	var buried []Ranked
	found, err := s.load(s.records.First())
	for ; found && err == nil; found, err = s.load(s.records.Next()) {
		if err := seen(s); err != nil {
			return err
		}
		if s.Job.State == storage.Buried {
			buried = append(buried, Ranked{s.Job.BuryRank, s.Job.ID})
			continue
		}
		if err := give(s); err != nil {
			return err
		}
	}
	if err != nil {
		return err
	}
	slices.SortFunc(buried, Ranked.Compare)
	for _, b := range buried {
		if err := s.seek(b.ID); err != nil {
			return err
		}
		if err := give(s); err != nil {
			return err
		}
	}
	return nil
}
