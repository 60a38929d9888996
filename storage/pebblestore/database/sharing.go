package database

import (
	"context"
	"log/slog"
	"runtime"
	"strconv"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// FormatVersion pins the format of Pebble's files. It is raised only on purpose: an
// older build cannot read what a newer format wrote. With this one Pebble's log can
// distinguish a torn tail from damage to what had been synced.
const FormatVersion = pebble.FormatTableFormatV6

// KnownFormat says whether this build reads files of a format of Pebble's, as a marker names it.
func KnownFormat(name string) bool {
	number, err := strconv.ParseUint(name, 10, 64)
	return err != nil || number <= uint64(FormatVersion)
}

// Config is what the databases of a store are like.
type Config struct {
	FS       vfs.FS
	Plain    vfs.FS // without the ballast's wrapper
	Cache    int64  // bytes of the block cache of all
	Files    int    // open tables of all
	Mem      uint64 // bytes of a memtable
	Table    int64  // least bytes of a table
	Base     int64  // and of the level that flushes are merged into
	Manifest int64  // most bytes of a manifest
	Shards   int
	Log      *slog.Logger
	Later    func(time.Duration, func()) // calls a function later
}

// Sharing is what the databases of a store have in common.
type Sharing struct {
	Config
	blocks *pebble.Cache
	opened *pebble.FileCache
}

func New(c Config) *Sharing {
	return &Sharing{Config: c, blocks: pebble.NewCache(c.Cache), opened: pebble.NewFileCache(runtime.GOMAXPROCS(0),
		c.Files)}
}

func (s *Sharing) Close() {
	s.opened.Unref()
	s.blocks.Unref()
}

// Options are Pebble's for one shard. Its defaults are for small stores: a
// memtable of 4 MB, and writes that stop when two wait to be flushed.
func (s *Sharing) Options(f *Fault, name string) *pebble.Options {
	r := reporter{fault: f, log: s.Log.With("shard", name), compactions: newScheduler(s.Later)}
	o := &pebble.Options{
		Cache:              s.blocks,
		FileCache:          s.opened,
		FormatMajorVersion: FormatVersion,
		Logger:             r,
		EventListener:      r.listener(),
		// What a share of the fold has goes to tables, and the turns since then are in the
		// log: see doc.go. A memtable is for what a start cleans up.
		DisableWAL:                  true,
		MemTableSize:                s.Mem,
		MemTableStopWritesThreshold: 3,
		L0CompactionThreshold:       4,
		L0StopWritesThreshold:       64,
		LBaseMaxBytes:               max(4*int64(s.Mem), s.Base),
		BytesPerSync:                1 << 20,
		MaxManifestFileSize:         s.Manifest,
	}
	// Compactions get the cores that the shards leave.
	most := max(1, min(3, runtime.GOMAXPROCS(0)/s.Shards))
	o.CompactionConcurrencyRange = func() (int, int) { return 1, most }
	o.TargetFileSizes[0] = max(int64(s.Mem/4), s.Table)
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

// Database is one that is open.
type Database struct {
	DB       *pebble.DB
	Progress *ProgressFile
	Table    sstable.WriterOptions // for tables that it takes over
	// compactions says when they begin.
	compactions *scheduler
}

// Open opens the database at path, or makes it.
func (s *Sharing) Open(f *Fault, path, name string, change func(*pebble.Options)) (*Database, error) {
	o := s.Options(f, name)
	r := o.Logger.(reporter)
	d := &Database{Progress: NewProgressFile(s.FS, path, r.log), compactions: r.compactions}
	o.FS = &strictFS{FS: s.FS, dir: path, fault: f, progress: d.Progress}
	change(o)
	var err error
	if d.DB, err = s.open(f, path, o); err != nil {
		d.Progress.close()
		return nil, err
	}
	d.Table = o.MakeWriterOptions(0, FormatVersion.MaxTableFormat()) // in the last level deletes would not count
	return d, nil
}

// Close closes the database.
func (d *Database) Close(f *Fault) error {
	if err := f.Guard(d.DB.Close); err != nil {
		return err
	}
	d.Progress.close()
	return nil
}

// Compact rewrites all tables without what is dead. It gives up when a compaction has met
// damage: it would meet it too, or wait for ever, because Pebble prefers compactions of its
// own, which meet it again and again.
func (d *Database) Compact(ctx context.Context, f *Fault) error {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	go d.compactions.giveUp(ctx, end)
	err := f.Guard(func() error { return d.DB.Compact(ctx, []byte{0}, []byte{0xff}, false) })
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return err
}

// CheckOptions has the text of Pebble's options looked at as Pebble itself will.
func CheckOptions(dir, text string, log *slog.Logger) error {
	sh := Sharing{Config: Config{Shards: 1, Mem: 512 << 10, Log: log}}
	o := sh.Options(NewFault(nil), "")
	o.EnsureDefaults()
	return o.CheckCompatibility(dir, text)
}

// OpenToRead opens the database at path for reading only. Nothing is changed there.
func (s *Sharing) OpenToRead(f *Fault, path, name string) (*pebble.DB, error) {
	o := s.Options(f, name)
	o.FS = &strictFS{FS: Frozen{s.FS}, dir: path, fault: f}
	o.ReadOnly = true
	return s.open(f, path, o)
}

func (s *Sharing) open(f *Fault, path string, o *pebble.Options) (*pebble.DB, error) {
	var db *pebble.DB
	err := f.Guard(func() (err error) {
		db, err = pebble.Open(path, o)
		return err
	})
	if err != nil {
		return nil, err
	}
	return db, nil
}
