package router

import (
	"slices"
	"strings"

	"beanfield/shard/queue"
)

// before looks at what a turn is about to do. Batches of several operations are a
// session's scripts, which say nothing of items.
func (l *ledger) before(p *stepped, b *queue.Batch) {
	l.batch, l.op = b, nil
	if len(b.Ops) != 1 {
		return
	}
	l.op = &b.Ops[0]
	l.count, l.was = l.op.Count, map[uint64]queue.JobState{}
	ids := []uint64{l.op.ID}
	if l.op.Kind == queue.Service {
		ids = l.op.Ask.Indexes
	}
	for _, id := range ids {
		if info, ok := p.job(id); ok {
			l.was[id] = info.State
		}
	}
}

// after takes in what the turn has done. A turn is quiet if nothing was due.
func (l *ledger) after(p *stepped, batches []*queue.DeliveryBatch, quiet bool) {
	if quiet && l.batch == nil && len(batches) == 0 {
		return
	}
	op := l.op
	l.batch, l.op, l.gone = nil, nil, nil
	if op != nil {
		l.applied(p, op)
	}
	for _, rear := range []bool{false, true} { // a dead letter may have been sent on in both
		for _, batch := range batches {
			if strings.HasSuffix(batch.To().(*conn).queue, queue.RearSuffix) == rear {
				l.pushed(p, batch)
			}
		}
	}
	list := l.in(p)
	for _, e := range list {
		l.settle(p, e)
		e.void, e.loose = false, false
	}
	for _, id := range l.gone {
		if l.items[id] != nil {
			l.fatalf("item %d is there after it was ended for all", id)
		}
	}
	if len(batches) > 0 {
		l.checkWindows(p)
	}
}

// applied takes in an operation.
func (l *ledger) applied(p *stepped, op *queue.Op) {
	ok := op.Status == queue.OK
	switch e := l.items[op.ID]; {
	case op.Kind == queue.Service:
		l.asked(p, op)
	case !ok:
	case op.Kind == queue.Put:
		l.born(op.ID)
	case op.Kind == queue.Delete && l.was[op.ID] == queue.Reserved:
		e.first.done = true
	case op.Kind == queue.Delete:
		e.void = true
		l.gone = append(l.gone, op.ID)
	case op.Kind == queue.Reserve || op.Kind == queue.ReserveJob:
		if e == nil || e.first.done || e.first.user != nil && !l.lost(p.now(), e, e.first) && !e.first.user.group.dropping {
			l.fatalf("a worker gets item %d, which is %+v", op.ID, e)
		}
	}
}

func (l *ledger) born(id uint64) {
	e := l.coming[id]
	delete(l.coming, id)
	l.items[id] = e
	if !e.delayed {
		l.join(e)
	}
}

// asked takes in an operation of the queue service, which may have several turns.
func (l *ledger) asked(p *stepped, op *queue.Op) {
	a, ok := op.Ask, op.Status == queue.OK
	switch a.What {
	case queue.AskPut:
		if !ok {
			break
		}
		l.born(op.ID)
		if l.limits.AutoEvict && l.limits.MaxLength > 0 {
			l.permit(a.Queue, func(e *entry) bool { e.loose = true; return false })
		}
	case queue.AskGet:
		if !a.Take || a.Found == nil {
			break
		}
		for _, it := range a.Found.Items {
			if e := l.items[it.Index]; e != nil && e.queue == a.Queue {
				if ok && (e.first.done || e.first.user != nil && !e.first.user.group.dropping) {
					l.fatalf("a get takes item %d, which is %+v", e.id, e.first)
				}
				e.void = true
			}
			if ok {
				l.seen.taken++
				l.gone = append(l.gone, it.Index)
			}
		}
	case queue.AskDelete:
		l.permit(a.Queue, func(e *entry) bool { e.void = slices.Contains(a.Indexes, e.id); return false })
	case queue.AskTruncate:
		l.permit(a.Queue, func(e *entry) bool { e.void = e.id < a.Index; return ok && e.void })
	case queue.AskWatch:
		l.watched(p, op)
	case queue.AskLeave:
		if u := l.userOf(a); u != nil && u.conn != nil && u.conn == a.Receiver {
			u.conn, u.left = nil, p.now()
		}
	case queue.AskCommit:
		l.committed(op)
	case queue.AskNegative:
		l.refused(op)
	case queue.AskDropGroup:
		l.dropped(op)
	}
}

