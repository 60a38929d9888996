package queue

import (
	"math/bits"

	"beanfield/shard/queue/cells"
)

// index finds a job's slot by its id: a linear hash whose chains run through
// the records themselves, so a job costs four bytes here and four there. It
// grows and shrinks by one bucket at a time, so no command ever pays for a
// rehash.
type index struct {
	n       uint32
	level   uint // buckets are 1<<level + split
	split   uint32
	buckets [][]uint32
	unfiled uint32 // the chain of the jobs that wait for file
}

const indexMinLevel = cells.ChunkShift

func newIndex() index {
	return index{level: indexMinLevel, buckets: [][]uint32{make([]uint32, cells.ChunkLen)}}
}

func (x *index) bucketOf(id uint64) uint32 {
	// The golden ratio spreads ids that a router has dealt out in steps.
	h := uint32(id * 0x9E3779B97F4A7C15 >> 32)
	b := h & (1<<x.level - 1)
	if b < x.split {
		b = h & (1<<(x.level+1) - 1)
	}
	return b
}

func (x *index) head(b uint32) *uint32 { return &x.buckets[b>>cells.ChunkShift][b&cells.ChunkMask] }

func (x *index) find(jobs *cells.Slab[job], id uint64) uint32 {
	slot := *x.head(x.bucketOf(id))
	for slot != 0 {
		j := jobs.At(slot)
		if j.id() == id {
			return slot
		}
		slot = j.chain
	}
	return 0
}

// other finds another job with the same id, or 0.
func (x *index) other(jobs *cells.Slab[job], slot uint32) uint32 {
	id := jobs.At(slot).id()
	for other := *x.head(x.bucketOf(id)); other != 0; other = jobs.At(other).chain {
		if other != slot && jobs.At(other).id() == id {
			return other
		}
	}
	return 0
}

func (x *index) insert(jobs *cells.Slab[job], slot uint32) {
	j := jobs.At(slot)
	head := x.head(x.bucketOf(j.id()))
	j.chain, *head = *head, slot
	x.n++
	if x.n > 1<<x.level+x.split {
		x.growOne(jobs)
	}
}

// postpone takes in a job that will be found after the next call of file. A start has
// millions of them, and growing by one bucket for each would look at every job again and
// again, in an order that no cache can follow.
func (x *index) postpone(jobs *cells.Slab[job], slot uint32) {
	jobs.At(slot).chain, x.unfiled = x.unfiled, slot
	x.n++
}

// spread puts the jobs of a chain into their buckets.
func (x *index) spread(jobs *cells.Slab[job], slot uint32) {
	for slot != 0 {
		j := jobs.At(slot)
		next := j.chain
		head := x.head(x.bucketOf(j.id()))
		j.chain, *head = *head, slot
		slot = next
	}
}

// file makes the postponed jobs findable. There must be no others.
func (x *index) file(jobs *cells.Slab[job]) {
	slot := x.unfiled
	x.unfiled = 0
	total := max(x.n, 1<<indexMinLevel)
	x.level = uint(bits.Len32(total) - 1)
	x.split = total - 1<<x.level
	for len(x.buckets)<<cells.ChunkShift < int(total) {
		x.buckets = append(x.buckets, make([]uint32, cells.ChunkLen))
	}
	x.spread(jobs, slot)
}

func (x *index) remove(jobs *cells.Slab[job], slot uint32) {
	link := x.head(x.bucketOf(jobs.At(slot).id()))
	for *link != slot {
		link = &jobs.At(*link).chain
	}
	*link = jobs.At(slot).chain
	x.n--
	if total := 1<<x.level + x.split; total > 1<<indexMinLevel && x.n < total/4 {
		x.shrinkOne(jobs)
	}
}

// growOne splits the next bucket in two.
func (x *index) growOne(jobs *cells.Slab[job]) {
	from, to := x.split, uint32(1)<<x.level+x.split
	if int(to>>cells.ChunkShift) == len(x.buckets) {
		x.buckets = append(x.buckets, make([]uint32, cells.ChunkLen))
	}
	slot := *x.head(from)
	*x.head(from), *x.head(to) = 0, 0
	x.split++
	if x.split == 1<<x.level {
		x.level, x.split = x.level+1, 0
	}
	x.spread(jobs, slot)
}

// shrinkOne is growOne backwards: the last bucket joins the one it came from.
func (x *index) shrinkOne(jobs *cells.Slab[job]) {
	if x.split == 0 {
		x.level, x.split = x.level-1, 1<<(x.level-1)
	}
	x.split--
	last := uint32(1)<<x.level + x.split
	link := x.head(x.split)
	for *link != 0 {
		link = &jobs.At(*link).chain
	}
	*link = *x.head(last)
	*x.head(last) = 0
	if keep := int(last>>cells.ChunkShift) + 2; keep < len(x.buckets) {
		x.buckets[keep] = nil
		x.buckets = x.buckets[:keep]
	}
}
