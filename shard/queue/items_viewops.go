package queue

import (
	"cmp"
	"slices"

	"beanfield/shard/queue/cells"
	"beanfield/storage"
)

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
