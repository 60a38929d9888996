package pebblestore

import (
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// breaking injects an error into the operation with a number, and into all
// after it if onward is set, and remembers what that operation was.
type breaking struct {
	at     int64
	onward bool

	mu   sync.Mutex
	n    int64
	kind errorfs.OpKind
}

func (b *breaking) MaybeError(op errorfs.Op) error {
	b.mu.Lock()
	defer b.mu.Unlock()
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

// arm starts to count anew.
func (b *breaking) arm(at int64, onward bool) {
	b.mu.Lock()
	b.n, b.at, b.onward = 0, at, onward
	b.mu.Unlock()
}

// reached says whether there was such an operation, and what it was.
func (b *breaking) reached() (errorfs.OpKind, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.kind, b.n >= b.at
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
