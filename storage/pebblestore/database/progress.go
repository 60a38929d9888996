package database

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

// ProgressName is the file, beside the files of a database, that says how far its manifests
// reach. It is written in place, after every sync of one, to one of two slots in turn: a
// write that was torn leaves the other. It is never the only witness.
//
//	8 bytes  progressMagic
//	8 bytes  how often the progress was written, little endian as all numbers
//	9 bytes  zero
//	1 byte   the number of manifests
//	         for each its number and its length, 8 bytes each
//	4 bytes  CRC-32C of all that
const (
	ProgressName  = "synced"
	progressMagic = "beanmrk1"
	progressSlot  = 4096
	// mostManifests is how many the progress names: after a crash the one before the newest
	// may be the one that counts.
	mostManifests = 4
)

// Extent is how far a file reaches.
type Extent struct {
	Number uint64
	Length int64
}

// Progress is the content of the file.
type Progress struct {
	Count     uint64
	Manifests []Extent // in the order of their numbers
}

// Manifest is how far a manifest reaches, or 0 if nothing tells.
func (m *Progress) Manifest(number uint64) int64 {
	for _, e := range m.Manifests {
		if e.Number == number {
			return e.Length
		}
	}
	return 0
}

// appendTo encodes the progress.
func (m *Progress) appendTo(b []byte) []byte {
	start := len(b)
	b = append(b, progressMagic...)
	b = binary.LittleEndian.AppendUint64(b, m.Count)
	b = append(b, 0, 0, 0, 0, 0, 0, 0, 0, 0, byte(len(m.Manifests)))
	for _, e := range m.Manifests {
		b = binary.LittleEndian.AppendUint64(b, e.Number)
		b = binary.LittleEndian.AppendUint64(b, uint64(e.Length))
	}
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[start:], format.Castagnoli))
}

// decodeProgress reads one slot.
func decodeProgress(b []byte) (m Progress, ok bool) {
	const head = len(progressMagic) + 8 + 8 + 2
	if len(b) < head || string(b[:len(progressMagic)]) != progressMagic {
		return m, false
	}
	manifests := int(b[head-1])
	end := head + manifests*16
	if len(b) < end+4 || binary.LittleEndian.Uint32(b[end:]) != crc32.Checksum(b[:end], format.Castagnoli) {
		return m, false
	}
	m.Count = binary.LittleEndian.Uint64(b[len(progressMagic):])
	m.Manifests = make([]Extent, manifests)
	for i := range m.Manifests {
		at := b[head+i*16:]
		m.Manifests[i] = Extent{binary.LittleEndian.Uint64(at), int64(binary.LittleEndian.Uint64(at[8:]))}
	}
	return m, true
}

// ReadProgress reads the newer of the two slots that can be read. It is no error if
// there is none.
func ReadProgress(fs vfs.FS, dir string) (m Progress, ok bool, err error) {
	path := fs.PathJoin(dir, ProgressName)
	f, err := fs.Open(path)
	if directory.Missing(err) {
		return m, false, nil
	}
	if err != nil {
		return m, false, fmt.Errorf("storage: %w", err)
	}
	defer f.Close()
	for slot := range int64(2) {
		b := make([]byte, progressSlot)
		n, err := f.ReadAt(b, slot*progressSlot)
		if err != nil && !errors.Is(err, io.EOF) {
			return m, false, fmt.Errorf("storage: %s: %w", path, err)
		}
		if got, good := decodeProgress(b[:n]); good && (!ok || got.Count > m.Count) {
			m, ok = got, true
		}
	}
	return m, ok, nil
}
