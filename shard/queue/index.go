package queue

import "beanfield/shard/queue/cells"

// index finds a job's slot by its id: a linear hash whose chains run through
// the records themselves, so a job costs four bytes here and four there.
type index struct {
	cells.Buckets
	unfiled uint32 // the chain of the jobs that wait for file
}

func newIndex() index { return index{Buckets: cells.NewBuckets()} }

// bucketOf puts ids that follow each other into one line of the processor's cache: jobs are often put and deleted in
// their order. Two multiplications spread the lines, whatever the steps of the ids: the low bits of one alone do not
// (with a million jobs in order, chains had five jobs).
func (x *index) bucketOf(id uint64) uint32 {
	const golden, lineShift = 0x9E3779B97F4A7C15, 4
	h := (id >> lineShift) * golden
	h = (h ^ h>>32) * golden
	return x.Of(uint32(h>>32)<<lineShift | uint32((id^h>>(64-lineShift))&(1<<lineShift-1)))
}

func (x *index) find(jobs *cells.Slab[job], id uint64) uint32 {
	slot := *x.Head(x.bucketOf(id))
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
	for other := *x.Head(x.bucketOf(id)); other != 0; other = jobs.At(other).chain {
		if other != slot && jobs.At(other).id() == id {
			return other
		}
	}
	return 0
}

func (x *index) insert(jobs *cells.Slab[job], slot uint32) {
	j := jobs.At(slot)
	head := x.Head(x.bucketOf(j.id()))
	j.chain, *head = *head, slot
	if again := x.Gain(); again != 0 {
		x.spread(jobs, again)
	}
}

// postpone takes in a job that will be found after the next call of file. A start has
// millions of them, and growing by one bucket for each would look at every job again and
// again, in an order that no cache can follow.
func (x *index) postpone(jobs *cells.Slab[job], slot uint32) {
	jobs.At(slot).chain, x.unfiled = x.unfiled, slot
	x.N++
}

// spread puts the jobs of a chain into their buckets.
func (x *index) spread(jobs *cells.Slab[job], slot uint32) {
	for slot != 0 {
		j := jobs.At(slot)
		next := j.chain
		head := x.Head(x.bucketOf(j.id()))
		j.chain, *head = *head, slot
		slot = next
	}
}

// file makes the postponed jobs findable. There must be no others.
func (x *index) file(jobs *cells.Slab[job]) {
	x.Fit()
	slot := x.unfiled
	x.unfiled = 0
	x.spread(jobs, slot)
}

func (x *index) remove(jobs *cells.Slab[job], slot uint32) {
	link := x.Head(x.bucketOf(jobs.At(slot).id()))
	for *link != slot {
		link = &jobs.At(*link).chain
	}
	*link = jobs.At(slot).chain
	if again := x.Lose(); again != 0 {
		x.spread(jobs, again)
	}
}
