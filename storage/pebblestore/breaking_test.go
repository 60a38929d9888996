package pebblestore

import (
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// breaking injects an error into the operation with a number, and into all
// after it if onward is set, and remembers what that operation was.
type breaking struct {
	at     int64
	onward bool

	mu    sync.Mutex
	rests bool // operations do not count
	n     int64
	kind  errorfs.OpKind
}

func (b *breaking) MaybeError(op errorfs.Op) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.rests {
		return nil
	}
	b.n++
	if b.n == b.at {
		b.kind = op.Kind
	}
	if b.n == b.at || b.onward && b.n > b.at {
		return errorfs.ErrInjected
	}
	return nil
}

func (b *breaking) String() string { return "breaking" }

// rest says whether operations do not count from now on.
func (b *breaking) rest(rests bool) {
	b.mu.Lock()
	b.rests = rests
	b.mu.Unlock()
}

// everyOperation has try meet an error at each operation on a disk, or at one of so many: once at
// that one alone, and once at all after it too. If none is injected, try may return none.
func everyOperation(t *testing.T, step int64, try func(b *breaking) error) (met map[errorfs.OpKind]bool) {
	t.Helper()
	met = make(map[errorfs.OpKind]bool)
	for _, onward := range []bool{false, true} {
		for reached, at := true, int64(1); reached; at += step {
			b := &breaking{at: at, onward: onward}
			err := try(b)
			b.mu.Lock()
			n, kind := b.n, b.kind
			b.mu.Unlock()
			if reached = n >= at; reached {
				met[kind] = true
			} else if t.Logf("%d operations, onward %v", n, onward); err != nil {
				t.Errorf("nothing was injected, but: %v", err)
			}
			if t.Failed() {
				t.Fatalf("operation %d (kind %d), onward %v: %v", at, kind, onward, err)
			}
		}
	}
	return met
}

func (b *breaking) fs(fs vfs.FS) vfs.FS { return &closeBreaking{errorfs.Wrap(fs, b), b} }

// closeBreaking lets closes fail too, which errorfs does not.
type closeBreaking struct {
	vfs.FS
	b *breaking
}

func (c *closeBreaking) file(f vfs.File, err error) (vfs.File, error) {
	if err != nil {
		return nil, err
	}
	return &closeBreakingFile{f, c.b}, nil
}

func (c *closeBreaking) Create(name string, w vfs.DiskWriteCategory) (vfs.File, error) {
	return c.file(c.FS.Create(name, w))
}

func (c *closeBreaking) Open(name string, o ...vfs.OpenOption) (vfs.File, error) {
	return c.file(c.FS.Open(name, o...))
}

func (c *closeBreaking) OpenReadWrite(name string, w vfs.DiskWriteCategory, o ...vfs.OpenOption) (vfs.File, error) {
	return c.file(c.FS.OpenReadWrite(name, w, o...))
}

func (c *closeBreaking) OpenDir(name string) (vfs.File, error) {
	return c.file(c.FS.OpenDir(name))
}

func (c *closeBreaking) ReuseForWrite(old, name string, w vfs.DiskWriteCategory) (vfs.File, error) {
	return c.file(c.FS.ReuseForWrite(old, name, w))
}

type closeBreakingFile struct {
	vfs.File
	b *breaking
}

func (f *closeBreakingFile) Close() error {
	err := f.File.Close()
	if injected := f.b.MaybeError(errorfs.Op{Kind: errorfs.OpFileClose}); injected != nil {
		return injected
	}
	return err
}
