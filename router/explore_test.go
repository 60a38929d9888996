package router

import (
	"fmt"
	"strings"
	"testing"

	"beanfield/shard/queue"
)

// A world is a bed with a few actors, and every order in which they and the
// shards can move is tried. One move is what nobody can see a part of: a shard
// applies a batch or does what is due, a log tells that it has synced, a
// session's owner runs until its next batch is submitted.
type world struct {
	bed     *bed
	actors  []*actor
	patrons []*patron    // of the queue service
	crew    *crew        // nil without patrons
	lapse   func()       // lets time pass, once; nil if it does not
	served  bool         // each actor that reserves gets a job
	leaf    func() error // holds when nothing more can happen; may be nil

	first uint64 // the ids of this run begin after it
	owner map[uint64]*actor
	ended map[uint64]bool // deleted, and acknowledged
	err   error
}

// actor is a player with a plan.
type actor struct {
	*player
	w    *world
	plan []deed
	next int
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
)

var (
	reserve = deed{plain, func(a *actor) { a.reserve(false) }}
	poll    = deed{plain, func(a *actor) { a.reserve(true) }}
	cancel  = deed{inWait, func(a *actor) { a.cancel(queue.TimedOut) }}
	alarm   = deed{inWait, func(a *actor) { a.alarm() }}
	hangUp  = deed{whenever, func(a *actor) { a.close() }}
	put     = putAt(10)
	remove  = deed{plain, func(a *actor) { a.removeAll() }}
	release = deed{plain, func(a *actor) { a.releaseAll() }}
)

func putAt(pri uint32) deed {
	return deed{plain, func(a *actor) { a.put(pri, 0, 100, nil) }}
}

// removeNth deletes the n-th job of the run, no matter who holds it.
func removeNth(n uint64) deed {
	return deed{plain, func(a *actor) {
		id := a.w.first + n
		a.byID(queue.Op{Kind: queue.Delete, ID: id}, func(op *queue.Op) {
			if op.Status == queue.OK {
				a.w.ended[id] = true
			}
		})
	}}
}

func pauseTube(name string, seconds uint32) deed {
	return deed{plain, func(a *actor) {
		i := a.r.TubeShard([]byte(name))
		a.submit(i, queue.Op{Kind: queue.Pause, Data: []byte(name), Delay: seconds}, false, nil)
	}}
}

// removeAll deletes what the actor holds: one job, in these worlds.
func (a *actor) removeAll() {
	for id := range a.held {
		a.byID(queue.Op{Kind: queue.Delete, ID: id}, func(op *queue.Op) {
			a.drop(id)
			if op.Status == queue.OK {
				a.w.ended[id] = true
				delete(a.w.owner, id)
			} else if !a.fleeting {
				a.w.fail("R1: %s cannot delete job %d that it was given", a.name, id)
			}
		})
	}
}

func (a *actor) releaseAll() {
	for id := range a.held {
		delete(a.w.owner, id)
		a.drop(id)
		a.byID(queue.Op{Kind: queue.Release, ID: id, Pri: 10}, func(op *queue.Op) {
			if op.Status != queue.OK && !a.fleeting {
				a.w.fail("R1: %s cannot release job %d that it was given", a.name, id)
			}
		})
	}
}

func (w *world) fail(format string, args ...any) {
	if w.err == nil {
		w.err = fmt.Errorf(format, args...)
	}
}

// begin makes a world for the next run over the same bed.
func (d *bed) begin() *world {
	d.set(always, false)
	return &world{bed: d, first: d.r.ids.last.Load(), owner: map[uint64]*actor{}, ended: map[uint64]bool{}}
}

// add puts an actor into the world who uses a tube, watches tubes and follows
// a plan.
func (w *world) add(name, use string, watch []string, plan ...deed) *actor {
	a := &actor{player: w.bed.newPlayer(name), w: w, plan: plan}
	if use != "" {
		a.Use([]byte(use))
	}
	if len(watch) > 0 {
		a.watchOnly(watch...)
	}
	a.onGot = func(_ *player, id uint64) {
		if was := w.owner[id]; was != nil && !was.closed && !was.fleeting {
			w.fail("R1: job %d is given to %s while %s has it", id, a.name, was.name)
		}
		if e := w.itemOf(id); e != nil && e.first.user != nil && !e.first.user.group.dropping && !a.fleeting {
			w.fail("R1: job %d is given to %s, and %s of %s has it", id, a.name, e.first.user.name, e.first.user.group.name)
		}
		if len(a.held) > 1 {
			w.fail("R1: %s has got %d jobs for one reserve", a.name, len(a.held))
		}
		w.owner[id] = a
	}
	w.actors = append(w.actors, a)
	return a
}

func (w *world) producer(use string, plan ...deed) *actor {
	a := w.add("producer of "+use, use, nil, plan...)
	a.mute = true
	return a
}

