package pebblestore

import (
	"errors"
	"log/slog"
	"slices"
	"sync"

	"beanfield/storage/pebblestore/directory"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// reach knows how far the manifests of one database have been forced to the
// disk, and keeps the mark that says so. What it says stays true: a file that counts
// never gets shorter. So a mark that could no longer be written claims less than
// it could, but nothing false.
type reach struct {
	log *slog.Logger

	mu   sync.Mutex
	mark mark
	file vfs.File // nil when there is no writing it
	buf  []byte
}

// newReach goes on with the mark of a database that is about to be opened, or begins
// one. If that fails, the database is opened all the same.
func newReach(fs vfs.FS, dir string, log *slog.Logger) *reach {
	r := &reach{log: log}
	m, _, err := readMark(fs, dir)
	r.mark = m
	if err == nil {
		r.file, err = fs.OpenReadWrite(fs.PathJoin(dir, markName), directory.Category)
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
func (r *reach) begin() error {
	return errors.Join(r.write(), r.write(), r.file.Sync())
}

// write writes the next slot.
func (r *reach) write() error {
	r.mark.count++
	r.buf = r.mark.appendTo(r.buf[:0])
	_, err := r.file.WriteAt(r.buf, int64(r.mark.count%2)*markSlot)
	return err
}

// give ends the writing.
func (r *reach) give(err error) {
	r.log.Warn("storage: the mark of what has been synced cannot be written", "error", err)
	if r.file != nil {
		_ = r.file.Close()
		r.file = nil
	}
}

// manifestCreated forgets another manifest of that number: a power cut can take the name
// of a file whose content was synced, and its number is then given again.
func (r *reach) manifestCreated(number uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.mark.manifests = slices.DeleteFunc(r.mark.manifests, func(e extent) bool { return e.number == number })
}

// logsTaken forgets what older builds told of logs, when all that is in these is in tables.
func (r *reach) logsTaken() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.mark.logs = nil
	r.put()
}

// manifestSynced notes how far a manifest has been forced to the disk. The mark is forced
// there too: what the manifest no longer needs is removed next, and a mark from before
// would not miss it.
func (r *reach) manifestSynced(number uint64, length int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.mark.manifests = extend(r.mark.manifests, number, length, mostManifests)
	r.put()
}

// put forces the mark to the disk.
func (r *reach) put() {
	if r.file == nil {
		return
	}
	if err := errors.Join(r.write(), r.file.SyncData()); err != nil {
		r.give(err)
	}
}

// extend notes how far a file reaches, and forgets the oldest if there are too many.
func extend(list []extent, number uint64, length int64, most int) []extent {
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].number == number {
			list[i].length = max(list[i].length, length)
			return list
		}
	}
	if list = append(list, extent{number, length}); len(list) > most {
		list = append(list[:0], list[1:]...)
	}
	return list
}

// close forces the mark to the disk when the database is closed. It may be called
// more than once.
func (r *reach) close() {
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
