package shipment

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
	l, err := land(filepath.Join(t.TempDir(), "into"), []entry{{name: "a", length: length}, {name: "b", length: syncEach}}, o)
	if err != nil {
		t.Fatal(err)
	}
	for sent, p := 0, make([]byte, 1<<20); sent < length+syncEach; sent += len(p) {
		if _, err := l.write(p[:min(len(p), length+syncEach-sent)], nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.finish(); err != nil {
		t.Fatal(err)
	}
	if want := [...]int64{syncEach, 2 * syncEach, length, syncEach}; len(synced) != len(want) || [4]int64(synced) != want {
		t.Error("files were synced at", synced)
	}
}
