package transfer

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"
)

// source reads the stream of a snapshot: the list, and then each file.
type source struct {
	shape
	dir   string
	list  []byte
	files []file
	ends  []int64 // where each part of the stream ends; the first is the list

	open *os.File // of this part
	part int
}

func newSource(dir string, size int, note []byte) (*source, error) {
	files, err := listed(dir)
	if err != nil {
		return nil, err
	}
	list, err := json.Marshal(files)
	if err != nil {
		return nil, err
	}
	end := int64(len(list))
	s := &source{shape: shape{size, end, end, note}, dir: dir, list: list, files: files, ends: []int64{end}}
	for _, f := range files {
		s.Total += f.Length
		s.ends = append(s.ends, s.Total)
	}
	if !s.possible() {
		return nil, fmt.Errorf("%w: %d bytes of names, %d of files", ErrList, s.List, s.Total-s.List)
	}
	return s, nil
}

func (s *source) close() {
	if s.open != nil {
		_ = s.open.Close()
	}
}

// message appends the message of a chunk.
func (s *source) message(b []byte, number uint64) ([]byte, error) {
	b = binary.LittleEndian.AppendUint64(begin(b, kindChunk), number)
	data := len(b)
	b = append(b, make([]byte, s.length(number))...)
	if err := s.read(b[data:], int64(number)*int64(s.Size)); err != nil {
		return nil, err
	}
	return seal(b), nil
}

// read reads bytes of the stream that are there.
func (s *source) read(p []byte, from int64) error {
	for len(p) > 0 {
		part := sort.Search(len(s.ends), func(i int) bool { return s.ends[i] > from })
		n := min(int64(len(p)), s.ends[part]-from)
		if part == 0 {
			copy(p[:n], s.list[from:])
		} else if err := s.readFile(p[:n], part, from-s.ends[part-1]); err != nil {
			return err
		}
		p, from = p[n:], from+n
	}
	return nil
}

func (s *source) readFile(p []byte, part int, from int64) (err error) {
	name := s.files[part-1].Name
	if s.open == nil || s.part != part {
		s.close()
		if s.open, err = os.Open(filepath.Join(s.dir, name)); err != nil {
			return err
		}
		s.part = part
	}
	if n, err := s.open.ReadAt(p, from); n < len(p) {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return fmt.Errorf("%s at %d: %w", name, from, err)
	}
	return nil
}
