package powercut

import (
	"io"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Mem is a crashable file system in memory that can be cloned while a database is at work on it.
// MemFS.Lock and MemFS.Link take for reading, twice, the lock that CrashClone takes for writing:
// between the two they would wait for a clone that waits for them, for ever.
type Mem struct {
	*vfs.MemFS
	mu sync.Mutex
}

// Lock and Link are MemFS's.
func (m *Mem) Lock(name string) (io.Closer, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.MemFS.Lock(name)
}

func (m *Mem) Link(old, name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.MemFS.Link(old, name)
}

// Clone is what a crash at this moment leaves.
func (m *Mem) Clone(cfg vfs.CrashCloneCfg) *vfs.MemFS {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.CrashClone(cfg)
}
