package pebblestore

import (
	"hash/fnv"
	"io"
	"log/slog"
	"reflect"
	"sync"
	"testing"
	"time"

	"beanfield/storage"
	"beanfield/storage/must"
	"beanfield/storage/storagetest"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// quiet is a logger for tests that expect errors.
func quiet() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }

// small are options that make much happen in little memory.
func small(fs vfs.FS, sync storage.SyncMode) Options {
	return Options{
		Dir: "data", FS: fs, Sync: sync, Logger: quiet(),
		CacheBytes: 1 << 20, MaxOpenFiles: 100, Ballast: -1, MinFree: -1, LogBytes: mib / 4,
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

// noTicks is a store whose timers never fire by themselves, and whose fold rests shortly.
func noTicks(o Options) *store {
	o.foldRest = time.Millisecond
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

// openOne opens a store with one shard, which is closed at the end, if not before.
func openOne(t testing.TB, fs vfs.FS) (*store, *shardLog) {
	t.Helper()
	s := noTicks(small(fs, storage.Always))
	l := mustOpen(t, s, 1)[0].(*shardLog)
	t.Cleanup(func() {
		must.Do(t, s.Close())
	})
	return s, l
}

// hasJobs opens a directory of one shard, and checks how many jobs are there.
func hasJobs(t testing.TB, fs vfs.FS, want int) {
	t.Helper()
	s, l := openOne(t, fs)
	if got := replayed(t, l); len(got) != want {
		t.Errorf("%d jobs come back, want %d", len(got), want)
	}
	must.Do(t, s.Close())
}

// foldSome has the store follow its log if a die shows 0, and a slot of it if it shows 1.
func foldSome(t testing.TB, l *shardLog, die int) {
	t.Helper()
	switch die {
	case 0:
		must.Do(t, l.foldAll())
	case 1:
		must.Get(l.foldSlots(1))
	}
}

// mustBeTold checks that it need not be waited for any more.
func (c committed) mustBeTold(t testing.TB) {
	t.Helper()
	select {
	case err := <-c:
		if err != nil {
			t.Error(err)
		}
	default:
		t.Error("nobody has told")
	}
}

// faulty is a file system of which a function may refuse operations.
func faulty(fs vfs.FS, may errorfs.InjectorFunc) vfs.FS { return errorfs.Wrap(fs, may) }

// commit ends a turn and waits for it.
func commit(l storage.Log) error {
	w := make(committed, 1)
	if l.Commit(w) {
		return nil
	}
	return <-w
}

func mustCommit(t testing.TB, l storage.Log) {
	t.Helper()
	if err := commit(l); err != nil {
		t.Fatalf("commit: %v", err)
	}
}

// replayed reads all jobs of a log, in the order of the replay.
func replayed(t testing.TB, l storage.Log) []storagetest.Stored {
	t.Helper()
	var all []storagetest.Stored
	err := l.Replay(func(j *storage.Job, body []byte) error {
		all = append(all, storagetest.Keep(j, body))
		return nil
	})
	if err != nil {
		t.Fatalf("replay: %v", err)
	}
	return all
}

// put records a job, whose body is staged if it is large, in two parts. It reports
// false if the log has refused that.
func put(l storage.Log, s *storagetest.Stored) bool {
	body := []byte(s.Body)
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
	w := make(committed, 1)
	l.Stage(id, body, w)
	return <-w
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

// The store and its logs are what the rest of the program takes them for.
var (
	_ storage.Store        = (*store)(nil)
	_ storage.Checkpointer = (*store)(nil)
	_ storage.Log          = (*shardLog)(nil)
	_ storage.Pusher       = (*shardLog)(nil)
)

// replayedQueues reads all queues of a log.
func replayedQueues(t testing.TB, l storage.Log) (all []*storage.Queue) {
	t.Helper()
	err := l.ReplayQueues(func(q *storage.Queue) error {
		all = append(all, q)
		return nil
	})
	if err != nil {
		t.Fatalf("replay of queues: %v", err)
	}
	return all
}

func sameQueue(a, b *storage.Queue) bool { return reflect.DeepEqual(a, b) }
