package database

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2"
)

// scheduler decides when the compactions of one database begin: as many at a time as
// Pebble asks for, as Pebble's own scheduler does, but none while it rests. It rests
// after a compaction that could not read its tables, because the next one would pick the
// same tables again: Pebble leaves out the tables of a failed compaction for some minutes,
// but not those of level 0. Each rest is twice as long as the one before, up to
// longestRest, until a compaction succeeds.
//
// The granter takes a slot, then looks for a compaction, and gives the slot back if none
// waits. If Pebble asks for a slot in between, it is refused, and remembers that a
// compaction waits. So after every refusal the granter looks again.
type scheduler struct {
	db    pebble.DBForCompaction
	poked chan struct{} // tells the granter to look whether a compaction waits
	ended chan struct{} // tells the granter to end
	idle  chan struct{} // closed when the granter has ended
	later func(d time.Duration, fn func())

	mu      sync.Mutex // taken after Pebble's locks, never before them
	closed  bool
	running int   // slots taken
	failed  int   // how many compactions in a row could not read their tables
	why     error // the error of the last of them
	resting bool
	met     chan struct{} // closed when why is no longer nil
}

const (
	shortestRest = 100 * time.Millisecond
	longestRest  = 30 * time.Second
)

func newScheduler(later func(time.Duration, func())) *scheduler {
	return &scheduler{
		poked: make(chan struct{}, 1),
		ended: make(chan struct{}),
		idle:  make(chan struct{}),
		met:   make(chan struct{}),
		later: later,
	}
}

// Register implements pebble.CompactionScheduler.
func (s *scheduler) Register(_ int, db pebble.DBForCompaction) {
	s.db = db
	go s.grant()
}

// Unregister implements pebble.CompactionScheduler.
func (s *scheduler) Unregister() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	close(s.ended)
	<-s.idle
}

// TrySchedule implements pebble.CompactionScheduler.
func (s *scheduler) TrySchedule() (bool, pebble.CompactionGrantHandle) {
	if s.take() {
		return true, grant{s}
	}
	s.poke()
	return false, nil
}

// UpdateGetAllowedWithoutPermission implements pebble.CompactionScheduler. Pebble's
// locks are held, so this leaves the work to the granter.
func (s *scheduler) UpdateGetAllowedWithoutPermission() { s.poke() }

// take takes a slot, if there is one.
func (s *scheduler) take() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.resting || s.running >= s.db.GetAllowedWithoutPermission() {
		return false
	}
	s.running++
	return true
}

func (s *scheduler) giveBack() {
	s.mu.Lock()
	s.running--
	s.mu.Unlock()
}

func (s *scheduler) poke() {
	select {
	case s.poked <- struct{}{}:
	default:
	}
}

// grant is the granter: it begins the compactions that wait, whenever that may have become
// possible.
func (s *scheduler) grant() {
	defer close(s.idle)
	for {
		select {
		case <-s.ended:
			return
		case <-s.poked:
		}
		for s.take() {
			if waits, _ := s.db.GetWaitingCompaction(); !waits || !s.db.Schedule(grant{s}) {
				s.giveBack()
				break
			}
		}
	}
}

// compacted is told how a compaction ended, before its slot is given back.
func (s *scheduler) compacted(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil {
		if s.why != nil {
			s.met = make(chan struct{})
		}
		s.failed, s.why = 0, nil
		return
	}
	if !FailedToRead(err) {
		return
	}
	if s.why == nil {
		close(s.met)
	}
	rest := longestRest
	if s.failed < 10 {
		rest = min(shortestRest<<s.failed, longestRest)
	}
	s.failed++
	s.why = err
	if s.resting {
		return // another compaction has failed at the same time
	}
	s.resting = true
	s.later(rest, func() {
		s.mu.Lock()
		s.resting = false
		s.mu.Unlock()
		s.poke()
	})
}

// restsFor says whether this error is the one for which the scheduler rests.
func (s *scheduler) restsFor(err error) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.why != nil && errors.Is(err, s.why)
}

// giveUp calls end with the error if the latest compaction could not read its tables, or
// as soon as one cannot, until ctx ends.
func (s *scheduler) giveUp(ctx context.Context, end context.CancelCauseFunc) {
	for {
		s.mu.Lock()
		why, met := s.why, s.met
		s.mu.Unlock()
		if why != nil {
			end(why)
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-met:
		}
	}
}

// grant is the permission of one compaction to run.
type grant struct{ of *scheduler }

// Started, MeasureCPU and CumulativeStats implement pebble.CompactionGrantHandle.
func (grant) Started()                                          {}
func (grant) MeasureCPU(pebble.CompactionGoroutineKind)         {}
func (grant) CumulativeStats(pebble.CompactionGrantHandleStats) {}

// Done implements pebble.CompactionGrantHandle.
func (g grant) Done() {
	g.of.giveBack()
	g.of.poke()
}
