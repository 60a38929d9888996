package pebblestore

import (
	"io"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// cloneable is a crashable file system that can be cloned while a database
// that was given up is still being opened on it. MemFS.Lock takes for reading,
// twice, the lock that CrashClone takes for writing: between the two it would
// wait for a clone that waits for it, for ever.
type cloneable struct {
	*vfs.MemFS
	mu sync.Mutex
}

func (c *cloneable) Lock(name string) (io.Closer, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.MemFS.Lock(name)
}

func (c *cloneable) clone(cfg vfs.CrashCloneCfg) *vfs.MemFS {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.CrashClone(cfg)
}
