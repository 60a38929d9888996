package pebblestore

import (
	"errors"
	"strings"
	"testing"

	"beanfield/storage"
	"beanfield/storage/must"
	"beanfield/storage/pebblestore/directory"
	"beanfield/storage/pebblestore/disktest"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// unclosed is what a crash leaves of a store with n acknowledged jobs: all is in
// a log file.
func unclosed(t *testing.T, n uint64) vfs.FS {
	t.Helper()
	fs := vfs.NewCrashableMem()
	s, l := openOne(t, fs)
	for id := uint64(1); id <= n; id++ {
		putOne(l, id)
		mustCommit(t, l)
	}
	crashed := fs.CrashClone(vfs.CrashCloneCfg{})
	must.Do(t, s.Close())
	return crashed
}

// VE3: damage in the middle of a log, before what was synced later, is not taken for the torn
// tail of a crash: nothing that was acknowledged is dropped in silence.
func TestDamagedLogIsRefused(t *testing.T) {
	fs := unclosed(t, 3000)
	for _, path := range disktest.Look(t, fs, "data", ".turns") {
		damage(t, fs, path)
	}
	_, err := noTicks(small(fs, storage.Always)).Open(1, byName(1))
	if !errors.Is(err, storage.ErrCorrupt) || !strings.Contains(err.Error(), directory.TurnsName) {
		t.Errorf("error is %v", err)
	}
	found, result := salvaged(t, fs)
	if len(found) < 2000 || len(found) >= 3000 || len(result.Damaged) == 0 {
		t.Errorf("%d jobs were salvaged: %+v", len(found), result)
	}
}

// A torn tail is what a crash leaves of what was not acknowledged yet.
func TestTornLogIsRead(t *testing.T) {
	fs := unclosed(t, 1000)
	torn := false
	for _, path := range disktest.Look(t, fs, "data", ".turns") {
		text := disktest.Read(t, fs, path)
		end := len(strings.TrimRight(text, "\x00"))
		if end == 0 || len(text)-end < 1000 {
			continue // nothing in it, or others behind it
		}
		torn = true
		disktest.Write(t, fs, path, text[:end-20]+strings.Repeat("\x00", len(text)-end+20))
	}
	if !torn {
		t.Fatal("no slot has the end of the log")
	}
	s := noTicks(small(fs, storage.Always))
	if got := replayed(t, mustOpen(t, s, 1)[0]); len(got) != 999 {
		t.Errorf("%d jobs", len(got))
	}
	must.Do(t, s.Close())
}

// A turn may hold more than one batch can.
func TestVeryLargeTurn(t *testing.T) {
	fs := vfs.NewMem()
	for _, mode := range []storage.SyncMode{storage.Always, storage.Never} {
		s := noTicks(small(fs, mode))
		l := mustOpen(t, s, 1)[0]
		before := len(replayed(t, l))
		body := make([]byte, storage.LargeBody) // the largest that is copied: the buffer is used again
		const n = 150
		for i := range uint64(n) {
			id := l.MaxID() + 1 + i
			body[0] = byte(id)
			l.Put(&storage.Job{ID: id, Tube: "t", State: storage.Ready, Size: uint32(len(body))}, body)
		}
		mustCommit(t, l)
		for i := range uint64(n) {
			id := l.MaxID() + 1 + i
			got, err := l.Body(id, nil)
			if err != nil || len(got) != len(body) || got[0] != byte(id) {
				t.Fatalf("body of job %d: %d bytes, %v", id, len(got), err)
			}
		}
		must.Do(t, s.Close())
		s = noTicks(small(fs, mode))
		if got := replayed(t, mustOpen(t, s, 1)[0]); len(got) != before+n {
			t.Errorf("%d jobs", len(got))
		}
		must.Do(t, s.Close())
	}
}
