package router

import (
	"fmt"

	"beanfield/shard/queue"
)

// patron is an actor that uses the queue service: a consumer over one connection, a get
// that waits, or somebody with a request. It has at most one operation under way.
type patron struct {
	w      *world
	name   string
	k      *conn       // what it asks is about this one's queue and group
	get    *waitingGet // nil if it has begun none
	plan   []visit
	next   int
	flying bool
	dealt  int // how many of the items that it was sent it has answered for
}

// visit is one step of a patron's plan.
type visit struct {
	may func(p *patron) bool // nil: at any time
	run func(p *patron)
}

// sent says that the patron has an item to answer for.
func (p *patron) sent() bool { return p.dealt < len(p.k.heard) }

var (
	commit = visit{(*patron).sent, func(p *patron) { p.answer(queue.AskCommit) }}
	refuse = visit{(*patron).sent, func(p *patron) { p.answer(queue.AskNegative) }}
	// disconnect closes the connection. What is on its way then is not read.
	disconnect = visit{nil, func(p *patron) {
		p.k.closed = true
		p.ask(p.k.say(queue.AskLeave))
	}}
	dropGroup = visit{nil, func(p *patron) { p.ask(p.k.say(queue.AskDropGroup)) }}
	takeOne   = visit{nil, func(p *patron) { p.find(0, true) }}
	lookAtOne = visit{nil, func(p *patron) { p.find(0, false) }}
	giveUp    = visit{func(p *patron) bool { return !p.get.over }, func(p *patron) { p.get.hangUp() }}
)

// watch makes the patron's connection that of its consumer.
func watch(window int) visit {
	return visit{nil, func(p *patron) {
		a := p.k.say(queue.AskWatch)
		a.Window = window
		p.ask(a)
	}}
}

// takeFrom takes the n-th item of the run, or a later one.
func takeFrom(n uint64) visit {
	return visit{nil, func(p *patron) { p.find(p.w.first+n, true) }}
}

// ask sends an operation.
func (p *patron) ask(a *queue.Ask) {
	p.flying = true
	p.w.crew.submit(a, queue.Op{}, func(op *queue.Op) {
		p.flying = false
		if op.Status != queue.OK {
			p.w.complain("operation %d of %s has status %d", a.What, p.name, op.Status)
		}
	})
}

// answer commits or refuses all that the patron was sent.
func (p *patron) answer(what queue.What) {
	a := p.k.say(what)
	a.Indexes = append(a.Indexes, p.k.heard[p.dealt:]...)
	p.dealt = len(p.k.heard)
	p.ask(a)
}

// find begins a get that waits.
func (p *patron) find(from uint64, take bool) {
	p.get = &waitingGet{crew: p.w.crew, ask: queue.Ask{What: queue.AskGet, Queue: p.k.queue, Index: from, Length: 1, Take: take}}
	p.w.crew.gets = append(p.w.crew.gets, p.get)
	p.get.try()
}

func (p *patron) busy() bool { return p.flying || p.get != nil && p.get.flying }

// took says that the patron's get has ended with an item.
func (p *patron) took() bool { return p.get != nil && len(p.get.took) > 0 }

func (p *patron) visit() {
	p.next++
	p.plan[p.next-1].run(p)
}

// now runs the next steps of a patron's plan before the exploration begins.
func (p *patron) now(n int) *patron {
	for ; n > 0; n-- {
		p.visit()
		p.w.bed.drain()
	}
	return p
}

// visits lists what the patrons can do next.
func (w *world) visits(list []move) []move {
	for i, p := range w.patrons {
		if p.busy() {
			continue
		}
		if g := p.get; g != nil && g.called && !g.over {
			list = append(list, move{triesAgain, i})
		}
		if p.next < len(p.plan) && (p.plan[p.next].may == nil || p.plan[p.next].may(p)) {
			list = append(list, move{visits, i})
		}
	}
	return list
}

// serve makes the queue service a part of the world. Its ledger follows all items.
func (w *world) serve() {
	w.crew = newCrew(w.bed, &queue.Limits{}, func(string, ...any) {}, w.complain)
}

// complaint is what the ledger panics with: it cannot go on.
type complaint struct{ err error }

func (w *world) complain(format string, args ...any) {
	panic(complaint{fmt.Errorf(format, args...)})
}

// catch ends a move of which the ledger has complained.
func (w *world) catch() {
	switch c := recover().(type) {
	case nil:
	case complaint:
		w.fail("%w", c.err)
	default:
		panic(c)
	}
}

// patron puts somebody into the world who asks about a group of a queue, or watches as a
// user of the group.
func (w *world) patron(tube, group, user string, plan ...visit) *patron {
	p := &patron{w: w, name: group + "." + user, plan: plan}
	p.k = &conn{crew: w.crew, queue: tube, group: group, user: user}
	w.patrons = append(w.patrons, p)
	return p
}

// also puts another patron into the world who acts for the same connection.
func (p *patron) also(plan ...visit) *patron {
	q := p.w.patron(p.k.queue, p.k.group, p.k.user, plan...)
	q.name, q.k = "the connection of "+p.name, p.k
	return q
}

// put tells the ledger too.
func (a *actor) put(pri, delay, ttr uint32, then func(op *queue.Op)) {
	if a.w.crew != nil {
		id := a.r.ids.last.Load() + 1 // the one that put is about to draw
		a.w.crew.l.announce(entry{id: id, queue: a.Used(), ttr: int64(ttr) * 1e9, delayed: delay > 0})
	}
	a.player.put(pri, delay, ttr, then)
}
