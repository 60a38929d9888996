package queue

import (
	"slices"

	"beanfield/shard/queue/cells"
)

// gets are the gets that wait for an item. Those that ask for a request id are found
// by it; the others wait in one line. An item calls all gets that want to look at it and,
// if it may be taken, one of those that want to take it. A get that is called must come
// back: it tries again, or withdraws with AskUnget. Until then it counts as called for
// that item. If it comes back and leaves the item, the next get is called (F3). A get
// that is still looking through the queue is not called for an item: it goes back to it.
type gets struct {
	looking  []*Ask // these go on in another turn
	waits    map[Getter]*waitGet
	requests map[uint64]*getLines // by hash of the request id
	others   getLines
}

// getLines are the gets that look at an item and leave it, and those that take it. An
// item calls only one of the takers, however many there are.
type getLines struct{ lookers, takers getLine }

func (l *getLines) empty() bool { return l.lookers.Head == nil && l.takers.Head == nil }

// waitGet is one get that waits, or has been called.
type waitGet struct {
	getter Getter
	tags   Tags
	marks  uint64 // of tags
	from   uint64
	take   bool
	hash   uint64 // of the request id, if it asks for one
	lines  *getLines
	place  cells.Node[*waitGet] // in line, unless it is called
	called uint64               // the job that it was called for
}

// getLine is a list of gets.
type getLine = cells.Line[*waitGet]

// lined says that the get waits in its line.
func (w *waitGet) lined() bool { return w.line().In(&w.place) }

// line is where the get waits, unless it is called.
func (w *waitGet) line() *getLine {
	if w.take {
		return &w.lines.takers
	}
	return &w.lines.lookers
}

// wait registers a get that has found nothing.
func (g *gets) wait(a *Ask) {
	if g.waits == nil {
		g.waits, g.requests = map[Getter]*waitGet{}, map[uint64]*getLines{}
	}
	w := &waitGet{getter: a.Getter, tags: append(Tags(nil), a.Tags...), from: a.start(), take: a.Take}
	w.marks = w.tags.marks()
	g.waits[a.Getter] = w
	lines := &g.others
	if id, ok := w.tags.Get(TagRequest); ok {
		w.hash = hashRequest(id)
		if lines = g.requests[w.hash]; lines == nil {
			lines = &getLines{}
			g.requests[w.hash] = lines
		}
	}
	w.lines = lines
	w.line().Join(&w.place, w)
}

// leave takes a get out of its line.
func (g *gets) leave(w *waitGet) {
	w.line().Leave(&w.place)
	if w.lines.empty() && w.lines != &g.others {
		delete(g.requests, w.hash)
	}
}

// returned forgets a get that comes back, or withdraws. It returns the job for which the
// get was called, or 0.
func (g *gets) returned(by Getter) (called uint64) {
	w := g.waits[by]
	if w == nil {
		return 0
	}
	delete(g.waits, by)
	if w.lined() {
		g.leave(w)
	}
	return w.called
}

// busy says that there is a get that must hear of items.
func (g *gets) busy() bool { return len(g.waits)+len(g.looking) > 0 }

// goesOn notes that a get has yet to look through a part of the queue, or no longer has.
func (g *gets) goesOn(a *Ask, more bool) {
	at := slices.Index(g.looking, a)
	switch {
	case more && at < 0 && a.Wait:
		g.looking = append(g.looking, a)
	case !more && at >= 0:
		g.looking = slices.Delete(g.looking, at, at+1)
	}
}

// goBack lets a get that has found nothing yet look at an item again.
func (a *Ask) goBack(id uint64, tags Tags) {
	switch {
	case len(a.Found.Items) > 0 || id < a.start() || !tags.Has(a.Tags):
	case a.Index == NewestIndex:
		a.from = max(a.from, id+1)
	default:
		a.from = min(a.from, id)
	}
}

// matches says whether a get asks for an item.
func (w *waitGet) matches(id uint64, tags Tags) bool {
	return id >= w.from && tags.Has(w.tags)
}

// offer calls gets for an item: all that only look and, if it may be taken, the first of
// the others.
func (g *gets) offer(s *State, slot uint32, taking bool) {
	tags := s.tagsOf(slot)
	for _, a := range g.looking {
		if taking || !a.Take {
			a.goBack(s.job(slot).id(), tags)
		}
	}
	if len(g.waits) == 0 {
		return
	}
	it := offered{s.job(slot).id(), tags, tags.marks()}
	if id, ok := tags.Get(TagRequest); ok {
		if l := g.requests[hashRequest(id)]; l != nil {
			taking = g.offerTo(s, l, &it, taking)
		}
	}
	g.offerTo(s, &g.others, &it, taking)
}

// offered is an item that is shown to gets.
type offered struct {
	id    uint64
	tags  Tags
	marks uint64
}

// offerTo calls the lookers and, if the item may be taken, the first taker that asks for
// it. It returns whether somebody else may still take the item.
func (g *gets) offerTo(s *State, l *getLines, it *offered, taking bool) bool {
	for w := range l.lookers.All() {
		g.callFor(s, w, it)
	}
	for w := range l.takers.All() {
		if taking = taking && !g.callFor(s, w, it); !taking {
			break
		}
	}
	return taking
}

// callFor calls a get for an item, and reports true, if the get asks for such an item.
func (g *gets) callFor(s *State, w *waitGet, it *offered) bool {
	s.spend(looking)
	if w.marks&^it.marks != 0 || !w.matches(it.id, it.tags) {
		return false
	}
	g.leave(w)
	w.called = it.id
	s.Called = append(s.Called, w.getter)
	return true
}

// shown offers an item that has just become ready, and may have been taken since.
func (g *gets) shown(s *State, id uint64) {
	if slot := s.find(id); slot != 0 {
		g.offer(s, slot, s.job(slot).state() == Ready)
	}
}

// again offers an item of the tube once more: the get that was called for it has left it.
func (g *gets) again(s *State, t *tube, id uint64) {
	if id == 0 {
		return
	}
	if slot := s.jobIn(t, id); slot != 0 && s.job(slot).state() == Ready {
		g.offer(s, slot, true)
	}
}
