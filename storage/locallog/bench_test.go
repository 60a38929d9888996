package locallog

import (
	"fmt"
	"testing"

	"beanfield/storage/must"
	"beanfield/storage/turns"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// lazyFS is a disk that is not asked to sync, or not even to write to slots and the mark once
// they are there.
type lazyFS struct {
	vfs.FS
	forgets *bool
}

func (fs lazyFS) OpenReadWrite(name string, c vfs.DiskWriteCategory, opts ...vfs.OpenOption) (vfs.File, error) {
	f, err := fs.FS.OpenReadWrite(name, c, opts...)
	return lazyFile{f, fs.forgets}, err
}

type lazyFile struct {
	vfs.File
	forgets *bool
}

func (f lazyFile) SyncData() error { return nil }

func (f lazyFile) WriteAt(b []byte, at int64) (int, error) {
	if *f.forgets {
		return len(b), nil
	}
	return f.File.WriteAt(b, at)
}

// A durable record: on the disk, without the sync, and without the writes too, which is what
// the log itself costs. The store trims as it goes.
func BenchmarkAppendSync(b *testing.B) {
	for _, size := range []int{150, 4 << 10, 256 << 10} {
		for _, kind := range []string{"disk", "nosync", "nothing"} {
			b.Run(fmt.Sprintf("%d/%s", size, kind), func(b *testing.B) {
				var forgets bool
				o := Options{FS: vfs.Default, Dir: b.TempDir() + "/log", Slot: 4 << 20, Slots: 4, Epoch: 1}
				if kind != "disk" {
					o.FS = lazyFS{o.FS, &forgets}
				}
				from := turns.Place{Origin: origin}
				must.Do(b, Create(o, from))
				l := must.Get(Open(o, from))
				defer l.Close()
				for range o.Slots {
					must.Do(b, appendSync(l, make([]byte, 3<<20)))
				}
				l.Trim(l.Place().Number)
				forgets = kind == "nothing"
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
