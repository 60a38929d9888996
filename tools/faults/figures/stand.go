package figures

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"beanfield/tools/nodes"
)

// stand is what a figure is measured at: three nodes, the bare engines of these nodes, and one node.
type stand struct {
	Options
	three, one *site
	guest      *guest
	streams    map[string][]int // of the guest, by what is appended to each
	records    int              // that were looked at for that
	bytes      int              // in all of them
}

// beside has something measured round by round, after a round of three nodes whose records are noted.
func (o Options) beside(ctx context.Context, first func(s *stand) error, round func(s *stand) error) (err error) {
	s := &stand{Options: o, streams: map[string][]int{}}
	if s.three, err = o.open(ctx, nodes.Default...); err != nil {
		return err
	}
	defer s.three.Close()
	if s.one, err = o.open(ctx, "a"); err != nil {
		return err
	}
	defer s.one.Close()
	if _, err = s.three.well(ctx, o.Calm); err != nil {
		return err
	}
	if s.guest, err = s.three.visit(ctx); err != nil {
		return err
	}
	defer s.guest.leave()
	if err = s.note(ctx, func() error { return first(s) }); err != nil {
		return err
	}
	for range o.Times {
		if _, err = s.three.well(ctx, 0); err != nil {
			return err
		}
		if err = round(s); err != nil {
			return err
		}
	}
	return errors.Join(s.three.Stop(), s.one.Stop())
}

// note finds out what records three nodes make of something.
func (s *stand) note(ctx context.Context, do func() error) error {
	sizes, err := s.guest.sizes(s.Shards, do)
	if err != nil {
		return err
	}
	for shard, of := range sizes {
		if len(of) == 0 {
			continue
		}
		stream, err := s.guest.likeLane(ctx, shard)
		if err != nil {
			return err
		}
		s.streams[stream] = of
		s.records += len(of)
		for _, size := range of {
			s.bytes += size
		}
	}
	if s.records == 0 {
		return errors.New("no record was seen on the lanes")
	}
	return nil
}

// bare publishes such records for the length of a round. Done is not called by two at once.
func (s *stand) bare(ctx context.Context, done func(size int, took time.Duration)) error {
	ctx, cancel := context.WithTimeout(ctx, s.Lasts)
	defer cancel()
	var all sync.WaitGroup
	var mu sync.Mutex
	var failed error
	for stream, sizes := range s.streams {
		all.Go(func() {
			err := s.guest.publish(ctx, stream, sizes, func(size int, took time.Duration) {
				mu.Lock()
				defer mu.Unlock()
				done(size, took)
			})
			mu.Lock()
			defer mu.Unlock()
			failed = errors.Join(failed, err)
		})
	}
	all.Wait()
	return failed
}

func middle[T float64 | time.Duration](all []T) T {
	all = slices.Clone(all)
	slices.Sort(all)
	return all[len(all)/2]
}
