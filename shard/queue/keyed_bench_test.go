package queue

import (
	"encoding/binary"
	"flag"
	"runtime"
	"testing"
)

var benchKeys = flag.Int("queue.keys", 1<<20, "how many jobs with keys BenchmarkKeys has")

// keyedField is a field whose jobs have keys, unless plain.
type keyedField struct {
	*field
	plain   bool
	options Options
	key     [20]byte
}

func (f *keyedField) put() {
	f.id++
	op := Op{Kind: Put, ID: f.id, Pri: 1000, TTR: 60, Data: f.body, Size: uint32(len(f.body))}
	if !f.plain {
		binary.LittleEndian.PutUint64(f.key[:], f.id)
		f.options = Options{TTR: 60 * second, Key: f.key[:]}
		op.Options = &f.options
	}
	if got := f.apply(&f.clients[0], op); got.Status != OK {
		panic("the put is refused")
	}
}

// BenchmarkKeys is a put and a delete beside many jobs, with and without unique keys. It reports
// what a key costs in memory.
func BenchmarkKeys(b *testing.B) {
	used := map[bool]uint64{}
	for _, plain := range []bool{true, false} {
		name := "keys"
		if plain {
			name = "plain"
		}
		b.Run(name, func(b *testing.B) {
			f := &keyedField{field: newField(0, 1), plain: plain}
			for range *benchKeys {
				f.put()
			}
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			used[plain] = m.HeapInuse
			for b.Loop() {
				f.put()
				f.apply(&f.clients[0], Op{Kind: Delete, ID: f.id})
			}
			if !plain && used[true] > 0 {
				b.ReportMetric((float64(used[false])-float64(used[true]))/float64(*benchKeys), "B/key")
			}
			runtime.KeepAlive(f)
		})
	}
}
