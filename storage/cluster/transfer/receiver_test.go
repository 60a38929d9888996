package transfer

import (
	"os"
	"path/filepath"
	"testing"
)

// TestLongFiles has no sync be about more than a part of a file.
func TestLongFiles(t *testing.T) {
	synced, o := []int64{}, small().filled()
	o.sync = func(f *os.File) error {
		if info, err := f.Stat(); err != nil || !info.IsDir() {
			synced = append(synced, info.Size())
		}
		return nil
	}
	const length = 2*syncEach + 5
	r, err := receive(filepath.Join(t.TempDir(), "into"), []file{{"a", length}, {"b", syncEach}}, o)
	if err != nil {
		t.Fatal(err)
	}
	for sent, p := 0, make([]byte, 1<<20); sent < length+syncEach; sent += len(p) {
		if err := r.write(p[:min(len(p), length+syncEach-sent)]); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.finish(); err != nil {
		t.Fatal(err)
	}
	if want := [...]int64{syncEach, 2 * syncEach, length, syncEach}; len(synced) != len(want) ||
		[4]int64(synced) != want {
		t.Error("files were synced at", synced)
	}
}
