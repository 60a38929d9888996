package pebblestore

import (
	"errors"
	"strings"
	"testing"

	"beanfield/storage"
	"beanfield/storage/must"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// With a disk that fails at any operation while large jobs are put and deleted: what
// was acknowledged is there after a power cut, whole, and what was not is there whole
// or not at all.
func TestErrorWhileLargeJobsArePut(t *testing.T) {
	everyOperation(t, 1, func(b *breaking) error {
		base := &cloneable{MemFS: vfs.NewCrashableMem()}
		b.rest(true)
		s, l := openOne(t, errorfs.Wrap(base, b))
		gone, kept := largeJob(1, storage.LargeBody+1), largeJob(2, storage.LargeBody+2)
		mustPut(t, l, gone)
		mustCommit(t, l)
		b.rest(false)
		inserted := put(l, &kept) && commit(l) == nil
		l.Delete(&gone.Job)
		deleted := commit(l)
		_ = s.Close()
		b.rest(true)

		after, l := openOne(t, base.clone(vfs.CrashCloneCfg{}))
		found := map[uint64]string{}
		for _, j := range replayed(t, l) {
			found[j.ID] = j.Body
		}
		if found[1] != "" && (deleted == nil || found[1] != gone.Body) {
			t.Errorf("job 1 has %d bytes; its delete: %v", len(found[1]), deleted)
		}
		if found[2] != kept.Body && (found[2] != "" || inserted) {
			t.Errorf("job 2 has %d bytes; put: %v", len(found[2]), inserted)
		}
		must.Do(t, after.Close())
		if !inserted {
			return errors.Join(deleted, errors.New("the job was not put"))
		}
		return deleted
	})
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
