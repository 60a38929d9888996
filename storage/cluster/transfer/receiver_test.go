package transfer

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"beanfield/storage/must"
)

// TestLongFiles has no sync be about more than a part of a file.
func TestLongFiles(t *testing.T) {
	synced, o := []int64{}, small().filled()
	o.sync = func(f *os.File) error {
		if info := must.Get(f.Stat()); !info.IsDir() {
			synced = append(synced, info.Size())
		}
		return nil
	}
	const length = 2*syncEach + 5
	l := list{Chunk: 1 << 20, Files: []file{{"a", length}, {"b", syncEach}}}
	must.Do(t, l.count())
	r := must.Get(receive(filepath.Join(t.TempDir(), "into"), o))
	for number := range l.chunks {
		c := l.chunk(number)
		must.Do(t, r.write(c, make([]byte, c.size)))
	}
	must.Do(t, r.finish())
	if fmt.Sprint(synced) != fmt.Sprint([]int{syncEach, 2 * syncEach, length, syncEach}) {
		t.Error("files were synced at", synced)
	}
}
