package pebblestore

import (
	"fmt"
	"math/rand"
	"sync"
	"testing"

	"beanfield/storage"
	"beanfield/storage/effort"
	"beanfield/storage/pebblestore/powercut"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// photo is what a crash at some moment may leave.
type photo struct {
	fs    *vfs.MemFS
	least int // turns that were acknowledged before
	what  string
}

// camera takes photos of a disk before some of the operations on it.
type camera struct {
	disk *powercut.Mem
	r    *rand.Rand
	led  *ledger // nil for none
	// when is how much each photo has, in percent, of what has not been synced.
	when func(op errorfs.Op) []int

	mu     sync.Mutex
	photos []photo
}

func (c *camera) String() string { return "camera" }

func (c *camera) MaybeError(op errorfs.Op) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	least := 0
	if c.led != nil {
		least, _ = c.led.count()
	}
	for _, percent := range c.when(op) {
		fs := c.disk.Clone(vfs.CrashCloneCfg{UnsyncedDataPercent: percent, RNG: randv2(c.r.Int63())})
		c.photos = append(c.photos, photo{fs, least, fmt.Sprintf("before %v on %s, %d percent", op.Kind, op.Path,
			percent)})
	}
	return nil
}

// often has it take photos before some of a thousand operations, most of them before
// syncs, when there is most to lose.
func (c *camera) often(r *rand.Rand) {
	n, at := 0, make(map[int]bool)
	for range 4 {
		at[r.Intn([]int{100, 1000}[r.Intn(2)])] = true
	}
	c.when = func(op errorfs.Op) []int {
		n++
		syncs := op.Kind == errorfs.OpFileSync || op.Kind == errorfs.OpFileSyncData
		if !at[n] && !(syncs && c.r.Intn(16) == 0 && len(c.photos) < 30) {
			return nil
		}
		return []int{0, 100, c.r.Intn(101)}
	}
}

// L1 and L2, and no false alarm: whatever the store is doing when it dies, its start
// included, the next start succeeds, with all that was acknowledged; and so does the one
// after a death at that start's end.
func TestCrashAtAnyOperation(t *testing.T) {
	t.Parallel()
	seeds := max(1, *seeds/100)
	if effort.Brief() {
		seeds = max(1, seeds/2)
	}
	for seed := range int64(seeds) {
		r := rand.New(rand.NewSource(seed))
		disk := vfs.NewCrashableMem()
		for life, h := 0, newHistory(r); life < 3 && !t.Failed(); life++ {
			c := &camera{disk: &powercut.Mem{MemFS: disk}, led: &ledger{t: t, acked: h.turns()},
				r: rand.New(rand.NewSource(r.Int63()))}
			c.often(r)
			c.life(t, r, h)
			for _, p := range c.photos {
				p.check(t, r, h)
			}
			disk = c.disk.Clone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100, RNG: randv2(seed)})
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// life opens a store, works with it and closes it.
func (c *camera) life(t *testing.T, r *rand.Rand, h *history) {
	o := small(errorfs.Wrap(c.disk, c), storage.Always)
	o.disk = mib // so memtables and manifests are small
	s := noTicks(o)
	l := mustOpen(t, s, 1)[0].(*shardLog)
	for range r.Intn(30) {
		for range 1 + r.Intn(10) {
			h.turn(l)
			l.Commit(turn{c.led, h.turns()})
		}
		switch r.Intn(6) {
		case 0:
			mustCommit(t, l)
		case 1:
			if err := l.foldAll(); err != nil {
				t.Error(err)
			}
		case 2:
			_ = l.compact()
		case 3:
			if _, err := l.giveBack(); err != nil {
				t.Error(err)
			}
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func (p photo) check(t *testing.T, r *rand.Rand, h *history) {
	fs := p.fs
	for range 2 {
		s := noTicks(small(fs, storage.Always))
		logs, err := s.Open(1, byName(1))
		if err != nil {
			t.Errorf("%s: %v", p.what, err)
			return
		}
		if got := look(t, logs[0]); h.nth(p.least, got) < 0 {
			t.Errorf("%s: %d jobs are no state after turn %d", p.what, len(got.jobs), p.least)
		}
		fs = fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: r.Intn(101), RNG: randv2(r.Int63())})
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
