package queue

import (
	"slices"
	"sort"

	"beanfield/shard/queue/cells"
)

// itemIndex finds the items of a queue: by their ids, by their request ids, and for the
// gets that wait. If a tube had jobs before the queue service touched it, its item index is
// filled in shares: the cursor goes through the job records of the shard, and jobs that
// are put meanwhile are taken in at once. Until it is whole, operations that need
// it end with More.
type itemIndex struct {
	order    order
	requests requests
	gets     gets
	cursor   uint32 // the next record to look at; 0 when all are taken in
}

// indexing is how much of a share it costs to take in a job.
const indexing = moving / 2

// newItemIndex makes the item index of a tube.
func (s *State) newItemIndex(t *tube) *itemIndex {
	f := &itemIndex{order: order{jobs: &s.jobs}}
	if t.length() > 0 {
		f.cursor = 1 // slot 0 is no job
	}
	return f
}

// whole goes on taking in the jobs that were there before, and reports whether all are in. One that is on its way
// between two shards is taken in when it stays.
func (s *State) whole(v *service) bool {
	f := v.index
	if f.cursor != 0 && !s.spent() {
		f.cursor = s.records(f.cursor, func(slot uint32) bool {
			if j := s.job(slot); j.tube() == v.tube.slot && !j.onItsWay() && !f.order.has(slot) {
				s.spend(indexing)
				f.add(s, slot)
			}
			return true
		})
	}
	return f.cursor == 0
}

// add takes in a job.
func (f *itemIndex) add(s *State, slot uint32) {
	f.order.insert(slot)
	f.requests.add(s, slot)
}

// remove forgets a job, unless it was never taken in.
func (f *itemIndex) remove(s *State, slot uint32) {
	if f.cursor != 0 && !f.order.has(slot) {
		return
	}
	f.order.remove(slot)
	f.requests.remove(s, slot)
}

// walk shows the items of a queue, in the order of their ids, from one on, until see says no: then it goes no further.
// Each costs so much of the share. see may end the item that it is shown. It reports false if it must go on in another
// turn, from where from says then.
func (v *service) walk(s *State, from *uint64, cost int, see func(slot uint32) bool) bool {
	o := &v.index.order
	at := o.seek(*from)
	for slot := o.at(at); slot != 0; slot = o.at(at) {
		if !s.step(cost) {
			return false
		}
		id := s.job(slot).id()
		*from = id + 1
		if !see(slot) {
			return true
		}
		if o.at(at) == slot {
			at = o.next(at)
		} else { // it has ended
			at = o.seek(*from)
		}
	}
	return true
}

// requests finds the items with a request id. The map leads from the hash of a request id
// to the first item of a ring: all items with that hash, in the order of their ids. The
// links of the ring are in the items, so an item costs 12 bytes here, and there are no
// pointers. Since different request ids may have the same hash, the caller compares tags.
type requests map[uint64]uint32

// hashRequest is the hash of a request id.
func hashRequest(id []byte) uint64 { return hashText(id, nil) }

// add files a new item by its request id, if it has one.
func (r *requests) add(s *State, slot uint32) {
	id, ok := s.tagsOf(slot).Get(TagRequest)
	if !ok {
		return
	}
	if *r == nil {
		*r = requests{}
	}
	ref := s.rare(s.job(slot)).item
	it := s.added.At(ref)
	it.requested = true
	h := hashRequest(id)
	head := (*r)[h]
	if head == 0 {
		it.next, it.prev = ref, ref
		(*r)[h] = ref
		return
	}
	before := s.added.At(head).prev // the last, after which a new item mostly belongs
	own := s.job(slot).id()
	for before != head && s.idOf(before) > own {
		before = s.added.At(before).prev
	}
	if before == head && s.idOf(head) > own {
		before = s.added.At(head).prev
		(*r)[h] = ref
	}
	it.prev, it.next = before, s.added.At(before).next
	s.added.At(it.next).prev = ref
	s.added.At(before).next = ref
}

