package locallog

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

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

// writeMark says that the log is durable up to a record.
func (l *Log) writeMark(number uint64) error {
	b := append(make([]byte, 0, markSize), markMagic...)
	b = binary.LittleEndian.AppendUint64(b, l.from.Origin)
	b = binary.LittleEndian.AppendUint64(b, number)
	b = binary.LittleEndian.AppendUint64(b, xxhash.Sum64(b))
	if _, err := l.mark.WriteAt(b, 0); err != nil {
		return fmt.Errorf("storage: %s: mark: %w", l.o.Dir, err)
	}
	return nil
}

// openMark opens the mark for writing.
func (l *Log) openMark() (err error) {
	l.mark, err = l.o.FS.OpenReadWrite(l.o.FS.PathJoin(l.o.Dir, markName), vfs.WriteCategoryUnspecified)
	if err != nil {
		return fmt.Errorf("storage: %w", err)
	}
	return nil
}

// readMark returns the number in the mark of a log, or 0 if there is none that can be
// read: it is never the only witness.
func readMark(fs vfs.FS, dir string, origin uint64) (number uint64, err error) {
	f, err := fs.Open(fs.PathJoin(dir, markName))
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("storage: %w", err)
	}
	defer f.Close()
	b := make([]byte, markSize)
	if _, err := f.ReadAt(b, 0); err != nil && !errors.Is(err, io.EOF) {
		return 0, fmt.Errorf("storage: %s: mark: %w", dir, err)
	}
	end := markSize - 8
	if string(b[:8]) != markMagic || binary.LittleEndian.Uint64(b[8:]) != origin ||
		binary.LittleEndian.Uint64(b[end:]) != xxhash.Sum64(b[:end]) {
		return 0, nil
	}
	return binary.LittleEndian.Uint64(b[16:]), nil
}
