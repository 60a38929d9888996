package queue

import (
	"cmp"
	"slices"

	"beanfield/shard/queue/cells"
	"beanfield/storage"
)

// The first group of a queue is its tube. Every further group is a view. A view gets each
// job too, from when the job first becomes ready, and has its own account of the jobs: a
// heap of those that it has not delivered, in the same order as the tube's heap; a place
// for each; and lists of those that are pending at its consumers. A job that the first
// group is done with, and a view is not, is passed: no beanstalk client sees it any more.
// It ends when the last group is done with it.
//
// Places are in chunks that are made when a job of the chunk comes into the view, and
// dropped when none is left. So a view costs 20 bytes for a job that it has not
// delivered, and nothing where it has none. One chunk is kept for the next job: otherwise each
// job of a queue that is mostly empty would cost a chunk in every view.

// view is a further group of a queue.
type view struct {
	group  *group
	number uint32 // in the log; never used again for this queue
	slot   uint32 // in State.views
	start  uint64 // the first id that it gets
	tags   Tags   // it gets items that have these only

	heap     cells.Heap         // undelivered, by (priority, id)
	places   cells.Positions    // of jobs by slot: in the heap, or one of the marks below
	known    []uint16           // by chunk of places: how many jobs in it have one
	spare    []uint32           // a chunk in which none has, or nil
	sent     cells.List[uint32] // all that is pending, first sent first
	returned map[uint32]uint32  // how often jobs were taken back from consumers
	line     cells.Line[*consumer]

	cursor   uint64 // while it is built: the first id that it has not looked at
	building bool
	dropping bool // its group is being removed
	emptied  bool // its heap has been emptied, but its places may not have been
}

// pending is a job that a consumer of a view has, without a pointer.
type pending struct {
	job      uint32
	consumer uint32              // slot of its client
	own      cells.Links[uint32] // in the consumer's list
	all      cells.Links[uint32] // in the view's
	at       int64               // when it was sent
}

// Marks of a job in view.places that are not positions in the heap.
const (
	viewDone    = cells.Nowhere - 1
	viewPending = uint32(1) << 31 // the rest is the slot of the pending
)

// where says where a job is in the view: a position in its heap, viewDone, viewPending
// with a slot, or nowhere.
func (w *view) where(slot uint32) uint32 {
	if at, known := w.places.Find(slot); known {
		return at
	}
	return cells.Nowhere
}

// open says that the view is not done with a job.
func (w *view) open(slot uint32) bool {
	at := w.where(slot)
	return at != cells.Nowhere && at != viewDone
}

// pendingOf is the slot of the pending of a job, or 0.
func (w *view) pendingOf(slot uint32) uint32 {
	if at := w.where(slot); at != cells.Nowhere && at != viewDone && at&viewPending != 0 {
		return at &^ viewPending
	}
	return 0
}

// undelivered says that a job is in the view's heap.
func (w *view) undelivered(slot uint32) bool { return w.where(slot)&viewPending == 0 }

// know makes room for a job's place, and counts it.
func (w *view) know(slot uint32) {
	ci := int(slot >> cells.ChunkShift)
	if _, known := w.places.Find(slot); !known {
		for ci >= len(w.places) {
			w.places = append(w.places, nil)
		}
		w.places[ci], w.spare = w.spare, nil
		if w.places[ci] == nil {
			w.places.Cover(slot)
			for i := range w.places[ci] {
				w.places[ci][i] = cells.Nowhere
			}
		}
		for len(w.known) <= ci {
			w.known = append(w.known, 0)
		}
	}
	w.known[ci]++
}

// unknow forgets a job's place.
func (w *view) unknow(slot uint32) {
	ci := slot >> cells.ChunkShift
	w.places.Set(slot, cells.Nowhere)
	if w.known[ci]--; w.known[ci] == 0 {
		w.spare, w.places[ci] = w.places[ci], nil
	}
	delete(w.returned, slot)
}

// wants says whether the view gets a job that it has not seen.
func (w *view) wants(s *State, slot uint32) bool {
	return !w.dropping && s.job(slot).id() >= w.start && w.where(slot) == cells.Nowhere &&
		(len(w.tags) == 0 || s.tagsOf(slot).Has(w.tags))
}

// enter takes a job into the view.
func (w *view) enter(s *State, slot uint32) {
	w.know(slot)
	w.offer(s, slot)
}

