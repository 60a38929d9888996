package pebblestore

import (
	"flag"
	"fmt"
	"maps"
	"math/rand"
	v2 "math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"beanfield/storage"
	"beanfield/storage/effort"
	"beanfield/storage/must"
	"beanfield/storage/pebblestore/format"
	"beanfield/storage/storagetest"

	"github.com/cockroachdb/pebble/v2/vfs"
)

var (
	seeds = flag.Int("seeds", 1000, "how many seeds the crash tests try")
	seed  = flag.Int64("seed", 0, "the one seed that the crash tests try, if not 0")
)

// eachSeed runs fn for the seeds asked for. What happens between goroutines is
// not repeated, but the commands and the losses are.
func eachSeed(t *testing.T, fn func(t *testing.T, seed int64)) {
	if *seed != 0 {
		fn(t, *seed)
		return
	}
	n := int64(*seeds)
	if effort.Brief() {
		n /= 10
	}
	for s := int64(1); s <= n; s++ {
		if !t.Run(fmt.Sprintf("seed=%d", s), func(t *testing.T) { fn(t, s) }) {
			return
		}
	}
}

// randv2 is the kind of randomness that the crashing file system wants.
func randv2(seed int64) *v2.Rand { return v2.New(v2.NewPCG(uint64(seed), 1)) }

// state is all that a log has to remember.
type state struct {
	jobs   map[uint64]storagetest.Stored
	queues map[string]*storage.Queue
	maxID  uint64
}

// history is what was done to one log. Turn n led from states[n-1] to states[n].
type history struct {
	r         *rand.Rand
	states    []state
	nextID    uint64
	rank      uint64
	large     bool   // some jobs are large
	queueless bool   // it has no queues
	moved     bool   // its jobs were moved to another number of shards
	shard     string // part of its queues' names
}

func newHistory(r *rand.Rand) *history {
	return &history{r: r, states: []state{{map[uint64]storagetest.Stored{}, map[string]*storage.Queue{}, 0}}, nextID: 1}
}

func (h *history) turns() int { return len(h.states) - 1 }

func (h *history) now() state { return h.states[h.turns()] }

// turn writes a few random records and notes the state after them.
func (h *history) turn(l storage.Log) {
	next := h.now()
	next.jobs = maps.Clone(next.jobs)
	for range 1 + h.r.Intn(5) {
		var picked storagetest.Stored
		if len(next.jobs) > 0 {
			ids := slices.Sorted(maps.Keys(next.jobs)) // so that the seed decides
			picked = next.jobs[ids[h.r.Intn(len(ids))]]
		}
		switch n := h.r.Intn(10); {
		case picked.ID == 0 || n < 5:
			j := storagetest.RandomJob(h.r, h.nextID, []string{"a", "b", "c", "default"}[h.r.Intn(4)])
			h.nextID += uint64(1 + h.r.Intn(2))
			if h.large && h.r.Intn(100) == 0 {
				j.Fill(storage.LargeBody + h.r.Intn(3*format.PieceSize))
			}
			if put(l, &j) {
				next.maxID, next.jobs[j.ID] = j.ID, j
			}
		case n < 8:
			l.Delete(&picked.Job)
			delete(next.jobs, picked.ID)
		default:
			storagetest.RandomUpdate(h.r, &picked, &h.rank)
			l.Update(&picked.Job)
			next.jobs[picked.ID] = picked
		}
	}
	if !h.queueless && h.r.Intn(4) == 0 {
		next.queues = maps.Clone(next.queues)
		h.queue(l, next.queues)
	}
	h.states = append(h.states, next)
}

// queue writes a record of a random queue.
func (h *history) queue(l storage.Log, queues map[string]*storage.Queue) {
	tube := h.shard // without a name: what the policies of run time are kept beside
	if n := h.r.Intn(8); n > 0 {
		tube = fmt.Sprint("queue ", h.shard, n)
	}
	if queues[tube] != nil && h.r.Intn(3) == 0 {
		l.DeleteQueue(tube)
		delete(queues, tube)
		return
	}
	queues[tube] = storagetest.RandomQueue(h.r, tube)
	l.PutQueue(queues[tube])
}

func valuesOf(m map[uint64]storagetest.Stored) []storagetest.Stored {
	return slices.Collect(maps.Values(m))
}

func valuesInOrder(m map[uint64]storagetest.Stored) []storagetest.Stored {
	return storagetest.InOrder(valuesOf(m))
}

// sight is what a test finds in a log.
type sight struct {
	jobs   []storagetest.Stored
	queues []*storage.Queue
	maxID  uint64
}

func look(t testing.TB, l storage.Log) sight {
	t.Helper()
	queues := replayedQueues(t, l)
	return sight{replayed(t, l), queues, l.MaxID()}
}

// nth is the first state, not before turn least, that was found, or -1.
func (h *history) nth(least int, got sight) int {
	for n := least; n <= h.turns(); n++ {
		s := h.states[n]
		same := s.maxID == got.maxID && len(got.jobs) == len(s.jobs) && len(got.queues) == len(s.queues)
		for i := 0; same && i < len(got.jobs); i++ {
			want, found := s.jobs[got.jobs[i].ID], got.jobs[i]
			if h.moved {
				want, found = asPut(want), asPut(found)
			}
			same = want.Same(found)
		}
		for i := 0; same && i < len(got.queues); i++ {
			same = reflect.DeepEqual(s.queues[got.queues[i].Tube], got.queues[i])
		}
		if same {
			return n
		}
	}
	return -1
}