// idOf is the id of an item's job.
func (s *State) idOf(ref uint32) uint64 { return s.job(s.added.At(ref).job).id() }

// remove forgets an item.
func (r requests) remove(s *State, slot uint32) {
	it := s.itemAt(slot)
	if it == nil || !it.requested {
		return
	}
	id, _ := s.tagsOf(slot).Get(TagRequest)
	h := hashRequest(id)
	ref := s.rare(s.job(slot)).item
	switch {
	case it.next == ref:
		delete(r, h)
	case r[h] == ref:
		r[h] = it.next
	}
	s.added.At(it.prev).next = it.next
	s.added.At(it.next).prev = it.prev
	it.next, it.prev, it.requested = 0, 0, false
}

// ringMost is how many items of a ring a get looks at. If there are more, it goes through
// the order instead, which can be done in shares.
const ringMost = 64

// ring lists the slots of the items that may have a request id. It reports false if
// there are too many.
func (r requests) ring(s *State, id []byte, list []uint32) ([]uint32, bool) {
	head := r[hashRequest(id)]
	if head == 0 {
		return list, true
	}
	for ref := head; ; {
		it := s.added.At(ref)
		if len(list) == ringMost {
			return list, false
		}
		list = append(list, it.job)
		if ref = it.next; ref == head {
			return list, true
		}
	}
}

// order keeps the slots of a tube's jobs in the order of their ids, in runs of up to
// runMost. Any two neighbouring runs together have more than runMost, except for the first
// and the last run, so a job costs at most 8 bytes. Jobs mostly come at the end and go at
// the beginning, and both take constant time. In the middle it takes the time to find and
// shift one run.
type order struct {
	jobs  *cells.Slab[job]
	n     int
	runs  []run    // none is empty
	spare []uint32 // memory of a run that has gone, for the next one
}

// run is a part of an order. It may begin anywhere in its memory, so removing its first
// slot copies nothing.
type run struct {
	from   uint64 // no id in this run is lower, and all ids of the run before are
	slots  []uint32
	memory []uint32 // all of it; nil when slots may be in other memory
}

const runMost = 512

// place is where in an order a job is. It is valid until the order changes.
type place struct{ run, at int }

// insert takes in a job that is not in the order.
func (o *order) insert(slot uint32) {
	id := o.jobs.At(slot).id()
	o.n++
	last := len(o.runs) - 1
	if last < 0 || id > o.lastID() {
		o.push(last, id, slot)
		return
	}
	p := o.seek(id)
	r := &o.runs[p.run]
	if p.at == 0 && p.run > 0 && id < r.from && len(o.runs[p.run-1].slots) < runMost {
		p.run--
		r = &o.runs[p.run]
		p.at = len(r.slots)
	}
	if len(r.slots) >= runMost {
		half := len(r.slots) / 2
		o.runs = slices.Insert(o.runs, p.run+1, run{from: o.jobs.At(r.slots[half]).id(),
			slots: slices.Clone(r.slots[half:])})
		r = &o.runs[p.run]
		r.slots = r.slots[:half]
		if p.at > half {
			p.run, p.at = p.run+1, p.at-half
			r = &o.runs[p.run]
		}
	}
	r.slots, r.memory = slices.Insert(r.slots, p.at, slot), nil
	r.from = min(r.from, id)
	o.join(p.run)
}

// push adds the job with the highest id.
func (o *order) push(last int, id uint64, slot uint32) {
	if last >= 0 {
		r := &o.runs[last]
		switch n := len(r.slots); {
		case n < cap(r.slots) && n < runMost:
			r.slots = append(r.slots, slot)
			return
		case 2*n <= cap(r.memory): // its beginning has gone
			r.slots = append(append(r.memory[:0], r.slots...), slot)
			return
		case n < runMost/2: // likewise, or the run is new
			r.memory = make([]uint32, 0, min(max(16, 4*n), runMost))
			r.slots = append(append(r.memory, r.slots...), slot)
			return
		}
	}
	memory := o.spare
	o.spare = nil
	switch {
	case last < 0 && memory == nil:
		memory = make([]uint32, 0, 16) // most orders are short
	case cap(memory) < runMost && last >= 0:
		memory = make([]uint32, 0, runMost)
	}
	o.runs = append(o.runs, run{id, append(memory, slot), memory})
}

