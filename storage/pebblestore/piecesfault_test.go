package pebblestore

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"beanfield/storage"
	"beanfield/storage/must"
	"beanfield/storage/pebblestore/disktest"
	"beanfield/storage/pebblestore/format"
	"beanfield/storage/pebblestore/powercut"
	"beanfield/storage/storagetest"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// With a disk that fails at any operation while large jobs are put and deleted: what
// was acknowledged is there after a power cut, whole, and what was not is there whole
// or not at all.
func TestErrorWhileLargeJobsArePut(t *testing.T) {
	t.Parallel()
	everyOperation(t, 1, func(b *breaking) error {
		base := &powercut.Mem{MemFS: vfs.NewCrashableMem()}
		b.rest(true)
		s := noTicks(small(errorfs.Wrap(base, b), storage.Always))
		l := mustOpen(t, s, 1)[0]
		gone, kept := largeJob(1, storage.LargeBody+1), largeJob(2, storage.LargeBody+2)
		mustPut(t, l, gone)
		mustCommit(t, l)
		b.rest(false)
		inserted := put(l, &kept) && commit(l) == nil
		l.Delete(&gone.Job)
		deleted := commit(l)
		_ = s.Close()
		b.rest(true)

		after, l := openOne(t, base.Clone(vfs.CrashCloneCfg{}))
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
	const free = 24 * mib
	mem := vfs.NewMem()
	mem.TestingSetDiskUsage(vfs.DiskUsage{AvailBytes: free, TotalBytes: 64 * mib})
	fs := faulty(mem, func(op errorfs.Op) error {
		if op.Kind == errorfs.OpCreate && strings.Contains(op.Path, stagedPrefix) {
			<-hold
		}
		return nil
	})
	s, l := openOne(t, fs)
	defer s.Close()
	body := make([]byte, 2*storage.LargeBody)
	var acks []committed
	for id := uint64(1); id <= 20 && l.Room(len(body)); id++ {
		acks = append(acks, make(committed, 1))
		l.Stage(id, [][]byte{body}, acks[len(acks)-1])
		s.space.look()
	}
	close(hold)
	for _, w := range acks {
		if err := <-w; err != nil {
			t.Error(err)
		}
	}
	if n := len(acks) * len(body); n > free || n < free/2 {
		t.Errorf("%d bytes are accepted where %d are free", n, free)
	}
	if n := s.space.promised.Load(); n != 0 {
		t.Errorf("%d bytes are promised at the end", n)
	}
}

// A piece that is missing or damaged is not passed over.
func TestDamagedPieces(t *testing.T) {
	for name, damage := range map[string]func(l *shardLog) error{
		"first gone": func(l *shardLog) error { k := format.PieceKey(1, 0); return l.db.Delete(k[:], pebble.NoSync) },
		"last gone":  func(l *shardLog) error { k := format.PieceKey(1, 7); return l.db.Delete(k[:], pebble.NoSync) },
		"changed": func(l *shardLog) error {
			k := format.PieceKey(1, 3)
			v, c, err := l.db.Get(k[:])
			if err != nil {
				return err
			}
			v = bytes.Clone(v)
			v[len(v)-1]++
			return errors.Join(c.Close(), l.db.Set(k[:], v, pebble.NoSync))
		},
		"longer": func(l *shardLog) error {
			k := format.PieceKey(1, 7)
			v := append([]byte{format.RecordVersion, 0, 0, 0, 0}, make([]byte, format.PieceSize+1)...)
			format.Seal(k[:], v)
			return l.db.Set(k[:], v, pebble.NoSync)
		},
	} {
		s, l := openOne(t, vfs.NewMem())
		mustPut(t, l, largeJob(1, 2*storage.LargeBody))
		mustCommit(t, l)
		must.Do(t, damage(l))
		if _, err := l.Body(1, nil); !errors.Is(err, storage.ErrCorrupt) || !errors.Is(err, storage.ErrUnreadable) {
			t.Errorf("%s: a body is read: %v", name, err)
		}
		if got := replayed(t, l); len(got) != 1 || !got[0].Damaged || got[0].Body != "" || got[0].ID != 1 {
			t.Errorf("%s: what comes back is not a damaged job: %v", name, got)
		}
		must.Do(t, s.Close())
	}
}

// What is readable of damaged tables is salvaged: bodies that are whole, and none that
// is not, of which the report tells; also when one table has them all.
func TestSalvageOfLargeBodies(t *testing.T) {
	for together := range 2 {
		fs := vfs.NewMem()
		s, l := openOne(t, fs)
		whole, hurt, gone := largeJob(1, 2*storage.LargeBody), largeJob(2, 3*storage.LargeBody+5),
			largeJob(3, 2*storage.LargeBody)
		for _, j := range []storagetest.Stored{whole, hurt, gone} {
			mustPut(t, l, j)
		}
		l.Delete(&gone.Job)
		mustCommit(t, l)
		if together == 1 {
			must.Do(t, errors.Join(l.foldAll(), l.db.Compact(t.Context(), []byte{0}, []byte{0xff}, false)))
		}
		must.Do(t, s.Close())
		salvaged(t, fs).has(t, "undamaged", "", whole, hurt)
		damageBody(t, fs, hurt)
		h := salvaged(t, fs)
		if h.has(t, "damaged", "body of job 2", whole); h.MaxID != 3 {
			t.Errorf("the highest id is %d, want 3", h.MaxID)
		}
	}
}

// damageBody flips a bit in the table that has the middle of a large body.
func damageBody(t *testing.T, fs vfs.FS, j storagetest.Stored) {
	t.Helper()
	for _, path := range disktest.Look(t, fs, "data", ".sst") {
		if strings.Contains(disktest.Read(t, fs, path), j.Body[5*format.PieceSize:5*format.PieceSize+100]) {
			damage(t, fs, path)
		}
	}
}

// Pieces of a job that was never put, under an id that was given again, are not taken
// for those of the next one, also where one of these is damaged.
func TestSalvageOfAnIDGivenAgain(t *testing.T) {
	fs := vfs.NewCrashableMem()
	s, l := openOne(t, fs)
	must.Do(t, stageBody(l, 1, []byte(largeJob(9, 2*storage.LargeBody).Body)))
	must.Do(t, s.Close())
	s, l = openOne(t, fs)
	storagetest.SameJobs(t, replayed(t, l), nil)
	j := largeJob(1, 2*storage.LargeBody)
	mustPut(t, l, j)
	mustCommit(t, l)
	if body, err := l.Body(1, nil); err != nil || string(body) != j.Body {
		t.Errorf("%d bytes, %v", len(body), err)
	}
	// To close would let compactions drop what was never put.
	cut := fs.CrashClone(vfs.CrashCloneCfg{})
	must.Do(t, s.Close())
	salvaged(t, cut).has(t, "undamaged", "", j)
	damageBody(t, cut, j)
	salvaged(t, cut).has(t, "damaged", "body of job 1")
}
