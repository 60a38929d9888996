package pebblestore

import (
	"log/slog"
	"math"
	"time"

	"beanfield/storage"
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

// Options configure the durable store. The zero value of a field, but
// for Dir, means its default.
type Options struct {
	Dir       string
	Sync      storage.SyncMode
	SyncEvery time.Duration // in Interval; default 50 ms

	CacheBytes    int64 // block cache of all shards; default 32 MiB
	MemTableBytes int64 // memtables of all shards, one each; default 16 MiB
	// LogBytes bounds the logs of all shards together: turns that the stores have not folded
	// yet. What comes and goes within that costs no table. Default 64 MiB.
	LogBytes     int64
	MaxOpenFiles int // open tables of all shards; default 1,000

	// MinFree is how much of the disk stays free: with less, Room says no. It
	// is what flushes and compactions need so that they never meet a full
	// disk. Default 256 MiB; negative for no more than those need at least.
	MinFree int64
	// Ballast is the size of a file that is given up when the disk is full in
	// spite of MinFree, because something else filled it. Deletes go on with
	// that. It is a part of MinFree. Default 32 MiB; negative for none.
	Ballast int64

	Logger *slog.Logger // default: slog.Default()
	// Steps learns what Open and the replays are doing; nil for nobody.
	Steps *storage.Steps
	FS    vfs.FS // default: the operating system's
	// Fatal is called, at most once and in a goroutine of its own, with an
	// error after which a log accepts nothing more: the process should end.
	Fatal func(error)

	disk     int64         // bytes of the disk, if known: see fit
	copySlot int64         // how long a slot of a copied log is at least; tests have shorter ones
	foldRest time.Duration // how long the fold waits after it has met a full disk; tests wait less
}

const (
	mib = 1 << 20
	// A memtable may take a share of MemTableBytes between these, so that 64
	// shards still have useful ones and one shard has no huge one.
	minMemTable = mib / 2
	maxMemTable = 64 * mib
)

func (o Options) withDefaults() Options {
	def := func(v *int64, d int64) {
		if *v == 0 {
			*v = d
		}
	}
	def(&o.CacheBytes, 32*mib)
	def(&o.MemTableBytes, 16*mib)
	def(&o.LogBytes, 64*mib)
	def(&o.MinFree, 256*mib)
	def(&o.Ballast, 32*mib)
	def(&o.copySlot, mib+mib/4)
	if o.SyncEvery <= 0 {
		o.SyncEvery = 50 * time.Millisecond
	}
	if o.foldRest == 0 {
		o.foldRest = 100 * time.Millisecond
	}
	if o.MaxOpenFiles == 0 {
		o.MaxOpenFiles = 1000
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.FS == nil {
		o.FS = vfs.Default
	}
	if o.Fatal == nil {
		o.Fatal = func(error) {}
	}
	return o
}
