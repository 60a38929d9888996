package router

import (
	"cmp"
	"slices"

	"beanfield/shard/queue"
)

// ledger follows every item of every queue, turn by turn and in all groups. It does not
// say who is sent what, because several answers are right. It says whether what has
// happened was to happen: nobody is sent what another of the group has, or what the group
// has done; nothing is taken from a consumer without a reason; nothing ends before all
// groups have done it.
type ledger struct {
	bed    *bed
	limits *queue.Limits
	note   func(format string, args ...any)
	fatalf func(format string, args ...any)
	coming map[uint64]*entry // ids of puts that no shard has applied
	items  map[uint64]*entry
	queues map[string]*ledgerQueue
	drops  map[*queue.Ask]*ledgerGroup // removals that go on
	seen   ledgerSeen

	// of the turn that is on
	batch *queue.Batch
	op    *queue.Op
	count uint32                    // how many of its indexes the operation had dealt with
	was   map[uint64]queue.JobState // where the jobs were that it names
	gone  []uint64                  // those that must not be there after it
}

type ledgerSeen struct{ pushed, again, lost, refused, committed, taken, dead, moved, passed, dropped, tookOver, woken, drained int }

// entry is an item, which may be a job that no consumer has seen.
type entry struct {
	id      uint64
	queue   string
	tags    queue.Tags
	ttr     int64
	delayed bool
	at      *stepped // its shard
	first   *stake
	views   map[*ledgerGroup]*stake
	pushes  int  // to consumers of the first group, which then held it
	fated   bool // it was sent as often as it may be
	vague   bool // a group had it that was removed, which may have counted or fated it meanwhile
	void    bool // this turn may end it for all
	loose   bool // this turn may end it for all if nobody has it
}

// stake is an item as a group has it.
type stake struct {
	user    *ledgerUser // at whom it is pending
	over    *conn       // the connection that it was sent over
	since   int64       // when
	returns int         // how often it was taken back
	done    bool
	owed    bool // a view has it: the item may not end before the view is done
	unsure  bool // the view has committed it, if it had it
	again   bool // its consumer has a new connection, which is yet to be sent it
	dead    bool // it was sent as often as it may be, in this turn
}

type ledgerQueue struct {
	first  *ledgerGroup
	groups map[string]*ledgerGroup
}

type ledgerGroup struct {
	name, queue string
	view        bool
	built       bool // of a view: it has all items that it is to have
	dropping    bool
	start       uint64
	tags        queue.Tags
	users       map[string]*ledgerUser
}

type ledgerUser struct {
	group   *ledgerGroup
	name    string
	conn    *conn // nil if it has left
	left    int64 // when it left
	window  int
	auto    bool
	stopped bool
	resent  int // how many items its connection was sent again
	start   uint64
	tags    queue.Tags
}

func newLedger(d *bed, l *queue.Limits, note, fatalf func(string, ...any)) *ledger {
	x := &ledger{
		bed: d, limits: l, note: note, fatalf: fatalf, coming: map[uint64]*entry{}, items: map[uint64]*entry{},
		queues: map[string]*ledgerQueue{}, drops: map[*queue.Ask]*ledgerGroup{},
	}
	for _, p := range d.shards {
		p.audit = x
	}
	return x
}

func (l *ledger) queue(name string) *ledgerQueue {
	q := l.queues[name]
	if q == nil {
		q = &ledgerQueue{groups: map[string]*ledgerGroup{}}
		l.queues[name] = q
	}
	return q
}

// announce tells of a put before it is submitted.
func (l *ledger) announce(e entry) {
	e.first, e.views = &stake{}, map[*ledgerGroup]*stake{}
	e.at = l.bed.shards[l.bed.r.TubeShard([]byte(e.queue))]
	l.coming[e.id] = &e
}

// of is the stake of a group in an item.
func (e *entry) of(g *ledgerGroup) *stake {
	if !g.view {
		return e.first
	}
	if e.views[g] == nil {
		e.views[g] = &stake{}
	}
	return e.views[g]
}

// join notes that a view has an item.
func (s *stake) join() { s.owed = !s.unsure }

func (g *ledgerGroup) gets(e *entry) bool { return e.id >= g.start && e.tags.Has(g.tags) }

// join lets an item that is ready enter the views.
func (l *ledger) join(e *entry) {
	for _, g := range l.queue(e.queue).groups {
		if g.view && !g.dropping && g.gets(e) {
			e.of(g).join()
		}
	}
}

// next is the index after the last item that a queue has.
func (l *ledger) next(queue string) uint64 {
	last := uint64(0)
	for id, e := range l.items {
		if e.queue == queue {
			last = max(last, id)
		}
	}
	return last + 1
}

// in lists the items of a shard, by id.
func (l *ledger) in(p *stepped) (list []*entry) {
	for _, e := range l.items {
		if e.at == p {
			list = append(list, e)
		}
	}
	slices.SortFunc(list, func(a, b *entry) int { return cmp.Compare(a.id, b.id) })
	return list
}

