package powercut

import (
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// Disk is a disk. Nothing on it counts as safe before it has been synced.
type Disk struct {
	mem     *Mem
	held    sync.RWMutex
	waiting atomic.Int32
}

// NewDisk makes an empty disk.
func NewDisk() *Disk { return &Disk{mem: &Mem{MemFS: vfs.NewCrashableMem()}} }

// FS is the disk as a store sees it.
func (d *Disk) FS() vfs.FS {
	return errorfs.Wrap(d.mem, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if strings.HasSuffix(op.Path, ".turns") &&
			(op.Kind == errorfs.OpFileSync || op.Kind == errorfs.OpFileSyncData) {
			d.waiting.Add(1)
			d.held.RLock()
			d.waiting.Add(-1)
			d.held.RUnlock()
		}
		return nil
	}))
}

// Hold makes every sync of a log wait, so that what is written piles up.
func (d *Disk) Hold() { d.held.Lock() }

// Waiting is how many syncs wait, or are about to pass.
func (d *Disk) Waiting() int { return int(d.waiting.Load()) }

// Release ends a Hold.
func (d *Disk) Release() { d.held.Unlock() }

// Cut returns the disk as it is found after a power cut at this moment. What
// was synced is there. Of the rest, each block and each directory entry is
// there with a chance of so many percent; r decides.
func (d *Disk) Cut(percent int, r *rand.Rand) *Disk {
	return &Disk{mem: &Mem{MemFS: d.mem.Clone(vfs.CrashCloneCfg{UnsyncedDataPercent: percent, RNG: r})}}
}
