package powercut

import (
	"io"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// What was synced survives, what was not goes when the dice say so.
func TestCut(t *testing.T) {
	d := NewDisk()
	fs := d.FS()
	f, err := fs.Create("file", vfs.WriteCategoryUnspecified)
	if err != nil {
		t.Fatal(err)
	}
	root, err := fs.OpenDir("")
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []func() error{
		func() error { _, err := f.Write([]byte("kept")); return err },
		f.Sync, root.Sync,
		func() error { _, err := f.Write([]byte(" lost")); return err },
	} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	for percent, want := range map[int]string{0: "kept", 100: "kept lost"} {
		g, err := d.Cut(percent, rand.New(rand.NewPCG(1, 1))).FS().Open("file")
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(g); err != nil || string(got) != want {
			t.Errorf("%d %%: %q, %v; want %q", percent, got, err, want)
		}
	}
}

// A held log is not synced before its release; other files are.
func TestHold(t *testing.T) {
	d := NewDisk()
	fs := d.FS()
	log, err := fs.Create("1.turns", vfs.WriteCategoryUnspecified)
	if err != nil {
		t.Fatal(err)
	}
	other, err := fs.Create("other", vfs.WriteCategoryUnspecified)
	if err != nil {
		t.Fatal(err)
	}
	d.Hold()
	if err := other.Sync(); err != nil {
		t.Fatal(err)
	}
	released := make(chan bool, 1)
	synced := make(chan bool)
	go func() {
		if err := log.Sync(); err != nil {
			t.Error(err)
		}
		synced <- len(released) == 1
	}()
	released <- true
	d.Release()
	if !<-synced {
		t.Error("the sync did not wait")
	}
}
