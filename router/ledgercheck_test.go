package router

import (
	"beanfield/shard/queue"
)

// settle holds what the ledger has of an item against what the shard says.
func (l *ledger) settle(p *stepped, e *entry) {
	if _, known := l.bed.r.ids.find(e.id); !known {
		l.ended(p, e)
		return
	}
	info, seen := p.job(e.id)
	if seen && info.Tube != e.queue {
		l.moved(e, info.Tube)
	}
	l.compare(p, e)
	s := e.first
	switch {
	case s.dead && !seen:
		s.done = true // its fate waits for the views
	case s.dead && info.State != queue.Buried:
		l.fatalf("item %d was sent %d times and is in state %v", e.id, s.returns, info.State)
	case s.dead:
		e.fated = false
	case s.done && seen && info.State == queue.Buried && (e.fated || e.vague):
		s.done, e.fated = false, false
	case s.done && seen:
		l.fatalf("item %d is in state %v, and the first group has done it", e.id, info.State)
	case !s.done && !seen && e.vague:
		s.done = true
	case !s.done && !seen:
		l.fatalf("item %d is passed, and the first group has not done it: %+v", e.id, s)
	case !seen:
		l.seen.passed++
	}
	s.dead = false
	if seen && info.State == queue.Ready {
		for _, g := range l.queue(e.queue).groups {
			if g.built && !g.dropping && g.gets(e) {
				e.of(g).join()
			}
		}
	}
}

// over says that a group is done with an item, or is in this turn, because its time there
// has passed once too often.
func (l *ledger) over(now int64, e *entry, s *stake) bool {
	return s.done || s.dead || s.user != nil && s.returns+1 == l.limits.MaxDelivery && l.lost(now, e, s)
}

// ended checks that there is a reason for the end of an item.
func (l *ledger) ended(p *stepped, e *entry) {
	now := p.now()
	had := e.first.user != nil
	done, dead := l.over(now, e, e.first), e.fated || !e.first.done && l.over(now, e, e.first)
	for g, s := range e.views {
		if g.dropping {
			continue
		}
		had = had || s.user != nil
		done = done && (!s.owed || l.over(now, e, s))
		dead = dead || !s.done && l.over(now, e, s)
	}
	if !e.void && !e.vague && !(e.loose && !had) && (!done || dead && l.limits.DeadLetter != queue.FateDrop) {
		l.fatalf("item %d of %s has ended: loose %t, had %t, dead %t, the first group is %+v", e.id, e.queue, e.loose, had, dead, e.first)
	}
	delete(l.items, e.id)
}

// compare holds what each group has of an item against what the shard says.
func (l *ledger) compare(p *stepped, e *entry) {
	for _, g := range l.queue(e.queue).groups {
		s := e.first
		if g.view {
			s = e.views[g]
		}
		if s == nil || s.user == nil || g.dropping || s.user.group != g {
			continue
		}
		a := &queue.Ask{What: queue.AskSearch, Queue: e.queue, Group: g.name, Limits: l.limits}
		if p.query(a, e.id) != queue.OK {
			l.fatalf("item %d of %s is not found", e.id, e.queue)
		}
		f := &a.Search
		if f.Pending && f.Consumer == g.name+"."+s.user.name {
			if f.Deliveries != s.returns+1 {
				l.fatalf("item %d at %s is delivery %d, and came back %d times", e.id, f.Consumer, f.Deliveries, s.returns)
			}
			continue
		}
		counted := f.Deliveries != s.returns // 0 if a view is done with a dead letter
		if f.Pending {
			counted = f.Deliveries != s.returns+1
		}
		switch {
		case counted && l.lost(p.now(), e, s):
			l.back(e, s)
		case !counted && s.again:
			s.user, s.again = nil, false
		default:
			l.fatalf("item %d was taken from %s.%s without a reason: %+v, it had come back %d times", e.id, g.name, s.user.name, *f, s.returns)
		}
	}
}

// checkWindows counts what consumers have.
func (l *ledger) checkWindows(p *stepped) {
	has := map[*ledgerUser]int{}
	again := map[*ledgerUser]bool{}
	note := func(s *stake) {
		if s.user != nil && s.user.conn != nil && !s.user.group.dropping {
			has[s.user]++
			again[s.user] = again[s.user] || s.again
		}
	}
	for _, e := range l.in(p) {
		note(e.first)
		for _, s := range e.views {
			note(s)
		}
	}
	for u, n := range has {
		if n > u.window && !u.auto && !again[u] {
			l.fatalf("%v has %d items, and a window of %d", u.conn, n, u.window)
		}
	}
}

// passed says that only views have an item.
func (l *ledger) passed(id uint64) bool { return l.items[id] != nil && l.items[id].first.done }

// held counts what is pending in the first groups, and what the shards show of items.
func (l *ledger) held() (held, shown int) {
	for _, e := range l.items {
		if e.first.user != nil {
			held++
		}
		if !e.first.done {
			shown++
		}
	}
	return held, shown
}
