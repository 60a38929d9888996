package pebblestore

import (
	"testing"

	"beanfield/storage"
	"beanfield/storage/pebblestore/database"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// What a store keeps for itself is a small part of a disk, however small, and what
// the options say of a large one.
func TestFit(t *testing.T) {
	for _, x := range []struct {
		disk   int64
		shards int
		free   float64 // the part of the disk that is left for jobs, at least
	}{
		{8 * mib, 2, 0.6}, {40 * mib, 2, 0.7}, {40 * mib, 16, 0.5}, {340 * mib, 2, 0.7},
		{340 * mib, 64, 0.2}, {4 << 30, 2, 0.9},
	} {
		o := Options{MinFree: -1}.withDefaults().fit(x.disk)
		slot, slots := o.slots(x.shards)
		logs := int64(x.shards) * (slot*int64(slots) + int64(o.memTable(x.shards)))
		if left := x.disk - logs - o.reserve(); float64(left) < x.free*float64(x.disk) {
			t.Errorf("%d shards on %d MiB: %d are left, want %.0f %%: logs take %d, %d are reserved",
				x.shards, x.disk/mib, left, 100*x.free, logs, o.reserve())
		}
		if o.Ballast <= 0 || o.reserve() <= o.Ballast {
			t.Errorf("on %d MiB the ballast is %d of a reserve of %d", x.disk/mib, o.Ballast, o.reserve())
		}
	}
	usual := Options{}.withDefaults()
	if o := usual.fit(2 << 30); o.Ballast != usual.Ballast || o.memTable(4) != usual.memTable(4) ||
		o.maxManifest() < 8*mib || o.reserve() != 256*mib {
		t.Errorf("2 GiB is no small disk: %+v", o)
	}
}

// The sizes reach what they are for.
func TestSmallDisk(t *testing.T) {
	fs := vfs.NewMem()
	fs.TestingSetDiskUsage(vfs.DiskUsage{AvailBytes: 8 * mib, TotalBytes: 8 * mib})
	o := small(fs, storage.Always)
	o.Ballast = 0
	s := noTicks(o)
	mustOpen(t, s, 1)
	defer s.Close()
	if got := s.sharing.Options(database.NewFault(nil), "").MemTableSize; got != leastMemTable {
		t.Errorf("a memtable has %d bytes", got)
	}
	if info, err := fs.Stat("data/ballast"); err != nil || s.space.size != mib/2 {
		t.Errorf("the ballast of %d bytes: %v, %v", s.space.size, info, err)
	}
}

// All memtables together take what is set, however many shards there are, as far
// as the least useful size allows.
func TestMemTablesShareTheirMemory(t *testing.T) {
	for _, c := range []struct {
		total    int64
		shards   int
		of, most uint64 // each; all together
	}{
		{0, 1, 16 * mib, 16 * mib}, // the default
		{0, 2, 8 * mib, 16 * mib},
		{0, 64, mib / 2, 32 * mib},
		{0, 254, mib / 2, 127 * mib},
		{64 * mib, 64, mib, 64 * mib},
		{1024 * mib, 1, 64 * mib, 64 * mib},
		{1, 1, mib / 2, mib / 2},
	} {
		o := Options{MemTableBytes: c.total}.withDefaults()
		each := o.memTable(c.shards)
		if each != c.of || each*uint64(c.shards) > c.most {
			t.Errorf("%d bytes, %d shards: %d bytes each", c.total, c.shards, each)
		}
		s := o.sharing(o.FS, c.shards)
		if got := s.Options(database.NewFault(nil), "x").MemTableSize; got != each {
			t.Errorf("%d shards: the database gets memtables of %d bytes", c.shards, got)
		}
		s.Close()
	}
}
