package shipment

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"

	"github.com/cespare/xxhash/v2"
)

// source reads the stream of a shipment, and hashes its parts as they go by: the list, and each file.
type source struct {
	shape
	dir     string
	names   []byte // the list
	entries []entry
	ends    []int64 // where each part ends; the first is the list

	file *os.File // of this part
	part int

	hashed int64 // up to here
	digest *xxhash.Digest
	sums   []uint64 // of the parts that end there or before
	buffer []byte   // for what is read only for its hash
}

func newSource(dir string, size int) (*source, error) {
	entries, err := listed(dir)
	if err != nil {
		return nil, err
	}
	s := &source{dir: dir, names: encodeList(entries), entries: entries, digest: xxhash.New()}
	s.size, s.list, s.total = size, int64(len(s.names)), int64(len(s.names))
	s.ends = []int64{s.total}
	for _, e := range entries {
		s.total += e.length
		s.ends = append(s.ends, s.total)
	}
	if s.list > mostList || s.total > mostTotal {
		return nil, fmt.Errorf("%w: %d bytes of names, %d of files", ErrList, s.list, s.total-s.list)
	}
	return s, nil
}

func (s *source) close() {
	if s.file != nil {
		_ = s.file.Close()
	}
}

// reach is the last chunk that a receiver can want: it has all those before the ones under way.
func (s *source) reach() uint64 { return uint64(s.hashed/int64(s.size)) + 64 }

// message appends the message of a chunk.
func (s *source) message(b []byte, number uint64) ([]byte, error) {
	from := int64(number) * int64(s.size)
	to := from + int64(s.length(number))
	for s.hashed < from { // its asks came in another order
		if s.buffer == nil {
			s.buffer = make([]byte, s.size)
		}
		p := s.buffer[:min(int64(s.size), from-s.hashed)]
		if err := s.read(p, s.hashed); err != nil {
			return nil, err
		}
		s.hash(p)
	}
	c := chunk{shape: s.shape, number: number}
	b = c.head(b)
	b = append(b, make([]byte, to-from)...)
	data := b[len(b)-int(to-from):]
	if err := s.read(data, from); err != nil {
		return nil, err
	}
	if s.hashed < to {
		s.hash(data[s.hashed-from:])
	}
	first := sort.Search(len(s.ends), func(i int) bool { return s.ends[i] > from })
	for i := first; i < len(s.ends) && s.ends[i] <= to; i++ {
		b = binary.LittleEndian.AppendUint64(b, s.sums[i])
	}
	return seal(b), nil
}

// hash takes the next bytes of the stream. A part without any ends where the one before it does.
func (s *source) hash(p []byte) {
	for {
		n := min(int64(len(p)), s.ends[len(s.sums)]-s.hashed)
		_, _ = s.digest.Write(p[:n])
		p, s.hashed = p[n:], s.hashed+n
		for len(s.sums) < len(s.ends) && s.ends[len(s.sums)] == s.hashed {
			s.sums = append(s.sums, s.digest.Sum64())
			s.digest.Reset()
		}
		if len(p) == 0 {
			return
		}
	}
}

// read reads bytes of the stream that is there.
func (s *source) read(p []byte, from int64) error {
	for len(p) > 0 {
		part := sort.Search(len(s.ends), func(i int) bool { return s.ends[i] > from })
		n := min(int64(len(p)), s.ends[part]-from)
		if part == 0 {
			copy(p[:n], s.names[from:])
		} else if err := s.readFile(p[:n], part, from-s.ends[part-1]); err != nil {
			return err
		}
		p, from = p[n:], from+n
	}
	return nil
}

func (s *source) readFile(p []byte, part int, from int64) error {
	name := s.entries[part-1].name
	if s.file == nil || s.part != part {
		s.close()
		f, err := os.Open(filepath.Join(s.dir, filepath.FromSlash(name)))
		if err != nil {
			s.file = nil
			return err
		}
		s.file, s.part = f, part
	}
	if n, err := s.file.ReadAt(p, from); n < len(p) {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return fmt.Errorf("%s at %d: %w", name, from, err)
	}
	return nil
}
