package pebblestore

import (
	"errors"
	"fmt"
	"maps"
	"math/rand"
	"strings"
	"testing"

	"beanfield/storage"
	"beanfield/storage/pebblestore/database"
	"beanfield/storage/pebblestore/directory"
	"beanfield/storage/pebblestore/disktest"
	"beanfield/storage/pebblestore/format"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// Directories of older builds are read as they are, and opened with all that is in them. Then
// they have the new format, and starts do not leave more and more of Pebble's logs there.
func TestOldFormats(t *testing.T) {
	for _, name := range oldDirs {
		t.Run(name, func(t *testing.T) {
			fs := oldDir(t, name)
			before := filesOf(t, fs)
			var b told
			_, err := Read(small(fs, storage.Always), func(shard int, c *Contents) error {
				highest, err := c.MaxID()
				b.shard(shard, highest)
				return errors.Join(err, c.Queues(b.queue), c.Jobs(b.job))
			})
			if err != nil || b.String() != oldText(t, name) {
				t.Errorf("%v:\n%s\nwant\n%s", err, b.String(), oldText(t, name))
			}
			if !maps.Equal(filesOf(t, fs), before) {
				t.Error("reading has changed something")
			}
			for range 8 {
				mustTell(t, fs, name)
				fs = clone(fs, 50, rand.New(rand.NewSource(1)))
				if m := manifestOf(t, fs); m.Format != format.TurnsFormat || m.Rule != format.ShardRule || m.Generation != 1 {
					t.Fatalf("the manifest is %+v", m)
				}
				if logs := disktest.Look(t, fs, "data", ".log"); len(logs) > 2 {
					t.Fatalf("there are logs: %v", logs)
				}
			}
			for _, dir := range []string{"shard-000", "shard-001"} {
				m, ok, err := database.ReadProgress(fs, "data/gen-000001/"+dir)
				if !ok || err != nil || len(m.Logs) > 0 || len(m.Manifests) == 0 {
					t.Errorf("the mark is %+v, %v", m, err)
				}
			}
		})
	}
}

// every is how many changes to the disk a test skips. All are tried by whoever has the time.
func every(n int) int {
	if *seeds > 1000 {
		return 1
	}
	if brief() {
		n *= 2
	}
	return n
}

// A death at any change to the disk leaves an old directory or a new one, which the next start
// takes over, or goes on with; and so does another death after that.
func TestDeathWhileTakingOver(t *testing.T) {
	formats := make(map[int]int)
	for i, name := range oldDirs {
		changes, r := i, rand.New(rand.NewSource(int64(i)))
		c := &camera{disk: &cloneable{MemFS: oldDir(t, name)}, r: r, when: func(op errorfs.Op) []int {
			if op.Kind.ReadOrWrite() == errorfs.OpIsRead {
				return nil
			}
			if changes++; changes%every(17) != 0 {
				return nil
			}
			return []int{[]int{0, 100, r.Intn(101)}[r.Intn(3)]}
		}}
		mustTell(t, errorfs.Wrap(c.disk, c), name)
		for _, p := range c.photos {
			formats[manifestOf(t, p.fs).Format]++
			for range 2 {
				if got, err := tell(t, p.fs); err != nil || got != oldText(t, name) {
					t.Fatalf("%s, %s: %v:\n%s", name, p.what, err, got)
				}
				p.fs = clone(p.fs, r.Intn(101), r)
			}
		}
	}
	t.Logf("formats that a death has left, and how often: %v", formats)
	if formats[format.FirstFormat] == 0 || formats[format.QueueFormat] == 0 || formats[format.TurnsFormat] == 0 {
		t.Error("that is too few kinds")
	}
}

// A disk that fails at any operation leaves a directory that the next start takes over.
func TestErrorWhileTakingOver(t *testing.T) {
	name, failed := "format2-killed", 0
	old := oldDir(t, name)
	everyOperation(t, int64(every(17)), func(b *breaking) error {
		r := rand.New(rand.NewSource(b.at))
		disk := &cloneable{MemFS: clone(old, 100, r)}
		_, err := tell(t, errorfs.Wrap(disk, b))
		if err != nil {
			failed++
		}
		left := disk.clone(vfs.CrashCloneCfg{UnsyncedDataPercent: r.Intn(101), RNG: randv2(b.at)})
		if got, after := tell(t, left); after != nil || got != oldText(t, name) {
			t.Errorf("the next start: %v:\n%s", after, got)
		}
		return err
	})
	if t.Logf("%d starts failed", failed); failed == 0 {
		t.Error("no start has failed")
	}
}

// tryOld damages a file of an old directory.
func tryOld(t *testing.T, old *vfs.MemFS, name, path string, text []byte) (refused bool) {
	t.Helper()
	return tryFile(t, old, path, path, text, func(fs *vfs.MemFS) error {
		got, err := tell(t, fs)
		if err == nil && got != oldText(t, name) {
			t.Errorf("%s: what was there is not there any more", path)
		}
		return err
	})
}

// What the old mark says to have been synced, of Pebble's logs, is there, or the directory is
// refused, whichever byte is damaged.
func TestDamagedOldLogIsRefused(t *testing.T) {
	for _, name := range oldDirs {
		old := oldDir(t, name)
		refused, tried := 0, 0
		for i := range 2 {
			dir := fmt.Sprintf("data/gen-000001/shard-%03d", i)
			m, _, err := database.ReadProgress(old, dir)
			if err != nil {
				t.Fatal(err)
			}
			log := m.Logs[len(m.Logs)-1]
			path := fmt.Sprintf("%s/%06d.log", dir, log.Number)
			text := disktest.Read(t, old, path)
			for at := int(log.Length) - 1; at >= 0; at -= every(23) {
				flipped, short := []byte(text), []byte(text[:at])
				flipped[at] ^= 1 << (at % 8)
				for _, damaged := range [][]byte{flipped, short} {
					if tried++; tryOld(t, old, name, path, damaged) {
						refused++
					}
				}
			}
			if tried++; tryOld(t, old, name, path, nil) {
				refused++
			}
		}
		// The end of a log that was closed is only partly looked at.
		if t.Logf("%s: %d of %d refused", name, refused, tried); refused < tried-2*11 {
			t.Errorf("%s: only %d of %d were refused", name, refused, tried)
		}
	}
}

// The same for all other files of an old directory, but for its tables.
func TestDamagedOldDirectoryIsRefused(t *testing.T) {
	for _, name := range oldDirs {
		old := oldDir(t, name)
		refused, tried := 0, 0
		for i, path := range files(t, old, "data") {
			text := disktest.Read(t, old, path)
			if strings.HasSuffix(path, ".sst") || strings.HasSuffix(path, directory.LockName) {
				continue
			}
			for n, way := range ruins {
				if len(text) == 0 {
					way = ruins[len(ruins)-1]
				}
				for k := range 20 / every(5) {
					r := rand.New(rand.NewSource(int64(1000*i + 100*n + k)))
					if tried++; tryOld(t, old, name, path, way.do(r, []byte(text))) {
						refused++
					}
				}
			}
		}
		t.Logf("%s: %d of %d refused", name, refused, tried)
	}
}
