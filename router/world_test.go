package router

import (
	"fmt"

	"beanfield/shard/queue"
	"beanfield/shard/queue/policy"
)

// world is a bed with a few actors. One move is what nobody can see a part of: a shard
// applies a batch or does what is due, a log tells that it has synced, a
// session's owner runs until its next batch is submitted. Explorations try every order of
// the moves (explore_test.go), simulations a random one (simulation_test.go).
type world struct {
	bed    *bed
	actors []*actor
	lapse  func()       // lets time pass, once; nil if it does not
	leaf   func() error // holds when nothing more can happen; may be nil

	serves  bool // consumers of the queue service may be there
	limits  *policy.Limits
	first   uint64 // the ids of this run begin after it
	unheard int    // jobs that were given to sessions, or put for them, which were closed before they heard
	err     error
}

// actor is a player with a plan, or, without one, somebody who uses the queue service: a consumer over one
// connection, or a get that waits (consumer_test.go).
type actor struct {
	*player
	*conn
	*service
	title string
	w     *world
	plan  []deed
	next  int
	more  func(a *actor) deed // goes on behind the plan; nil for nothing
	// mute actors are resumed at once: when is of no interest.
	mute bool
	// fleeting is set where the actor's jobs may run out of time.
	fleeting bool
}

// deed is one step of a plan. Those that end a wait may come during a wait,
// and are left out when there is none any more; hang-ups may come whenever no
// call is under way; all others wait for the end of a wait.
type deed struct {
	kind deedKind
	run  func(a *actor)
}

type deedKind uint8

const (
	plain deedKind = iota
	inWait
	whenever
	whenSent // a consumer has an item to answer for
)

var (
	cancel = deed{inWait, func(a *actor) { a.cancel(queue.TimedOut) }}
	alarm  = deed{inWait, func(a *actor) { a.alarm() }}
)

func reserving(most int, tags queue.Tags, poll bool) deed {
	var wants *queue.Options
	if tags != nil {
		wants = &queue.Options{Tags: tags}
	}
	return deed{plain, func(a *actor) { a.reserve(most, wants, poll) }}
}

func putting(pri, ttr uint32, tags queue.Tags) deed {
	return deed{plain, func(a *actor) {
		a.tags = tags
		a.put(pri, 0, ttr, nil)
	}}
}

// giveUp deletes or releases what the actor holds: one job, in these worlds.
func (a *actor) giveUp(kind queue.Kind) {
	for id := range a.held {
		a.byID(queue.Op{Kind: kind, ID: id, Pri: 10}, func(op *queue.Op) {
			if op.Status != queue.OK && !a.fleeting {
				a.w.fail("R1: %s does not hold job %d that it was given: %v", a.title, id, op.Status)
			}
		})
	}
}

func (a *actor) hangUp() {
	if a.Waiting() && !a.gateOpen() {
		a.w.unheard++
	}
	a.close()
}

func (w *world) fail(format string, args ...any) {
	if w.err == nil {
		w.err = fmt.Errorf(format, args...)
	}
}

// begin makes a world for the next run over the same bed.
func (d *bed) begin() *world {
	d.set(always, false)
	clear(d.alive)
	return &world{bed: d, first: d.r.ids.last.Load(), limits: &policy.Limits{}}
}

// add puts an actor into the world.
func (w *world) add(name string) *actor {
	a := &actor{player: w.bed.newPlayer(name), title: name, w: w}
	w.actors = append(w.actors, a)
	return a
}

// now runs the next deeds of an actor's plan while the shards work in place,
// before the exploration begins.
func (a *actor) now(n int) *actor {
	for ; n > 0; n-- {
		a.plan[0].run(a)
		a.plan = a.plan[1:]
		a.w.bed.drain()
		for a.player != nil && a.canResume() { // where turns are short, it may need several
			a.resume()
			a.w.bed.drain()
		}
	}
	return a
}

// drain applies what is in the mailboxes, in as many turns as it takes.
func (d *bed) drain() {
	for _, p := range d.shards {
		for len(p.mail) > 0 {
			p.step()
		}
	}
}

// checkStep holds after every move.
func (w *world) checkStep(m move) error {
	if m.what == applies || m.what == ticks {
		if err := w.bed.shards[m.who].state.Sound(); err != nil {
			return fmt.Errorf("shard %d: %w", m.who, err)
		}
	}
	for _, a := range w.actors {
		if a.player != nil && a.Delivered() && a.gateOpen() {
			return fmt.Errorf("R1: %s has a job and its gate is open", a.title)
		}
	}
	return w.err
}

// checkRest holds when nothing more can happen.
func (w *world) checkRest() error {
	var players []*player
	held, heard := 0, map[uint64]int{}
	for _, a := range w.actors {
		if a.player == nil {
			continue
		}
		players = append(players, a.player)
		for id, n := range a.given {
			heard[id] += n
		}
		for id := range a.held {
			if w.bed.holds(a.player, id) {
				held++
			} else if !a.fleeting {
				return fmt.Errorf("R1: %s was given job %d and does not hold it", a.title, id)
			}
		}
	}
	lined := func(*stepped) int { return 0 }
	if w.serves {
		lined = w.lined
	}
	if err := w.bed.checkWaits(players, lined); err != nil {
		return err
	}
	if err := w.checkJobs(held, heard); err != nil || w.leaf == nil {
		return err
	}
	return w.leaf()
}

