package pebblestore

import (
	"bytes"
	"cmp"
	"fmt"
	"hash/fnv"
	"io"
	"log/slog"
	"math/rand"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"beanfield/storage"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// quiet is a logger for tests that expect errors.
func quiet() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }

// small are options that make much happen in little memory.
func small(fs vfs.FS, sync storage.SyncMode) Options {
	return Options{
		Dir: "data", FS: fs, Sync: sync, Logger: quiet(),
		CacheBytes: 1 << 20, MaxOpenFiles: 100, Ballast: -1, MinFree: -1, LogBytes: mib,
	}
}

// byName hashes a tube onto one of n shards.
func byName(n int) func(string) int {
	return func(tube string) int {
		h := fnv.New32a()
		h.Write([]byte(storage.Home(tube)))
		return int(h.Sum32() % uint32(n))
	}
}

// noTicks is a store whose timers never fire by themselves.
func noTicks(o Options) *store {
	s := newStore(o)
	s.ticker = func(time.Duration) (<-chan time.Time, func()) { return nil, func() {} }
	return s
}

func mustOpen(t testing.TB, s storage.Store, n int) []storage.Log {
	t.Helper()
	logs, err := s.Open(n, byName(n))
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	return logs
}

// waiter is an Ack that can be waited for.
type waiter struct{ done chan error }

func newWaiter() *waiter { return &waiter{done: make(chan error, 1)} }

func (w *waiter) Committed(err error) { w.done <- err }

// mustBeTold checks that it need not be waited for any more.
func (w *waiter) mustBeTold(t testing.TB) {
	t.Helper()
	select {
	case err := <-w.done:
		if err != nil {
			t.Error(err)
		}
	default:
		t.Error("nobody has told")
	}
}

// commit ends a turn and waits for it.
func commit(l storage.Log) error {
	w := newWaiter()
	if l.Commit(w) {
		return nil
	}
	return <-w.done
}

func mustCommit(t testing.TB, l storage.Log) {
	t.Helper()
	if err := commit(l); err != nil {
		t.Fatalf("commit: %v", err)
	}
}

// stored is a job with its body, as a test knows it.
type stored struct {
	storage.Job
	body string
}

func (s stored) String() string {
	return fmt.Sprintf("%+v %.20q item %+v", s.Job, s.body, s.Item)
}

// keep copies what a replay gives.
func keep(j *storage.Job, body []byte) stored {
	s := stored{*j, string(body)}
	s.Item = j.Item.Clone()
	return s
}

func (s stored) same(other stored) bool {
	a, b := s.Item, other.Item
	s.Item, other.Item = nil, nil
	return s == other && reflect.DeepEqual(a, b)
}

// replayed reads all jobs of a log, in the order of the replay.
func replayed(t testing.TB, l storage.Log) []stored {
	t.Helper()
	var all []stored
	err := l.Replay(func(j *storage.Job, body []byte) error {
		all = append(all, keep(j, body))
		return nil
	})
	if err != nil {
		t.Fatalf("replay: %v", err)
	}
	return all
}

// inOrder sorts jobs as Replay must deliver them.
func inOrder(jobs []stored) []stored {
	rank := func(s stored) uint64 {
		if s.State == storage.Buried {
			return s.BuryRank
		}
		return 0
	}
	slices.SortFunc(jobs, func(a, b stored) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.ID, b.ID))
	})
	return jobs
}

func sameJobs(t testing.TB, got, want []stored) {
	t.Helper()
	if slices.EqualFunc(got, want, stored.same) {
		return
	}
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got):
			t.Fatalf("job %d of %d is missing: %v", i, len(want), want[i])
		case i >= len(want):
			t.Fatalf("job %d of %d is too much: %v", i, len(got), got[i])
		case !got[i].same(want[i]):
			t.Fatalf("job %d differs:\n got %v\nwant %v", i, got[i], want[i])
		}
	}
}

