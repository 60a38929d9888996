package pebblestore

import (
	"testing"

	"beanfield/storage/pebblestore/database"
)

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
