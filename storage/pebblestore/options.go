package pebblestore

import (
	"log/slog"
	"time"

	"beanfield/storage"

	"github.com/cockroachdb/pebble/v2/vfs"
)

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

	disk     int64 // bytes of the disk, if known: see fit
	copySlot int64 // how long a slot of a copied log is at least; tests have shorter ones
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