// randomJob makes a new job with every field set to something.
func randomJob(r *rand.Rand, id uint64, tube string) stored {
	s := stored{Job: storage.Job{
		ID: id, Tube: tube, State: storage.Ready, Pri: r.Uint32(), TTR: r.Uint32(),
		Created: r.Int63(),
	}}
	if r.Intn(3) == 0 {
		s.State, s.Delay, s.Deadline = storage.Delayed, r.Uint32(), r.Int63()
	}
	n := r.Intn(300)
	if r.Intn(50) == 0 {
		n = r.Intn(20000)
	}
	s.fill(n)
	if r.Intn(3) == 0 {
		s.Item = &storage.Item{Tags: bytes.Repeat([]byte("tag"), 1+r.Intn(40))}
	}
	return s
}

// randomItem changes a job as the queue service does.
func randomItem(r *rand.Rand, s *stored) {
	i := s.Item.Clone() // a test may have kept the job as it was
	if i == nil {
		i = new(storage.Item)
	}
	if i.Rebalances++; r.Intn(3) == 0 {
		i.Fate, i.Note = uint8(r.Intn(4)), []byte("why")
	}
	if r.Intn(3) == 0 {
		i.Done = append(i.Done, r.Uint32())
		i.Returned = append(i.Returned, storage.Returned{View: r.Uint32(), Times: r.Uint32()})
	}
	if r.Intn(3) == 0 && !i.Moved {
		i.Moved = true
		s.Tube += storage.RearSuffix
	}
	s.Item = i
	if s.State == storage.Ready && r.Intn(3) == 0 {
		s.State = storage.Passed
	}
}

// fill gives a job a body of about n bytes.
func (s *stored) fill(n int) {
	s.body = string(bytes.Repeat([]byte{byte(s.ID), byte(n)}, n/2))
	s.Size = uint32(len(s.body))
}

// put records a job, whose body is staged if it is large, in two parts. It reports
// false if the log has refused that.
func put(l storage.Log, s *stored) bool {
	body := []byte(s.body)
	half := len(body) / 2
	if s.Size <= storage.LargeBody {
		l.Put(&s.Job, body[:half], body[half:])
		return true
	}
	if stageBody(l, s.ID, body[:half], body[half:]) != nil {
		return false
	}
	l.Put(&s.Job)
	return true
}

// stageBody stages a body and waits for it.
func stageBody(l storage.Log, id uint64, body ...[]byte) error {
	w := newWaiter()
	l.Stage(id, body, w)
	return <-w.done
}

// randomUpdate changes a job as release, bury and kick do.
func randomUpdate(r *rand.Rand, s *stored, rank *uint64) {
	s.Updated = true
	s.Reserves += uint32(r.Intn(3))
	s.Timeouts += uint32(r.Intn(2))
	s.State, s.Delay, s.Deadline, s.BuryRank = storage.Ready, 0, 0, 0
	if r.Intn(4) == 0 {
		randomItem(r, s)
		return
	}
	switch r.Intn(4) {
	case 0:
		*rank++
		s.State, s.BuryRank, s.Pri = storage.Buried, *rank, r.Uint32()
		s.Buries++
	case 1:
		s.State, s.Delay, s.Deadline, s.Pri = storage.Delayed, r.Uint32(), r.Int63(), r.Uint32()
		s.Releases++
	case 2:
		s.Kicks++
	default:
		s.Pri = r.Uint32()
		s.Releases++
	}
}

// ledger is an Ack that counts, in order, what was acknowledged.
type ledger struct {
	mu     sync.Mutex
	acked  int // turns acknowledged
	failed int
	err    error
	t      testing.TB
}

type turn struct {
	of *ledger
	n  int
}

func (a turn) Committed(err error) {
	a.of.mu.Lock()
	defer a.of.mu.Unlock()
	if err != nil {
		a.of.failed++
		a.of.err = err
		return
	}
	if a.of.failed > 0 {
		a.of.t.Errorf("turn %d succeeded after one that failed", a.n)
	}
	if a.n <= a.of.acked {
		a.of.t.Errorf("turn %d was acknowledged after turn %d", a.n, a.of.acked)
	}
	a.of.acked = a.n
}

func (l *ledger) count() (acked, failed int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.acked, l.failed
}
