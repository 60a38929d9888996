package pebblestore

import (
	"math"
	"time"

	"beanfield/storage/pebblestore/database"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// What a store takes for itself has to fit its disk. On a disk of 2 GiB or more
// the default options hold as they are; a smaller one is shared out: a sixteenth for the
// ballast, and as much for the logs. Without that, two shards took 50 MiB before the first job came.
const (
	ballastShare  = 16
	memTableShare = 128
	logShare      = 16
	// leastMemTable is what a shard has in any case.
	leastMemTable      = 64 << 10
	leastMemTableShare = 1024
)

// fit returns the options for a disk of so many bytes.
func (o Options) fit(disk int64) Options {
	o.disk = disk
	o.Ballast = min(o.Ballast, disk/ballastShare)
	o.MemTableBytes = min(o.MemTableBytes, disk/memTableShare)
	o.LogBytes = min(o.LogBytes, disk/logShare)
	return o
}

// memTable is the size of a shard's memtable.
func (o Options) memTable(shards int) uint64 {
	least := int64(minMemTable)
	if o.disk > 0 {
		least = min(least, max(leastMemTable, o.disk/leastMemTableShare))
	}
	return uint64(min(max(o.MemTableBytes/int64(shards), least), maxMemTable))
}

// A shard's log has so many slots of equal length, between these.
const (
	logSlots  = 16
	leastSlot = 16 << 10
	mostSlot  = 4 * mib
	slotAlign = 4 << 10
)

// slots says how long the slots of a shard's log are, and how many there may be.
func (o Options) slots(shards int) (length int64, n int) {
	length = o.LogBytes / int64(shards) / logSlots
	return min(max(length, leastSlot), mostSlot) &^ (slotAlign - 1), logSlots
}

// A copy of a log that is kept elsewhere has slots that each of its records fits into, and fewer of
// them where there are many shards.
const leastCopySlots = 4

// copySlots are the slots of a copy of a shard's log.
func (o Options) copySlots(shards int) (length int64, n int) {
	length, n = o.slots(shards)
	if length < o.copySlot {
		n = max(leastCopySlots, int(int64(n)*length/o.copySlot))
		length = o.copySlot
	}
	return length, n
}

// reserve is how much of the disk is not for puts. Also with a smaller MinFree
// there is room for the ballast, for flushes and for small compactions.
func (o Options) reserve() int64 {
	return max(o.MinFree, max(0, o.Ballast)+min(8*o.MemTableBytes, 32*mib))
}

// tableSizes are the least sizes of a table and of the level that flushes are
// merged into: a compaction needs room for as much as it reads.
func (o Options) tableSizes() (table, base int64) {
	if o.disk > 0 {
		return min(mib, o.disk/memTableShare), min(16*mib, o.disk/ballastShare)
	}
	return mib, 16 * mib
}

// maxManifest is when Pebble begins another manifest: after 128 MiB, but on a
// small disk a manifest may not grow beside the jobs.
func (o Options) maxManifest() int64 {
	const usual = 128 * mib
	if o.disk == 0 {
		return usual
	}
	return min(usual, o.disk/memTableShare)
}

// sharing is for the databases of so many shards. fs gives up the ballast on a full disk.
func (o Options) sharing(fs vfs.FS, shards int) *database.Sharing {
	table, base := o.tableSizes()
	return database.New(database.Config{
		FS: fs, Plain: o.FS, Cache: o.CacheBytes, Files: o.MaxOpenFiles,
		Mem: o.memTable(shards), Table: table, Base: base, Manifest: o.maxManifest(),
		Shards: shards, Log: o.Logger, Later: func(d time.Duration, fn func()) { time.AfterFunc(d, fn) },
	})
}

// fit is called when the directory is there, before anything is written.
func (s *store) fit() {
	usage, err := s.dir.FS.GetDiskUsage(s.dir.Path)
	if err == nil && usage.TotalBytes > 0 {
		s.o = s.o.fit(int64(min(usage.TotalBytes, math.MaxInt64)))
	}
	s.space.fit(s.o)
	s.space.look()
}