// pushed takes in what a turn has pushed to a consumer.
func (l *ledger) pushed(p *stepped, batch *queue.DeliveryBatch) {
	c := batch.To().(*conn)
	u := c.holder
	if u == nil || u.conn != c && !u.group.dropping {
		l.fatalf("%v is sent items and has not watched, or watches no more", c)
	}
	st, _ := l.bed.stats(u.group.queue)
	for i := range batch.Items {
		l.seen.pushed++
		fresh := l.sent(p.now(), u, &batch.Items[i])
		if fresh && st.Pause > 0 && !u.group.dropping {
			l.fatalf("%v is sent item %d during a pause", c, batch.Items[i].Index)
		}
	}
}

// sent takes in one item. It reports false if the item was sent before.
func (l *ledger) sent(now int64, u *ledgerUser, it *queue.Item) (fresh bool) {
	g := u.group
	e := l.items[it.Index]
	if e == nil {
		l.fatalf("%v is sent item %d, which is not there", u.conn, it.Index)
	}
	if e.queue != g.queue {
		l.moved(e, g.queue)
	}
	s := e.of(g)
	l.note("%v is pushed item %d, delivery %d", u.conn, e.id, it.Delivery)
	switch {
	case g.dropping:
	case s.done:
		l.fatalf("%v is sent item %d, which its group has done", u.conn, e.id)
	case u.stopped:
		l.fatalf("%v is sent item %d after its farewell", u.conn, e.id)
	case g.view && !g.gets(e) || !g.view && e.id < u.start:
		l.fatalf("%v is sent item %d, which it does not get", u.conn, e.id)
	}
	fresh = l.free(now, e, s, u, it.Delivery)
	if fresh && !g.view && !g.dropping && !e.tags.Has(u.tags) {
		l.fatalf("%v is sent item %d, which has other tags", u.conn, e.id)
	}
	if !fresh {
		l.seen.again++
	}
	s.owed, s.unsure, s.again = true, false, false
	if u.auto {
		s.user, s.done = nil, true
		return fresh
	}
	if fresh && !g.view {
		e.pushes++
	}
	if fresh || g.view {
		s.since = now
	}
	s.user, s.over = u, u.conn
	return fresh
}

// free takes an item that is sent from whoever had it. It reports false if the consumer
// itself had it, and is sent it again.
func (l *ledger) free(now int64, e *entry, s *stake, u *ledgerUser, delivery int) bool {
	counted := delivery - 1 - s.returns
	switch {
	case s.user == u && s.again && counted == 0 && (u.auto || u.resent < u.window):
		u.resent++
		return false
	case u.group.dropping || e.vague && !u.group.view:
		s.returns, e.vague = delivery-1, true
	case s.user == nil && counted == 0:
	case s.user == nil:
		l.fatalf("%v is sent item %d as delivery %d, and it came back %d times", u.conn, e.id, delivery, s.returns)
	case counted == 0 && s.again: // the window of its new connection is smaller
	case counted == 1 && l.lost(now, e, s):
		l.back(e, s)
	default:
		l.fatalf("%v is sent item %d as delivery %d, and %s.%s has it; it came back %d times",
			u.conn, e.id, delivery, s.user.group.name, s.user.name, s.returns)
	}
	return true
}

// lost says whether there is a reason to take an item from its consumer and count that.
func (l *ledger) lost(now int64, e *entry, s *stake) bool {
	u := s.user
	due := e.ttr
	if u.group.view {
		due = l.limits.MaxIdle
	}
	return u.conn == nil && now >= u.left+l.limits.Leaving ||
		due > 0 && now >= s.since+due ||
		!u.group.view && s.again && e.id < u.start
}

// back notes that an item was taken back.
func (l *ledger) back(e *entry, s *stake) {
	l.seen.lost++
	l.note("item %d is taken from %s.%s", e.id, s.user.group.name, s.user.name)
	s.user, s.again = nil, false
	s.returns++
	if most := l.limits.MaxDelivery; most > 0 && s.returns >= most {
		l.seen.dead++
		e.fated, s.dead = true, true
		s.done = s.done || s != e.first
	}
}

// moved notes that a dead letter has gone to the rear queue.
func (l *ledger) moved(e *entry, to string) {
	if to != e.queue+queue.RearSuffix || l.limits.DeadLetter != queue.FateRear {
		l.fatalf("item %d moves from %s to %s", e.id, e.queue, to)
	}
	if u := e.first.user; u != nil && e.first.returns+1 == l.limits.MaxDelivery {
		l.back(e, e.first) // its time passed in this turn
	}
	for g, s := range e.views {
		if s.user != nil && s.returns+1 == l.limits.MaxDelivery {
			l.back(e, s)
		}
		if s.owed && !s.done && !g.dropping {
			l.fatalf("item %d moves to %s, and group %s has not done it: %+v", e.id, to, g.name, *s)
		}
	}
	if !e.fated && !e.vague {
		l.fatalf("item %d moves to %s, and was sent %d times", e.id, to, e.first.returns+1)
	}
	l.seen.moved++
	e.queue, e.fated, e.vague, e.first, e.views = to, false, false, &stake{}, map[*ledgerGroup]*stake{}
	l.join(e)
}
