package locallog

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"beanfield/storage/turns"

	"github.com/cespare/xxhash/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// The mark says up to which record the log is durable. It is written in place after each
// sync, before anybody hears of that sync, but is itself synced only when the log is closed.
// So it is exact after the process was killed, since the kernel has what was written, and
// after a clean stop; after a power cut it may be older, or gone.
//
//	8 bytes  magic
//	8 bytes  origin, little endian as all numbers
//	8 bytes  number
//	8 bytes  xxHash64 of all that
const (
	markName  = "synced"
	markMagic = "bfmark\x00\x01"
	markSize  = 32
)

// markOf returns what a mark says, in the room of b.
func markOf(b []byte, origin, number uint64) []byte {
	b = append(b[:0], markMagic...)
	b = binary.LittleEndian.AppendUint64(b, origin)
	b = binary.LittleEndian.AppendUint64(b, number)
	return binary.LittleEndian.AppendUint64(b, xxhash.Sum64(b))
}

// writeMark says that the log is durable up to its last record.
func (l *Log) writeMark() error {
	l.buf = markOf(l.buf, l.place.Origin, l.place.Number)
	if _, err := l.mark.WriteAt(l.buf, 0); err != nil {
		return fmt.Errorf("storage: %s: mark: %w", l.o.Dir, err)
	}
	return nil
}

// openMark opens the mark for writing.
func openMark(o Options) (vfs.File, error) {
	f, err := o.FS.OpenReadWrite(o.FS.PathJoin(o.Dir, markName), vfs.WriteCategoryUnspecified)
	if err != nil {
		return nil, fmt.Errorf("storage: %w", err)
	}
	return f, nil
}

// Create makes the directory of a log for a store that stands at a place: there is only a
// mark in it, which names the place. The directory and the mark are durable when it returns,
// if the parent is; it may be called again if a crash came before.
func Create(o Options, from turns.Place) error {
	if err := o.FS.MkdirAll(o.Dir, 0o700); err != nil {
		return fmt.Errorf("storage: %w", err)
	}
	f, err := openMark(o)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(markOf(nil, from.Origin, from.Number), 0)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("storage: %s: mark: %w", o.Dir, err)
	}
	return errors.Join(syncDir(o.FS, o.Dir), syncDir(o.FS, o.FS.PathDir(o.Dir)))
}

// readMark returns the number in the mark of a log, if there is one that can be read. It is
// never the only witness, unless there are no slots.
func readMark(fs vfs.FS, dir string, origin uint64) (number uint64, ok bool, err error) {
	f, err := fs.Open(fs.PathJoin(dir, markName))
	if errors.Is(err, os.ErrNotExist) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, fmt.Errorf("storage: %w", err)
	}
	defer f.Close()
	b := make([]byte, markSize)
	if _, err := f.ReadAt(b, 0); err != nil && !errors.Is(err, io.EOF) {
		return 0, false, fmt.Errorf("storage: %s: mark: %w", dir, err)
	}
	number = binary.LittleEndian.Uint64(b[16:])
	if !bytes.Equal(b, markOf(nil, origin, number)) {
		return 0, false, nil
	}
	return number, true, nil
}
