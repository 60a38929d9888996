package locallog

import (
	"fmt"
	"testing"

	"beanfield/storage/must"
	"beanfield/storage/turns"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// A durable record: on the disk, and in memory, which is what the log itself costs. The store trims as it goes.
func BenchmarkAppendSync(b *testing.B) {
	for _, size := range []int{150, 4 << 10, 256 << 10} {
		for name, fs := range map[string]vfs.FS{"disk": vfs.Default, "memory": vfs.NewMem()} {
			b.Run(fmt.Sprintf("%d/%s", size, name), func(b *testing.B) {
				o := Options{FS: fs, Dir: b.TempDir() + "/log", Slot: 4 << 20, Slots: 4, Epoch: 1}
				from := turns.Place{Origin: origin}
				must.Do(b, Create(o, from))
				l := must.Get(Open(o, from))
				defer l.Close()
				turns := make([]byte, size)
				b.ReportAllocs()
				b.SetBytes(int64(size))
				for b.Loop() {
					must.Do(b, appendSync(l, turns))
				}
			})
		}
	}
}

func appendSync(l *Log, b []byte) error {
	if _, _, err := l.Append(b); err != nil {
		return err
	}
	if used, of := l.Used(); used == of {
		l.Trim(l.Segments()[0].Behind.Number)
	}
	return l.Sync()
}
