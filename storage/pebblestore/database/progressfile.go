package database

import (
	"errors"
	"log/slog"
	"slices"
	"sync"

	"beanfield/storage/pebblestore/directory"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// ProgressFile knows how far the manifests of one database have been forced to the
// disk, and keeps the file that says so. What it says stays true: a file that counts
// never gets shorter. So a file that could no longer be written claims less than
// it could, but nothing false.
type ProgressFile struct {
	log *slog.Logger

	mu       sync.Mutex
	progress Progress
	file     vfs.File // nil when there is no writing it
	buf      []byte
}

// NewProgressFile goes on with the progress of a database that is about to be opened, or begins
// one. If that fails, the database is opened all the same.
func NewProgressFile(fs vfs.FS, dir string, log *slog.Logger) *ProgressFile {
	r := &ProgressFile{log: log}
	m, _, err := ReadProgress(fs, dir)
	r.progress = m
	if err == nil {
		r.file, err = fs.OpenReadWrite(fs.PathJoin(dir, ProgressName), directory.Category)
	}
	if err == nil {
		err = r.begin()
	}
	if err != nil {
		r.give(err)
	}
	return r
}

// begin writes both slots.
func (r *ProgressFile) begin() error {
	return errors.Join(r.write(), r.write(), r.file.Sync())
}

// write writes the next slot.
func (r *ProgressFile) write() error {
	r.progress.Count++
	r.buf = r.progress.appendTo(r.buf[:0])
	_, err := r.file.WriteAt(r.buf, int64(r.progress.Count%2)*progressSlot)
	return err
}

// give ends the writing.
func (r *ProgressFile) give(err error) {
	r.log.Warn("storage: the mark of what has been synced cannot be written", "error", err)
	if r.file != nil {
		_ = r.file.Close()
		r.file = nil
	}
}

// manifestCreated forgets another manifest of that number: a power cut can take the name
// of a file whose content was synced, and its number is then given again.
func (r *ProgressFile) manifestCreated(number uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.progress.Manifests = slices.DeleteFunc(r.progress.Manifests, func(e Extent) bool { return e.Number == number })
}

// manifestSynced notes how far a manifest has been forced to the disk. The progress is forced
// there too: what the manifest no longer needs is removed next, and the progress from before
// would not miss it.
func (r *ProgressFile) manifestSynced(number uint64, length int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.progress.Manifests = extend(r.progress.Manifests, number, length)
	if r.file == nil {
		return
	}
	if err := errors.Join(r.write(), r.file.SyncData()); err != nil {
		r.give(err)
	}
}

// extend notes how far a manifest reaches, and forgets the oldest if there are too many.
func extend(list []Extent, number uint64, length int64) []Extent {
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].Number == number {
			list[i].Length = max(list[i].Length, length)
			return list
		}
	}
	if list = append(list, Extent{number, length}); len(list) > mostManifests {
		list = slices.Delete(list, 0, 1)
	}
	return list
}

// close forces the progress to the disk when the database is closed. It may be called
// more than once.
func (r *ProgressFile) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.file == nil {
		return
	}
	err := errors.Join(r.file.SyncData(), r.file.Close())
	r.file = nil
	if err != nil {
		r.give(err)
	}
}