// offer puts a job that is known, and in no place, among the undelivered.
func (w *view) offer(s *State, slot uint32) {
	j := s.job(slot)
	w.heap.Push(w.places, readyKey(j.pri, j.id(), slot))
	s.callLine(w)
}

// take takes a job out of the undelivered. The caller sets its new place.
func (w *view) take(slot uint32) { w.heap.Remove(w.places, w.where(slot)) }

// wanted says whether there is a view that is not done with a job.
func (v *service) wanted(slot uint32) bool { return v.wantedFrom(0, slot) }

// wantedFrom begins with one of the views. Whoever asks after each commit begins with the view
// that has committed: then it looks at few views, in whatever order they commit.
func (v *service) wantedFrom(first int, slot uint32) bool {
	for i := range v.views {
		if i += first; i >= len(v.views) {
			i -= len(v.views)
		}
		if w := v.views[i]; !w.dropping && w.open(slot) {
			return true
		}
	}
	return false
}

// viewForgets takes a job out of a view, wherever it is.
func (s *State) viewForgets(w *view, slot uint32) {
	if w.where(slot) == cells.Nowhere {
		delete(w.returned, slot) // a delayed job from the log may have a count and no place
		return
	}
	s.viewLoses(w, slot)
	w.unknow(slot)
}

// viewKeeps forgets all jobs but some, because they have ended at once (bulk_grave.go).
func (s *State) viewKeeps(w *view, left []uint32) {
	at, times := make([]uint32, len(left)), w.returned
	for i, slot := range left {
		at[i] = w.where(slot)
	}
	for ref := w.sent.Head; ref != 0; {
		next := s.allLinks(ref).Next
		if s.interred(s.pendings.At(ref).job) {
			s.viewUnpend(w, ref)
		}
		ref = next
	}
	w.heap, w.places, w.known, w.returned = cells.Heap{}, nil, nil, nil
	for i, slot := range left {
		if n := times[slot]; n > 0 {
			w.count(slot, n)
		}
		if at[i] == cells.Nowhere {
			continue
		}
		if w.know(slot); at[i]&viewPending != 0 { // or done
			w.places.Set(slot, at[i])
			continue
		}
		j := s.job(slot)
		w.heap.Push(w.places, readyKey(j.pri, j.id(), slot))
	}
}

// viewLoses takes a job, which the view knows, out of its heap or from its consumer. The
// caller sets the job's new place.
func (s *State) viewLoses(w *view, slot uint32) {
	s.spend(moving / 2)
	if w.emptied {
		return
	}
	if ref := w.pendingOf(slot); ref != 0 {
		s.viewUnpend(w, ref)
	} else if w.undelivered(slot) {
		w.take(slot)
	}
}

// viewEnds notes that a view is done with a job. If all other groups are done with it too,
// the job ends.
func (s *State) viewEnds(w *view, slot uint32) {
	s.viewLoses(w, slot)
	w.places.Set(slot, viewDone)
	delete(w.returned, slot)
	v := w.group.service
	s.mayBeOver(v)
	if s.job(slot).state() != Passed || v.wantedFrom(v.rank(w.number), slot) {
		s.logUpdate(slot)
		return
	}
	s.unpass(slot)
	s.settle(slot)
}

// makePassed notes that the first group is done with a job, and a view is not.
func (s *State) makePassed(slot uint32) {
	j := s.job(slot)
	j.setState(Passed)
	v := s.tubeOf(j).service
	v.passed++
	s.mayBeOver(v)
}

// count notes that a job was taken back from consumers of the view.
func (w *view) count(slot, times uint32) {
	if w.returned == nil {
		w.returned = map[uint32]uint32{}
	}
	w.returned[slot] += times
}

// settle ends a job, which is in no place, because all groups are done with it.
func (s *State) settle(slot uint32) {
	if !s.meetFate(slot) {
		s.end(slot)
	}
}

// meetFate does with a job that has become a dead letter of one of the groups what its fate
// says.
func (s *State) meetFate(slot uint32) bool {
	it := s.itemAt(slot)
	if it == nil || !it.fated {
		return false
	}
	s.die(slot, it.fate, ForReturns)
	return true
}

// newView makes a view of a queue, without jobs.
func (s *State) newView(v *service, number uint32, name string, start uint64, tags Tags) *view {
	w := &view{group: newGroup(v, name), number: number, start: start, tags: slices.Clone(tags)}
	w.group.view = w
	w.slot = s.views.Add(w)
	s.idling.Cover(w.slot)
	v.views = append(v.views, w)
	if v.named == nil {
		v.named = map[string]*view{}
	}
	v.named[name] = w
	return w
}