func (o *order) lastID() uint64 { return o.jobs.At(o.last()).id() }

// first is the job with the lowest id, or 0.
func (o *order) first() uint32 {
	if o.n == 0 {
		return 0
	}
	return o.runs[0].slots[0]
}

// last is the job with the highest id, or 0.
func (o *order) last() uint32 {
	if o.n == 0 {
		return 0
	}
	r := &o.runs[len(o.runs)-1]
	return r.slots[len(r.slots)-1]
}

// seek finds the first job whose id is at least the given one. If there is none the
// place is the end of the last run, at which there is no job.
func (o *order) seek(id uint64) place {
	ri := sort.Search(len(o.runs), func(i int) bool { return o.runs[i].from > id }) - 1
	if ri < 0 {
		return place{}
	}
	r := &o.runs[ri]
	at := 0
	if o.jobs.At(r.slots[0]).id() < id {
		at = sort.Search(len(r.slots), func(i int) bool { return o.jobs.At(r.slots[i]).id() >= id })
	}
	if at == len(r.slots) && ri+1 < len(o.runs) {
		return place{ri + 1, 0}
	}
	return place{ri, at}
}

// at is the job at a place, or 0.
func (o *order) at(p place) uint32 {
	if p.run < 0 || p.run >= len(o.runs) || p.at >= len(o.runs[p.run].slots) {
		return 0
	}
	return o.runs[p.run].slots[p.at]
}

// next is the place after one that has a job.
func (o *order) next(p place) place {
	if p.at++; p.at == len(o.runs[p.run].slots) && p.run+1 < len(o.runs) {
		return place{p.run + 1, 0}
	}
	return p
}

// back is the place before another, which has a job or is the end.
func (o *order) back(p place) place {
	switch {
	case p.at > 0:
		return place{p.run, p.at - 1}
	case p.run > 0:
		return place{p.run - 1, len(o.runs[p.run-1].slots) - 1}
	}
	return place{run: -1}
}

// has says whether a job is in the order.
func (o *order) has(slot uint32) bool {
	return o.at(o.seek(o.jobs.At(slot).id())) == slot
}

// remove takes out a job, which must be in the order.
func (o *order) remove(slot uint32) {
	p := place{}
	if o.first() != slot {
		p = o.seek(o.jobs.At(slot).id())
	}
	if o.at(p) != slot {
		panic("queue: a job is not in its tube's order")
	}
	o.n--
	r := &o.runs[p.run]
	if p.at < len(r.slots)/2 { // move the fewer
		copy(r.slots[1:], r.slots[:p.at])
		r.slots = r.slots[1:]
	} else {
		r.slots = append(r.slots[:p.at], r.slots[p.at+1:]...)
	}
	switch {
	case len(r.slots) > 0:
		o.join(p.run)
	case p.run == 0: // without shifting the others
		o.spare, o.runs[0] = r.memory, run{}
		if len(o.runs) == 1 {
			o.runs = o.runs[:0]
		} else {
			o.runs = o.runs[1:]
		}
	default:
		o.runs = slices.Delete(o.runs, p.run, p.run+1)
	}
}

// join makes one run of two neighbours that fit into one. The first run and the last
// stay as they are: otherwise a queue that is always about as long as a run would copy
// a run for each job.
func (o *order) join(i int) {
	for left := i - 1; left <= i; left++ {
		if left < 1 || left+2 >= len(o.runs) {
			continue
		}
		a, b := o.runs[left].slots, o.runs[left+1].slots
		if len(a)+len(b) <= runMost {
			o.runs[left].slots, o.runs[left].memory = append(append(make([]uint32, 0, runMost), a...), b...), nil
			o.runs = slices.Delete(o.runs, left+1, left+2)
			return
		}
	}
}
