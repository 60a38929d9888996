package router

import (
	"slices"
	"sync"

	"github.com/cespare/xxhash/v2"
)

// nameSet is a set of names in an order that clients see: that of insertion, but
// when one is removed the last takes its place. The names are kept in chunks, so that
// growing never copies, and so that a snapshot of a hundred thousand names copies none
// of them: a chunk that a snapshot shares is copied when it is next changed.
type nameSet struct {
	chunks []nameChunk // all are full but the last
	count  int
	bytes  int    // of all names together
	sum    uint64 // of their hashes
	place  map[string]int
}

type nameChunk struct {
	names  []string
	shared bool // some snapshot has it too
}

const (
	chunkNames = 512
	// fewNames are found by looking at them all, without a map.
	fewNames = 16
)

// index is the position of a name, or -1.
func (s *nameSet) index(name []byte) int {
	if s.place != nil {
		if i, ok := s.place[string(name)]; ok {
			return i
		}
		return -1
	}
	for i := range s.count {
		if s.at(i) == string(name) {
			return i
		}
	}
	return -1
}

func (s *nameSet) at(i int) string { return s.chunks[i/chunkNames].names[i%chunkNames] }

// add puts in a name that is not there.
func (s *nameSet) add(name string) {
	if s.count == len(s.chunks)*chunkNames {
		s.chunks = append(s.chunks, nameChunk{})
	}
	last := s.chunk(s.count)
	last.names = append(last.names, name)
	s.count++
	s.bytes += len(name)
	s.sum += xxhash.Sum64String(name)
	switch {
	case s.place != nil:
		s.place[name] = s.count - 1
	case s.count > fewNames:
		s.place = make(map[string]int, 2*fewNames)
		for i := range s.count {
			s.place[s.at(i)] = i
		}
	}
}

// removeAt takes out the name at i.
func (s *nameSet) removeAt(i int) {
	name, end := s.at(i), s.count-1
	moved := s.at(end)
	s.chunk(i).names[i%chunkNames] = moved
	last := s.chunk(end)
	last.names[end%chunkNames] = ""
	last.names = last.names[:end%chunkNames]
	if len(last.names) == 0 {
		s.chunks[len(s.chunks)-1] = nameChunk{}
		s.chunks = s.chunks[:len(s.chunks)-1]
	}
	s.count--
	s.bytes -= len(name)
	s.sum -= xxhash.Sum64String(name)
	if s.place != nil {
		s.place[moved] = i
		delete(s.place, name)
	}
	if s.count <= fewNames/2 {
		s.place = nil
	}
}

// chunk is the one of the i-th name, to be changed.
func (s *nameSet) chunk(i int) *nameChunk {
	c := &s.chunks[i/chunkNames]
	if c.shared {
		c.names, c.shared = slices.Clone(c.names), false
	}
	return c
}

// snapshot is what the set holds now, whatever becomes of it.
func (s *nameSet) snapshot() Names {
	n := Names{Count: s.count, Bytes: s.bytes, Chunks: make([][]string, len(s.chunks))}
	for i := range s.chunks {
		s.chunks[i].shared = true
		n.Chunks[i] = s.chunks[i].names
	}
	return n
}

// Names are names of tubes, in chunks, as they were at one moment.
type Names struct {
	Count, Bytes int // of all names together
	Chunks       [][]string
}

// tubes lists all tubes of all shards in the order that list-tubes shows. The
// lock is off the way of jobs: only the birth and the end of a tube take it, and
// nobody holds it for long, however many tubes there are.
type tubes struct {
	mu  sync.Mutex
	set nameSet
}

func (t *tubes) add(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.set.add(name)
}

func (t *tubes) remove(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.set.removeAt(t.set.index([]byte(name)))
}

func (t *tubes) snapshot() Names {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.set.snapshot()
}

func (t *tubes) count() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.set.count
}