// checkJobs compares the jobs that are there with what the actors have done. held is how
// many of them the actors hold, heard how often they were given which.
func (w *world) checkJobs(held int, heard map[uint64]int) error {
	all, reserved := w.bed.jobs()
	if w.serves {
		pending, err := w.checkConsumers()
		if err != nil {
			return err
		}
		held += pending
	}
	if reserved != held {
		return fmt.Errorf("R1: %d jobs are reserved, the actors know of %d", reserved, held)
	}
	if put := len(w.bed.alive); (all < put || all > put+w.unheard) && !w.serves {
		return fmt.Errorf("%d jobs were put and not deleted, but %d are there", put, all)
	}
	unheard := 0
	for id := w.first + 1; id <= w.bed.r.ids.last.Load(); id++ {
		if err := w.bed.agree(id, w.serves); err != nil {
			return err
		}
		i, known := w.bed.r.ids.find(id)
		if w.serves {
			continue
		}
		if w.bed.alive[id] && !known {
			return fmt.Errorf("R2: job %d is in no directory", id)
		}
		if info, there := w.bed.shards[max(0, i)].job(id); there {
			if unheard += int(info.Reserves) - heard[id]; int(info.Reserves) < heard[id] {
				return fmt.Errorf("R1: job %d was handed out %d times, and heard of %d times", id, info.Reserves,
					heard[id])
			}
		}
	}
	if unheard > w.unheard {
		return fmt.Errorf("R1: %d deliveries were never heard of, want at most %d", unheard, w.unheard)
	}
	return nil
}

// full says that a tube's policy lets no more of its jobs be reserved.
func (d *bed) full(tube string, reserved int) bool {
	r := d.r.rules.Load()
	if r == nil {
		return false
	}
	p := r.of(tube)
	return p != nil && p.MaxReserved > 0 && reserved >= p.MaxReserved
}

// checkWaits looks for lost wake-ups and for what a wait has left behind. lined counts other
// waiters of a shard.
func (d *bed) checkWaits(players []*player, lined func(*stepped) int) error {
	waits := int64(0)
	for i, p := range d.shards {
		most, least := lined(p), lined(p) // a client that has watched many tubes may take one place for all
		for _, q := range players {
			switch n := q.watchedIn(i); {
			case !q.Waiting():
			case q.room:
				if q.UsedShard() == i {
					most, least = most+1, least+1
				}
			case len(q.asked()) > 0 || d.wide < 0:
				most, least = most+min(n, 1), least+min(n, 1)
			case d.wide == 0:
				most, least = most+n, least+n
			default:
				most, least = most+n, least+min(n, 1)
			}
		}
		if got := p.state.Waits(); got > most || got < least {
			return fmt.Errorf("R3: shard %d has %d waiters, want %d", i, got, most)
		}
	}
	for _, q := range players {
		switch {
		case q.busy():
			return fmt.Errorf("a call of %s has never ended", q.name)
		case q.Waiting() != q.gateOpen():
			return fmt.Errorf("R3: %s waits: %v, its gate is open: %v", q.name, q.Waiting(), q.gateOpen())
		case !q.Waiting():
			continue
		}
		if waits++; q.room {
			continue
		}
		for _, name := range q.Watched().all() {
			if st, ok := d.stats(name); ok && d.readyWith(name, q.asked()) && st.Pause == 0 &&
				!d.full(name, st.Reserved) {
				return fmt.Errorf("lost wake-up: %s waits while %s has a ready job", q.name, name)
			}
		}
	}
	if n := d.waits.Load(); n != waits {
		return fmt.Errorf("%d waits are counted, want %d", n, waits)
	}
	return nil
}

// readyWith says that a tube has a ready job with certain tags.
func (d *bed) readyWith(tube string, tags queue.Tags) bool {
	p := d.shards[d.r.TubeShard([]byte(tube))]
	b := queue.Batch{Ops: []queue.Op{{Kind: queue.List}}, List: &queue.Listing{Most: 1, Filter: queue.Filter{
		Tube: tube, States: queue.States(0).With(queue.Ready), Tags: tags,
	}}}
	for len(b.List.Jobs) == 0 {
		b.Next = 0
		for !p.state.Run(p.now(), &b) {
		}
		if b.List.Next == 0 {
			break
		}
		b.List.From = b.List.Next
	}
	return len(b.List.Jobs) > 0
}

// endAll ends everything, and checks that nothing is left of it.
func (w *world) endAll() error {
	w.bed.set(always, false)
	for _, a := range w.actors {
		if a.player == nil {
			a.leave()
			continue
		}
		if !a.closed {
			a.close()
		}
		for w.bed.drain(); a.canResume(); w.bed.drain() { // what takes more than one turn
			a.resume()
		}
		if a.player.busy() {
			return fmt.Errorf("%s cannot be closed", a.title)
		}
	}
	w.dropGroups()
	for id := w.first + 1; id <= w.bed.r.ids.last.Load(); id++ {
		if i, ok := w.bed.r.Owner(id); ok {
			if op, _ := w.bed.shards[i].ask(queue.Op{Kind: queue.Delete, ID: id}); op.Status != queue.OK {
				return fmt.Errorf("job %d is held by nobody and cannot be deleted", id)
			}
		}
	}
	if err := w.bed.r.empty(w.first); err != nil {
		return err
	}
	return w.err
}
