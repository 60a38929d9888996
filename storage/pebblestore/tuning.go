package pebblestore

import (
	"log/slog"
	"runtime"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// formatVersion pins the format of Pebble's files. It is raised only on purpose: an
// older build cannot read what a newer format wrote. With this one Pebble's log can
// distinguish a torn tail from damage to what had been synced.
const formatVersion = pebble.FormatTableFormatV6

// sharing is what the databases of a store have in common.
type sharing struct {
	fs     vfs.FS
	plain  vfs.FS // without the ballast's wrapper
	cache  *pebble.Cache
	files  *pebble.FileCache
	mem    uint64
	tables tableSizes
	most   int64 // bytes of a manifest
	shards int
	log    *slog.Logger
	later  func(time.Duration, func()) // for schedulers
}

func newSharing(o Options, fs vfs.FS, shards int) *sharing {
	return &sharing{
		fs:     fs,
		plain:  o.FS,
		cache:  pebble.NewCache(o.CacheBytes),
		files:  pebble.NewFileCache(runtime.GOMAXPROCS(0), o.MaxOpenFiles),
		mem:    o.memTable(shards),
		tables: o.tableSizes(),
		most:   o.maxManifest(),
		shards: shards,
		log:    o.Logger,
		later:  o.later,
	}
}

func (s *sharing) close() {
	s.files.Unref()
	s.cache.Unref()
}

// options are Pebble's for one shard. Its defaults are for small stores: a
// memtable of 4 MB, and writes that stop when two wait to be flushed.
func (s *sharing) options(f *fault, name string) *pebble.Options {
	r := reporter{fault: f, log: s.log.With("shard", name), compactions: newScheduler(s.later)}
	o := &pebble.Options{
		Cache:              s.cache,
		FileCache:          s.files,
		FormatMajorVersion: formatVersion,
		Logger:             r,
		EventListener:      r.listener(),
		// What a share of the fold has goes to tables, and the turns since then are in the
		// log: see doc.go. A memtable is for jobs that are moved to other shards, and for
		// what a start cleans up.
		DisableWAL:                  true,
		MemTableSize:                s.mem,
		MemTableStopWritesThreshold: 3,
		L0CompactionThreshold:       4,
		L0StopWritesThreshold:       64,
		LBaseMaxBytes:               max(4*int64(s.mem), s.tables.base),
		BytesPerSync:                mib,
		MaxManifestFileSize:         s.most,
	}
	// Compactions get the cores that the shards leave.
	most := max(1, min(3, runtime.GOMAXPROCS(0)/s.shards))
	o.CompactionConcurrencyRange = func() (int, int) { return 1, most }
	o.TargetFileSizes[0] = max(int64(s.mem/4), s.tables.file)
	for i := range o.Levels {
		o.Levels[i].BlockSize = 16 << 10
		o.Levels[i].IndexBlockSize = 128 << 10
		o.Levels[i].Compression = func() *sstable.CompressionProfile { return sstable.NoCompression }
	}
	// What stays long enough to reach the last level is worth the CPU.
	o.Levels[len(o.Levels)-1].Compression = func() *sstable.CompressionProfile { return sstable.SnappyCompression }
	o.Experimental.CompactionScheduler = r.compactions
	// Reads of single bodies must not cause compactions.
	o.Experimental.ReadSamplingMultiplier = -1
	// A table that is taken over must be durable then. One that waits behind a memtable would
	// be in a log, of which there is none.
	o.Experimental.DisableIngestAsFlushable = func() bool { return true }
	// Values stay with their keys: a job's body dies with it, and separated
	// values would need a collector of their own.
	o.Experimental.ValueSeparationPolicy = nil
	return o
}

// openStore opens the store of a shard at path, or makes its database.
func (s *sharing) openStore(f *fault, path, name string, change func(*pebble.Options)) (*shardStore, error) {
	o := s.options(f, name)
	r := newReach(s.fs, path, o.Logger.(reporter).log)
	o.FS = &strictFS{FS: s.fs, dir: path, fault: f, reach: r}
	change(o)
	db, err := s.open(f, path, o)
	if err != nil {
		r.close()
		return nil, err
	}
	return &shardStore{
		name: name, fault: f, db: db, fs: s.fs, reach: r,
		stager: stager{
			db: db, fs: s.plain, dir: path, most: tablePieces,
			table: o.MakeWriterOptions(0, formatVersion.MaxTableFormat()), // in the last level deletes would not count
		},
	}, nil
}

// readDB opens the database at path for reading only. Nothing is changed there.
func (s *sharing) readDB(f *fault, path, name string) (*pebble.DB, error) {
	o := s.options(f, name)
	o.FS = &strictFS{FS: frozenFS{s.fs}, dir: path, fault: f}
	o.ReadOnly = true
	return s.open(f, path, o)
}

func (s *sharing) open(f *fault, path string, o *pebble.Options) (*pebble.DB, error) {
	var db *pebble.DB
	err := f.guard(func() (err error) {
		db, err = pebble.Open(path, o)
		return err
	})
	if err != nil {
		return nil, err
	}
	return db, nil
}