// find tells which state, not before turn least, was found. It goes on from
// there, as a process that restarts does.
func (h *history) find(t *testing.T, least int, got sight) {
	t.Helper()
	if n := h.nth(least, got); n >= 0 {
		h.states = []state{h.states[n]}
		return
	}
	t.Errorf("after the crash: %d jobs, %d queues, highest id %d: not the state after any turn from %d to %d",
		len(got.jobs), len(got.queues), got.maxID, least, h.turns())
	for n, s := range h.states[least:] {
		t.Logf("turn %d: %d jobs, %d queues, highest id %d", least+n, len(s.jobs), len(s.queues), s.maxID)
	}
}

// isIn checks that a log has all that was done, and nothing else.
func (h *history) isIn(t *testing.T, l storage.Log, what ...any) {
	t.Helper()
	if got := look(t, l); h.nth(h.turns(), got) < 0 {
		t.Fatalf("%s: %d jobs, highest id %d: not the state after turn %d", fmt.Sprint(what...), len(got.jobs), got.maxID,
			h.turns())
	}
}

// L1 and L2: what was acknowledged is there after a power cut, what was not is
// there up to some turn, and nothing else is.
func TestCrashKeepsWhatWasAcknowledged(t *testing.T) {
	t.Parallel()
	eachSeed(t, func(t *testing.T, seed int64) {
		r := rand.New(rand.NewSource(seed))
		mode := []storage.SyncMode{storage.Always, storage.Always, storage.Interval, storage.Never}[r.Intn(4)]
		fs := vfs.NewCrashableMem()
		h := newHistory(r)
		h.large = seed%25 == 0
		for range 3 {
			s := noTicks(small(fs, mode))
			l := mustOpen(t, s, 1)[0]
			led := &ledger{t: t}
			for range r.Intn(30) {
				h.turn(l)
				if l.Commit(turn{led, h.turns()}) && mode == storage.Always {
					t.Errorf("a turn that wrote was acknowledged at once")
				}
				if r.Intn(5) == 0 {
					mustCommit(t, l)
				}
			}
			least, failed := led.count()
			if failed != 0 {
				t.Fatalf("commit: %v", led.err)
			}
			if mode != storage.Always {
				least = 0
			}
			crashed := fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: r.Intn(101), RNG: randv2(seed)})
			must.Do(t, s.Close())
			fs = crashed
			s = noTicks(small(fs, mode))
			l = mustOpen(t, s, 1)[0]
			got := look(t, l)
			storagetest.SameJobs(t, got.jobs, storagetest.InOrder(append([]storagetest.Stored{}, got.jobs...)))
			h.find(t, least, got)
			must.Do(t, s.Close())
			if t.Failed() {
				return
			}
		}
	})
}

// L2 at any time: a shard's state can be built anew from log and store while they run, in
// each mode, wherever the fold stands.
func TestReplayAgain(t *testing.T) {
	t.Parallel()
	for _, mode := range []storage.SyncMode{storage.Always, storage.Interval, storage.Never} {
		r := rand.New(rand.NewSource(int64(mode)))
		s := noTicks(small(vfs.NewMem(), mode))
		l := mustOpen(t, s, 1)[0].(*shardLog)
		h := newHistory(r)
		h.large = true
		look(t, l) // the start's
		for range 30 {
			for range 1 + r.Intn(20) {
				h.turn(l)
				mustCommit(t, l)
			}
			foldSome(t, l, r.Intn(3))
			// A body is on its way while the state is built anew. Its job is put afterwards.
			body := largeJob(1<<40+uint64(h.turns()), storage.LargeBody+1)
			must.Do(t, stageBody(l, body.ID, []byte(body.Body)))
			got := look(t, l)
			got.maxID = h.now().maxID // that of the opening
			if h.nth(h.turns(), got) < 0 {
				t.Fatalf("mode %d: %d jobs are not the state after turn %d", mode, len(got.jobs), h.turns())
			}
			l.Put(&body.Job)
			mustCommit(t, l)
			if text, err := l.Body(body.ID, nil); err != nil || string(text) != body.Body {
				t.Fatalf("%d bytes of its body, %v", len(text), err)
			}
			l.Delete(&body.Job)
			mustCommit(t, l)
		}
		must.Do(t, s.Close())
	}
}

// One shard's log and store are closed, and opened again, while another shard works.
func TestOneShardAlone(t *testing.T) {
	s := noTicks(small(vfs.NewMem(), storage.Always))
	logs := mustOpen(t, s, 2)
	other := newHistory(rand.New(rand.NewSource(1)))
	alone := newHistory(rand.New(rand.NewSource(2)))
	other.shard, alone.shard = "other", "alone"
	for range 5 {
		for range 20 {
			alone.turn(s.logs[1])
			mustCommit(t, s.logs[1])
		}
		must.Do(t, s.logs[1].close())
		for range 20 {
			other.turn(logs[0])
			mustCommit(t, logs[0])
		}
		must.Do(t, s.openLog(1, false))
		alone.isIn(t, s.logs[1])
	}
	must.Do(t, s.Close())
}
