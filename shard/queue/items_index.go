package queue

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

// whole goes on taking in the jobs that were there before, and reports whether all are in.
func (s *State) whole(v *service) bool {
	f := v.index
	if f.cursor != 0 && !s.spent() {
		f.cursor = s.records(f.cursor, func(slot uint32) bool {
			if s.job(slot).tube() == v.tube.slot && !f.order.has(slot) {
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

// hashRequest is the hash of a request id: FNV-1a, with its bits mixed at the end.
func hashRequest(id []byte) uint64 {
	h := uint64(14695981039346656037)
	for _, c := range id {
		h = (h ^ uint64(c)) * 1099511628211
	}
	h ^= h >> 32
	return h * 0x9E3779B97F4A7C15
}

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
