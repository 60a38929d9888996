package queue

import (
	"beanfield/shard/queue/cells"
	"beanfield/storage"
)

// JobState is the place of a job (S1).
type JobState uint8

// The places of a job. Beanstalk clients no longer see a passed one (items_view.go).
const (
	Ready JobState = iota + 1
	Delayed
	Reserved
	Buried
	Passed
	Leaving  // for another shard: move_leaving.go
	Arriving // from one
)

func (s JobState) String() string {
	switch s {
	case Ready:
		return "ready"
	case Delayed:
		return "delayed"
	case Reserved:
		return "reserved"
	case Buried:
		return "buried"
	case Passed:
		return "passed"
	case Leaving:
		return "leaving"
	case Arriving:
		return "arriving"
	}
	return "invalid"
}

// job is the record of one job: 40 bytes without a pointer, because there may
// be ten million. It has only what a job in a ready heap needs; the rest is in its
// rare fields. An id has at most 53 bits, and the time of the put is kept to the
// millisecond, so that they can be packed.
type job struct {
	idLow    uint32
	idBorn   uint32 // 21 more bits of the id; above them the low 11 of born
	bornHigh uint32
	place    uint32 // the tube's slot, the state, and the three flags
	body     uint32
	size     uint32
	pri      uint32
	ttr      uint32 // seconds
	rare     uint32 // slot, 0 until the job leaves the plain way from put to ready
	chain    uint32 // index: next in the bucket
}

const (
	idHighBits = 53 - 32
	bornBits   = 32 - idHighBits // of born, beside the id's

	flagAway    = 1 << 0 // the body is in the log only
	flagUpdated = 1 << 1 // the log has a second record of it
	flagRoute   = 1 << 2 // it has been a dead letter, or in another shard, or leaves for one
	stateShift  = 3
	stateMask   = 7 << stateShift
	tubeShift   = 6
	maxTubes    = 1 << (32 - tubeShift)
)

// newJob fills what never changes. created is the wall clock in nanoseconds
// since 1970.
func newJob(id uint64, created int64, tube uint32) job {
	born := uint64(max(0, created) / millisecond)
	return job{
		idLow:    uint32(id),
		idBorn:   uint32(id>>32) | uint32(born)<<idHighBits,
		bornHigh: uint32(born >> bornBits),
		place:    tube << tubeShift,
	}
}

func (j *job) id() uint64 {
	return uint64(j.idLow) | uint64(j.idBorn&(1<<idHighBits-1))<<32
}

// created is the wall clock at the put, in nanoseconds, cut to milliseconds.
func (j *job) created() int64 {
	return int64(uint64(j.idBorn>>idHighBits)|uint64(j.bornHigh)<<bornBits) * millisecond
}

func (j *job) tube() uint32        { return j.place >> tubeShift }
func (j *job) state() JobState     { return JobState(j.place & stateMask >> stateShift) }
func (j *job) setState(s JobState) { j.place = j.place&^stateMask | uint32(s)<<stateShift }
func (j *job) away() bool          { return j.place&flagAway != 0 }

// readyKey is the key of a ready job: (priority, id), packed into 96 bits of which no id
// needs more.
func readyKey(pri uint32, id uint64, slot uint32) cells.Entry {
	return cells.Entry{Major: uint64(pri)<<32 | id>>32, Minor: uint32(id), Slot: slot}
}

// deadlineKey is the key of a delayed or reserved job.
func deadlineKey(deadline int64, id uint64, slot uint32) cells.Entry {
	return cells.Entry{Major: uint64(deadline), Minor: uint32(id), Slot: slot}
}

// rare is what a job gathers on its way: a deadline and neighbours while it
// is delayed, reserved or buried, and the counters of stats-job.
type rare struct {
	// deadline while the job is delayed or reserved, rank while it is buried:
	// its order over restarts.
	key    int64
	links  cells.Links[uint32] // in the holder's or the tube's buried list
	holder uint32              // client slot while reserved
	delay  uint32              // seconds, as put or release last gave it
	storage.Counters
	item uint32 // slot of what the queue service adds, or 0
}

// job is the record in a slot.
func (s *State) job(slot uint32) *job { return s.jobs.At(slot) }

// slotOf finds a job by its id, also one that clients cannot see; 0 if there is none.
func (s *State) slotOf(id uint64) uint32 { return s.index.find(&s.jobs, id) }

// tubeOf is the tube that a job's record names.
func (s *State) tubeOf(j *job) *tube { return s.tubeAt.Get(j.tube()) }

// tubeFor is that of a slot, and at the job with it.
func (s *State) tubeFor(slot uint32) *tube { return s.tubeOf(s.job(slot)) }

func (s *State) at(slot uint32) (*job, *tube) {
	j := s.job(slot)
	return j, s.tubeOf(j)
}

// rare are the rare fields of a job that has them.
func (s *State) rare(j *job) *rare { return s.rares.At(j.rare) }

// rareOf returns the job's rare fields, making them if there are none.
func (s *State) rareOf(j *job) *rare {
	if j.rare == 0 {
		j.rare = s.rares.Alloc()
	}
	return s.rare(j)
}

// linksOf are the links of a job that has rare fields; nil for slot 0, which is no job.
func (s *State) linksOf(slot uint32) *cells.Links[uint32] {
	if slot == 0 {
		return nil
	}
	return &s.rare(s.job(slot)).links
}

func (s *State) listAppend(l *cells.List[uint32], slot uint32) {
	t := s.rareOf(s.job(slot))
	l.Push(slot, &t.links, s.linksOf(l.Tail))
}

func (s *State) listRemove(l *cells.List[uint32], slot uint32) {
	own := s.linksOf(slot)
	l.Remove(own, s.linksOf(own.Prev), s.linksOf(own.Next))
}

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
