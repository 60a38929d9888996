package pebblestore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"beanfield/storage/pebblestore/directory"
	"beanfield/storage/pebblestore/format"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// markName is the file, beside the files of a database, that says how far its manifests
// reach. It is written in place, after every sync of one, to one of two slots in turn: a
// write that was torn leaves the other. It is never the only witness: see doc.go.
//
//	8 bytes  markMagic
//	8 bytes  how often the mark was written, little endian as all numbers
//	8 bytes  a key of older builds
//	2 bytes  number of logs, and of manifests
//	         for each its number and its length, 8 bytes each
//	4 bytes  CRC-32C of all that
//
// Only older builds had logs to tell of. What they told stays until these are taken over.
const (
	markName  = "synced"
	markMagic = "beanmrk1"
	markSlot  = 4096
	// mostManifests is how many a mark names: after a crash the one before the newest
	// may be the one that counts.
	mostManifests = 4
)

// extent is how far a file reaches.
type extent struct {
	number uint64
	length int64
}

// mark is the content of the file.
type mark struct {
	count     uint64
	key       uint64
	logs      []extent // in the order of their numbers
	manifests []extent
}

// appendTo encodes a mark.
func (m *mark) appendTo(b []byte) []byte {
	start := len(b)
	b = append(b, markMagic...)
	b = binary.LittleEndian.AppendUint64(b, m.count)
	b = binary.LittleEndian.AppendUint64(b, m.key)
	b = append(b, byte(len(m.logs)), byte(len(m.manifests)))
	for _, list := range [][]extent{m.logs, m.manifests} {
		for _, e := range list {
			b = binary.LittleEndian.AppendUint64(b, e.number)
			b = binary.LittleEndian.AppendUint64(b, uint64(e.length))
		}
	}
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[start:], format.Castagnoli))
}

// decodeMark reads one slot.
func decodeMark(b []byte) (m mark, ok bool) {
	const head = len(markMagic) + 8 + 8 + 2
	if len(b) < head || string(b[:len(markMagic)]) != markMagic {
		return m, false
	}
	logs, manifests := int(b[head-2]), int(b[head-1])
	end := head + (logs+manifests)*16
	if len(b) < end+4 || binary.LittleEndian.Uint32(b[end:]) != crc32.Checksum(b[:end], format.Castagnoli) {
		return m, false
	}
	m.count = binary.LittleEndian.Uint64(b[len(markMagic):])
	m.key = binary.LittleEndian.Uint64(b[len(markMagic)+8:])
	list := make([]extent, logs+manifests)
	for i := range list {
		at := b[head+i*16:]
		list[i] = extent{binary.LittleEndian.Uint64(at), int64(binary.LittleEndian.Uint64(at[8:]))}
	}
	m.logs, m.manifests = list[:logs:logs], list[logs:]
	return m, true
}

// readMark reads the newer of the two slots that can be read. It is no error if
// there is none.
func readMark(fs vfs.FS, dir string) (m mark, ok bool, err error) {
	path := fs.PathJoin(dir, markName)
	f, err := fs.Open(path)
	if directory.Missing(err) {
		return m, false, nil
	}
	if err != nil {
		return m, false, fmt.Errorf("storage: %w", err)
	}
	defer f.Close()
	for slot := range int64(2) {
		b := make([]byte, markSlot)
		n, err := f.ReadAt(b, slot*markSlot)
		if err != nil && !errors.Is(err, io.EOF) {
			return m, false, fmt.Errorf("storage: %s: %w", path, err)
		}
		if got, good := decodeMark(b[:n]); good && (!ok || got.count > m.count) {
			m, ok = got, true
		}
	}
	return m, ok, nil
}
