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
	f := &itemIndex{}
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
			if s.job(slot).tube() == v.tube.slot && !f.order.has(&s.jobs, slot) {
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
	f.order.insert(&s.jobs, slot)
	f.requests.add(s, slot)
}

// remove forgets a job, unless it was never taken in.
func (f *itemIndex) remove(s *State, slot uint32) {
	if f.cursor != 0 && !f.order.has(&s.jobs, slot) {
		return
	}
	f.order.remove(&s.jobs, slot)
	f.requests.remove(s, slot)
}

// walk shows all items of a queue, in the order of their ids, from a.from on; each costs
// so much of the share. show may end the item that it is shown. It reports false if it
// must go on in another turn.
func (s *State) walk(v *service, a *Ask, cost int, show func(slot uint32)) bool {
	o := &v.index.order
	at := o.seek(&s.jobs, a.from)
	for slot := o.at(at); slot != 0; slot = o.at(at) {
		if s.spent() {
			return false
		}
		s.spend(cost)
		a.from = s.job(slot).id() + 1
		show(slot)
		if o.at(at) == slot {
			at = o.next(at)
		} else { // it has ended
			at = o.seek(&s.jobs, a.from)
		}
	}
	return true
}
