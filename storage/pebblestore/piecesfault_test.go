package pebblestore

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"beanfield/storage"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// With a disk that fails at any operation while large jobs are put and deleted: what
// was acknowledged is there after a power cut, whole, and what was not is there whole
// or not at all.
func TestErrorWhileLargeJobsArePut(t *testing.T) {
	for at := int64(1); ; at++ {
		base := &cloneable{MemFS: vfs.NewCrashableMem()}
		var n atomic.Int64
		var armed atomic.Bool
		fs := errorfs.Wrap(base, errorfs.InjectorFunc(func(errorfs.Op) error {
			if armed.Load() && n.Add(1) == at {
				return errorfs.ErrInjected
			}
			return nil
		}))
		s, l := openOne(t, fs)
		gone, kept := largeJob(1, storage.LargeBody+1), largeJob(2, storage.LargeBody+2)
		mustPut(t, l, gone)
		mustCommit(t, l)
		armed.Store(true)
		inserted := put(l, &kept) && commit(l) == nil
		l.Delete(&gone.Job)
		deleted := commit(l) == nil
		_ = s.Close()
		armed.Store(false)

		what := fmt.Sprintf("operation %d, put %v, deleted %v", at, inserted, deleted)
		after := noTicks(small(base.clone(vfs.CrashCloneCfg{}), storage.Always))
		found := map[uint64]string{}
		for _, j := range replayed(t, mustOpen(t, after, 1)[0]) {
			found[j.ID] = j.Body
		}
		if found[1] != "" && (deleted || found[1] != gone.Body) {
			t.Errorf("%s: job 1 has %d bytes", what, len(found[1]))
		}
		if found[2] != kept.Body && (found[2] != "" || inserted) {
			t.Errorf("%s: job 2 has %d bytes", what, len(found[2]))
		}
		if err := after.Close(); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if n.Load() < at {
			t.Logf("%d operations", n.Load())
			if !inserted || !deleted {
				t.Errorf("nothing was injected: %s", what)
			}
			return
		}
	}
}

// What is accepted and waits to be written has its room.
func TestRoomIsKeptForLargeBodies(t *testing.T) {
	hold := make(chan struct{})
	fs := nearlyFull{errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind == errorfs.OpCreate && strings.Contains(op.Path, stagedPrefix) {
			<-hold
		}
		return nil
	}))}
	s, l := openOne(t, fs)
	defer s.Close()
	body := make([]byte, 2*storage.LargeBody)
	var acks []*waiter
	for id := uint64(1); id <= 20 && l.Room(len(body)); id++ {
		acks = append(acks, newWaiter())
		l.Stage(id, [][]byte{body}, acks[len(acks)-1])
		s.space.look()
	}
	close(hold)
	for _, w := range acks {
		if err := <-w.done; err != nil {
			t.Error(err)
		}
	}
	if n := len(acks) * len(body); n > nearlyFullHas || n < nearlyFullHas/2 {
		t.Errorf("%d bytes are accepted where %d are free", n, nearlyFullHas)
	}
	if n := s.space.promised.Load(); n != 0 {
		t.Errorf("%d bytes are promised at the end", n)
	}
}

const nearlyFullHas = 24 * mib

type nearlyFull struct{ vfs.FS }

func (nearlyFull) GetDiskUsage(string) (vfs.DiskUsage, error) {
	return vfs.DiskUsage{AvailBytes: nearlyFullHas, TotalBytes: 64 * mib}, nil
}
