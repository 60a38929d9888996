package powercut

import (
	"io"
	"math/rand/v2"
	"testing"

	"beanfield/storage/must"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// What was synced survives, what was not goes when the dice say so.
func TestCut(t *testing.T) {
	d := NewDisk()
	fs := d.FS()
	f := must.Get(fs.Create("file", vfs.WriteCategoryUnspecified))
	root := must.Get(fs.OpenDir(""))
	for _, step := range []func() error{
		func() error { _, err := f.Write([]byte("kept")); return err },
		f.Sync, root.Sync,
		func() error { _, err := f.Write([]byte(" lost")); return err },
	} {
		must.Do(t, step())
	}
	for percent, want := range map[int]string{0: "kept", 100: "kept lost"} {
		g := must.Get(d.Cut(percent, rand.New(rand.NewPCG(1, 1))).FS().Open("file"))
		if got, err := io.ReadAll(g); err != nil || string(got) != want {
			t.Errorf("%d %%: %q, %v; want %q", percent, got, err, want)
		}
	}
}

// A held log is not synced before its release; other files are.
func TestHold(t *testing.T) {
	d := NewDisk()
	fs := d.FS()
	log := must.Get(fs.Create("1.turns", vfs.WriteCategoryUnspecified))
	other := must.Get(fs.Create("other", vfs.WriteCategoryUnspecified))
	d.Hold()
	must.Do(t, other.Sync())
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