// permit notes which items of a queue this turn may end, and for which ones it must.
func (l *ledger) permit(name string, must func(*entry) bool) {
	for id, e := range l.items {
		if e.queue == name && must(e) {
			l.gone = append(l.gone, id)
		}
	}
}

func (l *ledger) userOf(a *queue.Ask) *ledgerUser {
	if g := l.queue(a.Queue).groups[a.Group]; g != nil {
		return g.users[a.User]
	}
	return nil
}

// watched takes in a watch. The first group of a queue is the one that the first watch
// names, and a view is made in a turn that may not be the watch's last.
func (l *ledger) watched(p *stepped, op *queue.Op) {
	a := op.Ask
	q := l.queue(a.Queue)
	start := a.Index
	if start == queue.NewestIndex {
		start = l.next(a.Queue)
	}
	g := q.groups[a.Group]
	if g == nil && l.hasGroup(p, a.Queue, a.Group) {
		g = &ledgerGroup{name: a.Group, queue: a.Queue, view: q.first != nil, users: map[string]*ledgerUser{}}
		q.groups[a.Group] = g
		if g.view {
			g.start, g.tags = start, a.Tags
		} else {
			q.first = g
		}
	}
	if op.Status != queue.OK {
		return
	}
	g.built = g.view
	u := g.users[a.User]
	if u == nil {
		u = &ledgerUser{group: g, name: a.User}
		g.users[a.User] = u
	}
	c := a.Receiver.(*conn)
	if u.conn != nil && u.conn != c {
		l.seen.tookOver++
		if !u.conn.replaced {
			l.fatalf("%v has a new connection, and the old one does not know", c)
		}
	}
	u.conn, c.holder = c, u
	u.window, u.auto, u.stopped, u.left, u.resent = a.Window, a.AutoCommit, false, 0, 0
	u.start, u.tags = start, a.Tags
	for _, e := range l.items {
		if s := e.of(g); s.user == u {
			s.again = true
		}
	}
}

func (l *ledger) hasGroup(p *stepped, tube, name string) bool {
	a := &queue.Ask{What: queue.AskAttrs, Queue: tube, Limits: l.limits}
	p.query(a, 0)
	return slices.ContainsFunc(a.Attrs.Groups, func(g queue.GroupInfo) bool { return g.Group == name })
}

// committed takes in the indexes that a commit has dealt with in this turn.
func (l *ledger) committed(op *queue.Op) {
	a := op.Ask
	g := l.queue(a.Queue).groups[a.Group]
	if g == nil {
		return
	}
	for _, id := range a.Indexes[l.count:op.Count] {
		e := l.items[id]
		if e == nil || e.queue != a.Queue {
			continue
		}
		s := e.of(g)
		unsent := s.user == nil && (g.view && s.owed || !g.view && l.was[id] == queue.Ready)
		if !s.done && (s.user != nil && s.user.group == g || unsent) {
			l.seen.committed++
			l.note("item %d is committed for %s", id, g.name)
			s.user, s.done = nil, true
		}
		s.unsure = s.unsure || !s.owed
	}
}

// refused takes in the indexes that a negative has dealt with in this turn.
func (l *ledger) refused(op *queue.Op) {
	a := op.Ask
	u := l.userOf(a)
	if u == nil {
		return
	}
	u.stopped = u.stopped || a.Code == queue.CodeShutdown
	for _, id := range a.Indexes[l.count:op.Count] {
		if e := l.items[id]; e != nil && e.queue == a.Queue {
			if s := e.of(u.group); s.user == u {
				l.seen.refused++
				l.back(e, s)
			}
		}
	}
}

// dropped takes in the removal of a group: the first group loses its name at once, and a
// view when all its items have been taken out.
func (l *ledger) dropped(op *queue.Op) {
	a := op.Ask
	q := l.queue(a.Queue)
	g := l.drops[a]
	if g == nil {
		if g = q.groups[a.Group]; g == nil {
			return
		}
		g.dropping = true
		l.drops[a] = g
		for _, e := range l.items {
			if s := e.of(g); s.user != nil && s.user.group == g {
				e.vague = true
			}
		}
		if !g.view {
			q.first = nil
			delete(q.groups, a.Group)
		}
	}
	if op.Status != queue.OK {
		return
	}
	l.seen.dropped++
	delete(l.drops, a)
	if q.groups[g.name] == g {
		delete(q.groups, g.name)
	}
	for _, e := range l.items {
		delete(e.views, g)
		if e.first.user != nil && e.first.user.group == g {
			e.first.user = nil
		}
	}
}