// groupFor finds the group of a watch, or makes it: the first group of a queue is its
// tube, and all others are views. It reports false if it must go on in another turn.
func (s *State) groupFor(v *service, a *Ask, start uint64) (g *group, done bool) {
	w := v.named[a.Group]
	if w == nil && v.first == nil {
		v.first = newGroup(v, a.Group)
		s.logQueue(v)
	}
	if w == nil && v.first.name == a.Group {
		return v.first, true
	}
	w, done = s.viewFor(v, w, a, start)
	if !done {
		return nil, false
	}
	return w.group, true
}

// viewFor makes the view of a group at its first watch. It reports false if it must go on
// in another turn: a new view takes in the jobs that are there in shares, and the watch
// ends, so that jobs can be delivered, only when the view has them all.
func (s *State) viewFor(v *service, w *view, a *Ask, start uint64) (*view, bool) {
	if w == nil {
		if !s.whole(v) {
			return nil, false
		}
		w = s.newView(v, v.nextView, a.Group, start, a.Tags)
		v.nextView++
		w.building, w.cursor = true, start
		s.logQueue(v)
	}
	return w, !w.dropping && s.build(w)
}

// build goes on taking in the jobs that were there before the view. Those that are delayed
// come when they become ready.
func (s *State) build(w *view) bool {
	if !w.building {
		return true
	}
	w.building = !w.group.service.walk(s, &w.cursor, moving/4, func(slot uint32) bool {
		if s.job(slot).state() != Delayed && w.wants(s, slot) {
			w.enter(s, slot)
		}
		return true
	})
	return !w.building
}

// rank is where a view with this number is among the views, or would be.
func (v *service) rank(number uint32) int {
	at, _ := slices.BinarySearchFunc(v.views, number, func(w *view, n uint32) int { return cmp.Compare(w.number, n) })
	return at
}

// viewNumbered finds a view by its number.
func (v *service) viewNumbered(number uint32) *view {
	if at := v.rank(number); at < len(v.views) && v.views[at].number == number {
		return v.views[at]
	}
	return nil
}

// emptyView takes all jobs out of a view. It reports false if it must go on in another
// turn.
func (s *State) emptyView(w *view, a *Ask) bool {
	v := w.group.service
	if !w.emptied {
		w.emptied, w.heap = true, cells.Heap{}
	}
	return v.walk(s, &a.from, moving/4, func(slot uint32) bool {
		if w.where(slot) == cells.Nowhere {
			return true
		}
		s.viewForgets(w, slot)
		if s.job(slot).state() == Passed && !v.wanted(slot) {
			s.spend(ending)
			s.unpass(slot)
			s.settle(slot)
		}
		return true
	})
}

// endView forgets an empty view, unless another AskDropGroup has already done so.
func (s *State) endView(v *service, w *view) {
	if s.views.Get(w.slot) != w {
		return
	}
	s.idling.Schedule(w.slot, 0)
	at := v.rank(w.number)
	v.views = slices.Delete(v.views, at, at+1)
	delete(v.named, w.group.name)
	s.mayBeOver(v) // tickOver may have counted it
	s.views.Drop(w.slot)
}

// recordJob says how far the views are with a job.
func (v *service) recordJob(slot uint32, r *storage.Item) {
	for _, w := range v.views {
		if w.where(slot) == viewDone {
			r.Done = append(r.Done, w.number)
		} else if n := w.returned[slot]; n > 0 {
			r.Returned = append(r.Returned, storage.Returned{View: w.number, Times: n})
		}
	}
}

// restoreJob puts back what recordJob said. The log may name views that have gone. Their
// numbers are not used again, even if the queue's record is lost (V4).
func (v *service) restoreJob(slot uint32, r *storage.Item) {
	for _, number := range r.Done {
		v.nextView = max(v.nextView, number+1)
		if w := v.viewNumbered(number); w != nil && w.where(slot) == cells.Nowhere {
			w.know(slot)
			w.places.Set(slot, viewDone)
		}
	}
	for _, x := range r.Returned {
		v.nextView = max(v.nextView, x.View+1)
		if w := v.viewNumbered(x.View); w != nil {
			w.count(slot, x.Times)
		}
	}
}