// now runs the next deeds of an actor's plan while the shards work in place,
// before the exploration begins.
func (a *actor) now(n int) *actor {
	for ; n > 0; n-- {
		a.plan[0].run(a)
		a.plan = a.plan[1:]
		for a.busy() { // where turns are short, it may need several
			for _, p := range a.w.bed.shards {
				if len(p.mail) > 0 {
					p.step()
				}
			}
			if a.canResume() {
				a.resume()
			}
		}
	}
	return a
}

// move names one thing that can happen next.
type move struct {
	what moveKind
	who  int
}

type moveKind uint8

const (
	applies moveKind = iota
	ticks
	answers
	resumes
	endsWait
	goesOn
	visits
	triesAgain
	lapses
)

var moveNames = [...]string{"applies", "ticks", "answers", "resumes", "ends its wait", "goes on", "goes on", "tries again", "time passes"}

func (w *world) String(m move) string {
	switch m.what {
	case applies, ticks, answers:
		return fmt.Sprintf("shard %d %s", m.who, moveNames[m.what])
	case visits, triesAgain:
		return w.patrons[m.who].name + " " + moveNames[m.what]
	case lapses:
		return moveNames[m.what]
	}
	return w.actors[m.who].name + " " + moveNames[m.what]
}

// moves lists what can happen next, always in the same order.
func (w *world) moves(list []move) []move {
	for i, p := range w.bed.shards {
		if len(p.mail) > 0 {
			list = append(list, move{applies, i})
		} else if p.due() {
			list = append(list, move{ticks, i})
		}
		if p.unanswered() {
			list = append(list, move{answers, i})
		}
	}
	for i, a := range w.actors {
		a.skip()
		switch {
		case a.canResume():
			list = append(list, move{resumes, i})
		case a.busy() || a.closed:
		default:
			if a.Waiting() && a.Delivered() {
				list = append(list, move{endsWait, i})
			}
			if a.next < len(a.plan) && (a.plan[a.next].kind != plain || !a.Waiting()) {
				list = append(list, move{goesOn, i})
			}
		}
	}
	list = w.visits(list)
	if w.lapse != nil {
		list = append(list, move{lapses, 0})
	}
	return list
}

// skip leaves out deeds that were meant for a wait that has ended.
func (a *actor) skip() {
	for a.next > 0 && a.next < len(a.plan) && a.plan[a.next].kind == inWait && !a.busy() && !a.Waiting() {
		a.next++
	}
}

func (w *world) do(m move) {
	defer w.catch()
	switch m.what {
	case applies:
		w.bed.shards[m.who].step()
	case ticks:
		w.bed.shards[m.who].endTurn()
	case answers:
		w.bed.shards[m.who].answer()
	case resumes:
		w.actors[m.who].resume()
	case endsWait:
		w.actors[m.who].endWait()
	case goesOn:
		a := w.actors[m.who]
		a.next++
		a.plan[a.next-1].run(a)
	case visits:
		w.patrons[m.who].visit()
	case triesAgain:
		w.patrons[m.who].get.try()
	case lapses:
		w.lapse()
		w.lapse = nil
	}
	for _, a := range w.actors {
		for a.mute && a.canResume() {
			a.resume()
		}
	}
}

// longestRun is more moves than any of these worlds needs: a run that makes as many
// does not end.
const longestRun = 200

// explore runs every interleaving of the world that build makes, and returns
// how many there are. The search keeps no states: it runs from the beginning
// each time and takes, at the last fork that has one left, the next way.
func explore(t testing.TB, shards int, c queue.Config, late bool, build func(d *bed) *world) (runs int) {
	type fork struct{ taken, of int }
	var path []fork
	var list []move
	d := newBedOf(shards, c)
	for {
		w := build(d)
		d.set(never, late)
		var trace []move
		depth := 0
		for ; ; depth++ {
			if depth > longestRun {
				t.Fatalf("it does not end: after %s", w.story(trace))
			}
			if list = w.moves(list[:0]); len(list) == 0 {
				break
			}
			if depth == len(path) {
				path = append(path, fork{0, len(list)})
			} else if path[depth].of != len(list) {
				t.Fatalf("step %d has %d ways now and had %d before: the run does not repeat", depth, len(list), path[depth].of)
			}
			m := list[path[depth].taken]
			trace = append(trace, m)
			w.do(m)
			if err := w.checkStep(m); err != nil {
				t.Fatalf("%v\nafter %s", err, w.story(trace))
			}
		}
		if err := w.checkRest(); err != nil {
			t.Fatalf("%v\nafter %s", err, w.story(trace))
		}
		if err := w.endAll(); err != nil {
			t.Fatalf("%v\nafter all was closed, after %s", err, w.story(trace))
		}
		runs++
		for depth = len(path) - 1; depth >= 0 && path[depth].taken+1 == path[depth].of; depth-- {
			path = path[:depth]
		}
		if depth < 0 {
			return runs
		}
		path[depth].taken++
	}
}

func (w *world) story(trace []move) string {
	var b strings.Builder
	for i, m := range trace {
		fmt.Fprintf(&b, "\n%3d. %s", i+1, w.String(m))
	}
	return b.String()
}
