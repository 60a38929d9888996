package transfer

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
)

const (
	mostFiles = 1 << 17 // of a snapshot: their list goes as one message
	mostBytes = 1 << 50
)

// file is one of a snapshot.
type file struct {
	Name   string `json:"name"`
	Length int64  `json:"length"`
}

// list is what a sender says of a snapshot that is made.
type list struct {
	Chunk int64  `json:"chunk"` // the size of a chunk. The last one of a file may have less, so that of an empty one
	Files []file `json:"files"`
	Note  []byte `json:"note"` // its maker's

	bytes  int64
	chunks uint64
	ends   []uint64 // of each file, the number of chunks up to its end
}

// listed finds what is in a directory. There may be only plain files.
func listed(dir string, l list) (list, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return l, err
	}
	for _, e := range entries {
		if !e.Type().IsRegular() {
			return l, fmt.Errorf("%w: %q is no plain file", ErrList, e.Name())
		}
		info, err := e.Info()
		if err != nil {
			return l, err
		}
		l.Files = append(l.Files, file{e.Name(), info.Size()})
	}
	return l, l.count()
}

// understood takes a list from another node.
func understood(text []byte) (l list, err error) {
	if err := json.Unmarshal(text, &l); err != nil {
		return l, fmt.Errorf("%w: %w", ErrList, err)
	}
	return l, l.count()
}

// count counts the bytes and chunks. Names that could lead anywhere else are refused (SP3).
func (l *list) count() error {
	if len(l.Files) > mostFiles || l.Chunk < 1 || l.Chunk > largestChunk {
		return fmt.Errorf("%w: %d files, in chunks of %d bytes", ErrList, len(l.Files), l.Chunk)
	}
	seen := map[string]bool{}
	for _, f := range l.Files {
		if !fits(f.Name) || seen[f.Name] {
			return fmt.Errorf("%w: the name %q", ErrList, f.Name)
		}
		if f.Length < 0 || f.Length > mostBytes-l.bytes {
			return fmt.Errorf("%w: the length of %q", ErrList, f.Name)
		}
		seen[f.Name] = true
		l.bytes += f.Length
		l.chunks += max(1, uint64((f.Length+l.Chunk-1)/l.Chunk))
		l.ends = append(l.ends, l.chunks)
	}
	return nil
}

// fits tells whether a name is one of a file in a directory, on any system.
func fits(name string) bool {
	return fs.ValidPath(name) && name != "." && len(name) <= 255 && !strings.ContainsAny(name, "/\\:\x00")
}

// chunk is a part of a file.
type chunk struct {
	file
	at   int64
	size int64
}

// chunk finds one by its number: they are in the order of the files.
func (l *list) chunk(number uint64) chunk {
	i, _ := slices.BinarySearch(l.ends, number+1)
	if i > 0 {
		number -= l.ends[i-1]
	}
	at := int64(number) * l.Chunk
	return chunk{l.Files[i], at, min(l.Chunk, l.Files[i].Length-at)}
}
