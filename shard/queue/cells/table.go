package cells

import (
	"fmt"
	"slices"
)

// Table finds records by hashes. A bucket is one line of the processor's cache, and has beside each record 16 bits of
// its hash, its print: so nobody looks at a record in vain but once in thousands of times, and to look for what is not
// there, to add, and to give half a bucket to a new one touches a line or two. The records are their owner's.
type Table struct {
	linear
	N      uint32 // records
	chunks []*[lineChunk]line
	more   Slab[line] // of buckets with more records than a line has

	touched uint32 // of no meaning: what is read to no end, the compiler takes away
}

// line has some records of a bucket, from the front on; 0 is none.
type line struct {
	refs   [lineLen]uint32
	prints [lineLen]uint16
	next   uint32 // in more, if this line is full
}

const (
	lineLen       = 10
	lineShift     = 8
	lineChunk     = 1 << lineShift
	tableMinLevel = lineShift
	printShift    = 16

	// tableLoad is how many records there are for each bucket. Those that are still to be split have up to twice as
	// many as those that have been.
	tableLoad = 7
)

// NewTable makes a table for few records.
func NewTable() Table {
	return Table{linear: linear{level: tableMinLevel}, chunks: []*[lineChunk]line{new([lineChunk]line)},
		more: NewSlab[line]()}
}

func (t *Table) at(bucket uint32) *line {
	return &t.chunks[bucket>>lineShift][bucket%lineChunk]
}

// Foresee brings what some hashes will need into the processor's cache, all at once.
func (t *Table) Foresee(hashes []uint32) {
	for _, h := range hashes {
		t.touched += t.at(t.Of(h)).next
	}
}

// Find finds a record with this hash for which is says true; 0 if there is none.
func (t *Table) Find(hash uint32, is func(ref uint32) bool) uint32 {
	l, print := t.at(t.Of(hash)), uint16(hash>>printShift)
	for {
		for i, p := range &l.prints {
			if p == print && l.refs[i] != 0 && is(l.refs[i]) {
				return l.refs[i]
			}
		}
		if l.next == 0 {
			return 0
		}
		l = t.more.At(l.next)
	}
}

// Add adds a record. The hashes of others are asked for while there are few of them.
func (t *Table) Add(hash, ref uint32, hashOf func(ref uint32) uint32) {
	t.push(t.at(t.Of(hash)), ref, uint16(hash>>printShift))
	if t.N++; t.N > t.Len()*tableLoad {
		t.grow(hashOf)
	}
}

// push adds a record behind the others of a bucket.
func (t *Table) push(l *line, ref uint32, print uint16) {
	for l.refs[lineLen-1] != 0 {
		if l.next == 0 {
			l.next = t.more.Alloc()
		}
		l = t.more.At(l.next)
	}
	i := slices.Index(l.refs[:], 0)
	l.refs[i], l.prints[i] = ref, print
}

// Remove removes a record, which is there. The last one of its bucket takes its place.
func (t *Table) Remove(hash, ref uint32) {
	var prev, has *line
	at, last := -1, t.at(t.Of(hash))
	for {
		if i := slices.Index(last.refs[:], ref); i >= 0 {
			has, at = last, i
		}
		if last.next == 0 {
			break
		}
		prev, last = last, t.more.At(last.next)
	}
	n := lineLen - 1
	for last.refs[n] == 0 {
		n--
	}
	has.refs[at], has.prints[at] = last.refs[n], last.prints[n]
	last.refs[n], last.prints[n] = 0, 0
	if n == 0 && prev != nil {
		t.more.Release(prev.next)
		prev.next = 0
	}
	if t.N--; t.N < t.Len()*tableLoad/4 && t.Len() > 1<<tableMinLevel {
		t.shrink()
	}
}

// grow splits the next bucket in two.
func (t *Table) grow(hashOf func(ref uint32) uint32) {
	from, to, bit := t.widen()
	if int(to>>lineShift) == len(t.chunks) {
		t.chunks = append(t.chunks, new([lineChunk]line))
	}
	halves := [2]*line{t.at(from), t.at(to)}
	t.empty(from, func(ref uint32, print uint16) {
		half := uint32(print) >> (bit - printShift)
		if bit < printShift {
			half = hashOf(ref) >> bit
		}
		t.push(halves[half&1], ref, print)
	})
}

// shrink is grow backwards.
func (t *Table) shrink() {
	last, into := t.narrow()
	l := t.at(into)
	t.empty(last, func(ref uint32, print uint16) { t.push(l, ref, print) })
	if keep := int(last>>lineShift) + 2; keep < len(t.chunks) {
		t.chunks[keep] = nil
		t.chunks = t.chunks[:keep]
	}
}

// empty takes all records out of a bucket, and hands them on.
func (t *Table) empty(bucket uint32, move func(ref uint32, print uint16)) {
	l := t.at(bucket)
	old := *l
	*l = line{}
	for {
		for i, ref := range old.refs {
			if ref == 0 {
				return // a line behind this one would be empty, too
			}
			move(ref, old.prints[i])
		}
		next := old.next
		if next == 0 {
			return
		}
		old = *t.more.At(next)
		t.more.Release(next)
	}
}

// Check asks for the hash of each record, once.
func (t *Table) Check(hashOf func(ref uint32) uint32) error {
	n, more := uint32(0), 0
	for bucket := range t.Len() {
		for l := t.at(bucket); ; l = t.more.At(l.next) {
			for i, ref := range l.refs {
				switch {
				case ref == 0 && l.next != 0 || ref != 0 && i > 0 && l.refs[i-1] == 0:
					return fmt.Errorf("S4: bucket %d has a gap", bucket)
				case ref == 0:
					continue
				}
				if h := hashOf(ref); t.Of(h) != bucket || uint16(h>>printShift) != l.prints[i] {
					return fmt.Errorf("S4: record %d is in bucket %d, belongs into %d", ref, bucket, t.Of(h))
				}
				n++
			}
			if l.next == 0 {
				break
			}
			more++
		}
	}
	if n != t.N || more != t.more.Used() {
		return fmt.Errorf("S3: %d records are counted, %d there; %d lines more, %d in use", t.N, n, more, t.more.Used())
	}
	return nil
}
