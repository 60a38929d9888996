package queue

import "slices"

// mGet is a get of the model that waits, or has been called.
type mGet struct {
	getter Getter
	queue  string
	from   uint64
	tags   Tags
	take   bool
	called uint64 // the job that it was called for; 0 while it waits
}

// keeps says that a tube must not end, because the queue service needs it.
func (v *mService) keeps(tube string) bool {
	return v.first[tube] || slices.ContainsFunc(v.gets, func(g *mGet) bool { return g.queue == tube })
}

// get finds items, the oldest or the newest, and may end them.
func (m *model) get(op *Op) {
	a := op.Ask
	var found []uint64
	for _, j := range m.jobs {
		if j.tube == a.Queue && (j.state == Ready || j.state != Delayed && !a.Take) && j.tags.Has(a.Tags) &&
			(a.Index == NewestIndex || j.id >= a.Index) {
			found = append(found, j.id)
		}
	}
	slices.Sort(found)
	if n := len(found) - a.Length; n > 0 && a.Index == NewestIndex {
		found = found[n:]
	} else if n > 0 {
		found = found[:a.Length]
	}
	m.service.found = found
	if a.Take {
		for _, id := range found {
			m.done(m.job(id))
		}
	}
	m.unget(a.Getter)
	switch {
	case len(found) > 0:
	case !a.Wait:
		op.Status = Empty
	default:
		op.Status = Waiting
		m.need(a.Queue)
		g := &mGet{getter: a.Getter, queue: a.Queue, from: a.Index, tags: a.Tags, take: a.Take}
		if a.Index == NewestIndex {
			g.from = 0
		}
		m.service.gets = append(m.service.gets, g)
	}
}

// unget forgets a get. The item that it was called for, and leaves, is for another.
func (m *model) unget(by Getter) {
	for i, g := range m.service.gets {
		if by == nil || g.getter != by {
			continue
		}
		m.service.gets = slices.Delete(m.service.gets, i, i+1)
		if j := m.job(g.called); j != nil && j.state == Ready && j.tube == g.queue {
			m.offer(j, true)
		}
		return
	}
}

// offer calls the gets that wait for an item: those that ask for its request id, then the
// others. Of those that take it only the first is called.
func (m *model) offer(j *mJob, taking bool) {
	if m.service == nil {
		return
	}
	for _, byID := range []bool{true, false} {
		for _, take := range []bool{false, true} {
			for _, g := range m.service.gets {
				_, asks := g.tags.Get(TagRequest)
				if g.queue != j.tube || g.called != 0 || asks != byID || g.take != take || j.id < g.from || !j.tags.Has(g.tags) {
					continue
				}
				if take && !taking {
					break
				}
				taking = taking && !take
				g.called = j.id
				m.service.called = append(m.service.called, g.getter.(*caller).name+"!")
			}
		}
	}
}

// endAll ends some items of a queue for everybody, whoever has them.
func (m *model) endAll(queue string, which func(*mJob) bool) {
	var ids []uint64
	for i := range m.jobs {
		if j := &m.jobs[i]; j.tube == queue && which(j) {
			ids = append(ids, j.id)
		}
	}
	slices.Sort(ids)
	for _, id := range ids {
		j := m.job(id)
		if j.state == Reserved {
			m.unpend(j)
		}
		m.done(j)
	}
}
