package router

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"beanfield/shard/queue"
	"beanfield/storage/effort"
)

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
	triesAgain
	lapses
)

func (w *world) String(m move) string {
	what := []string{"applies", "ticks", "answers", "resumes", "ends its wait", "goes on", "tries again",
		"time passes"}[m.what]
	switch m.what {
	case applies, ticks, answers:
		return fmt.Sprintf("shard %d %s", m.who, what)
	case lapses:
		return what
	}
	return w.actors[m.who].title + " " + what
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
		if a.player == nil {
			list = a.visits(list, i)
			continue
		}
		a.skip()
		switch {
		case a.canResume():
			list = append(list, move{resumes, i})
		case a.player.busy() || a.player.closed:
		default:
			if a.Waiting() && a.Delivered() {
				list = append(list, move{endsWait, i})
			}
			if a.planned() && (a.plan[a.next].kind != plain || !a.Waiting()) {
				list = append(list, move{goesOn, i})
			}
		}
	}
	if w.lapse != nil {
		list = append(list, move{lapses, 0})
	}
	return list
}

// planned says that the actor has something more to do.
func (a *actor) planned() bool {
	if a.next == len(a.plan) && a.more != nil {
		a.plan, a.next = append(a.plan[:0], a.more(a)), 0
	}
	return a.next < len(a.plan)
}

// skip leaves out deeds that were meant for a wait that has ended.
func (a *actor) skip() {
	begun := a.next > 0 || a.more != nil
	for begun && a.next < len(a.plan) && a.plan[a.next].kind == inWait && !a.player.busy() && !a.Waiting() {
		a.next++
	}
}

func (w *world) do(m move) {
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
	case triesAgain:
		w.actors[m.who].get.try()
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

// apart says that two moves lead to the same, whichever comes first, and neither is the other's condition: what one of
// two shards answers is nothing to the other, nor to clients whom it does not answer; and shards that only ask, offer
// and claim for different clients touch nothing that both have.
func (w *world) apart(a, b move) bool {
	if a.what > b.what {
		a, b = b, a
	}
	switch {
	case a.what == applies && b.what == applies:
		return a.who != b.who && w.private(a.who) && w.private(b.who)
	case b.what == answers:
		return a.who != b.who && w.rings(a.who, nil) && w.rings(b.who, nil)
	case a.what == answers && b.what <= goesOn:
		return w.actors[b.who].player != nil && w.rings(a.who, w.actors[b.who].player)
	}
	return false
}

// beside returns what says, when a move has been made, that it was apart from what a shard applies next: that the move
// was a step of a session that neither waited nor waits, and that it has sent the shard nothing.
func (w *world) beside(m move) func(s move) bool {
	var mail []int
	for _, p := range w.bed.shards {
		mail = append(mail, len(p.mail))
	}
	idle := func() bool {
		if m.what < resumes || m.what > goesOn || w.actors[m.who].player == nil {
			return false
		}
		return !w.actors[m.who].gateOpen() && !w.actors[m.who].Waiting()
	}
	before := idle()
	return func(s move) bool {
		return before && idle() && s.what == applies && len(w.bed.shards[s.who].mail) == mail[s.who] && w.private(s.who)
	}
}

// rings says that what a shard has to answer sets flags of clients only, none of whom is this one, nor goes on at once.
func (w *world) rings(i int, not *player) bool {
	p := w.bed.shards[i]
	plain := len(p.called)+len(p.batches) == 0
	for _, a := range w.actors {
		if a.player == nil || !a.mute && a.player != not {
			continue
		}
		for _, b := range p.answers {
			plain = plain && any(b.Done) != any(&a.Session)
		}
		for _, k := range p.woken {
			plain = plain && !slices.Contains(a.live, k.Waiter.(*ref))
		}
	}
	return plain
}

// private says that the next batch of a shard changes what is in the shard only, and the wait of who has sent it, and
// that who has sent it does not go on at once.
func (w *world) private(i int) bool {
	p := w.bed.shards[i]
	if p.due() {
		return false
	}
	b := p.mail[0]
	for _, op := range b.Ops {
		switch op.Kind {
		case queue.Offer, queue.OfferSeveral, queue.Claim, queue.ClaimSeveral, queue.Soonest, queue.Withdraw:
		default:
			return false
		}
	}
	return p.late || !slices.ContainsFunc(w.actors, func(a *actor) bool {
		return a.mute && any(b.Done) == any(&a.Session)
	})
}

// fork is a point of a run at which there are several ways.
type fork struct {
	ways  []move
	taken int
	// asleep are moves of which every order has been tried at an earlier way, and which what has come since has not
	// touched: with them the run would repeat another one.
	asleep []move
}

// longestRun is more moves than any of these worlds needs: a run that makes as many
// does not end.
const longestRun = 200

// explore runs every interleaving of the world that build makes, and returns
// how many there are; of those that differ only in the order of moves that are apart it runs one. The search keeps no
// states: it runs from the beginning each time and takes, at the last fork that has one left, the next way.
func explore(t testing.TB, shards int, c queue.Config, late bool, build func(d *bed) *world) (runs int) {
	var path []fork
	var list []move
	d := newBedOf(shards, c)
	for {
		w := build(d)
		d.set(never, late)
		var trace, asleep []move
		ended := false
		for depth := 0; ; depth++ {
			if depth > longestRun {
				t.Fatalf("it does not end: after %s", w.story(trace))
			}
			if list = w.moves(list[:0]); len(list) == 0 {
				ended = true
				break
			}
			if depth == len(path) {
				path = append(path, fork{ways: slices.Clone(list), taken: -1, asleep: slices.Clone(asleep)})
				path[depth].nextWay()
			} else if !slices.Equal(path[depth].ways, list) {
				t.Fatalf("step %d has ways %v now and had %v before: the run does not repeat", depth, list,
					path[depth].ways)
			}
			f := &path[depth]
			if f.taken == len(f.ways) {
				break // all that is left sleeps
			}
			m := f.ways[f.taken]
			asleep = slices.DeleteFunc(slices.Clone(f.asleep), func(s move) bool { return !w.apart(s, m) })
			beside := w.beside(m)
			trace = append(trace, m)
			w.do(m)
			for _, s := range f.asleep {
				if !slices.Contains(asleep, s) && beside(s) {
					asleep = append(asleep, s)
				}
			}
			if err := w.checkStep(m); err != nil {
				t.Fatalf("%v\nafter %s", err, w.story(trace))
			}
		}
		if ended {
			runs++
			if err := w.checkRest(); err != nil {
				t.Fatalf("%v\nafter %s", err, w.story(trace))
			}
		}
		// a run that sleeps comes to its end anyhow
		for list = w.moves(list[:0]); len(list) > 0; list = w.moves(list[:0]) {
			w.do(list[0])
		}
		if err := w.endAll(); err != nil {
			t.Fatalf("%v\nafter all was closed, after %s", err, w.story(trace))
		}
		if path = nextPath(path); len(path) == 0 {
			return runs
		}
	}
}

// nextPath goes to the next way at the last fork that has one.
func nextPath(path []fork) []fork {
	for len(path) > 0 && !path[len(path)-1].nextWay() {
		path = path[:len(path)-1]
	}
	return path
}

// nextWay goes to the next way that does not sleep, and reports whether there is one. The way before sleeps from then
// on.
func (f *fork) nextWay() bool {
	if f.taken >= 0 && f.taken < len(f.ways) {
		f.asleep = append(f.asleep, f.ways[f.taken])
	}
	for f.taken++; f.taken < len(f.ways) && slices.Contains(f.asleep, f.ways[f.taken]); f.taken++ {
	}
	return f.taken < len(f.ways)
}

func (w *world) story(trace []move) string {
	var b strings.Builder
	for i, m := range trace {
		fmt.Fprintf(&b, "\n%3d. %s", i+1, w.String(m))
	}
	return b.String()
}

// exploreMode is how the shards of a scenario work: answers may come late, all
// clients may be wide, and a turn may do one step of a search at most.
type exploreMode struct {
	late        bool
	wide, share int
}

// passes lets so much time pass, by the bubble's clock.
func passes(d time.Duration) func() { return func() { time.Sleep(d) } }

// exploreAll gives each scenario new worlds, which may have the queue service.
func exploreAll(t *testing.T, list []scenario, modes ...exploreMode) {
	total := 0
	for i, c := range list {
		modes := modes
		if c.heavy && !*thorough || effort.Raced {
			modes = modes[:1]
		}
		if effort.Raced && i > 0 {
			break // it is one goroutine
		}
		for _, mode := range modes {
			synctest.Test(t, func(t *testing.T) {
				defer func() {
					if t.Failed() {
						t.Logf("in the scenario %q, %+v", c.name, mode)
					}
				}()
				runs := explore(t, c.shards, queue.Config{Many: mode.wide, Share: mode.share}, mode.late,
					func(d *bed) *world {
						w := d.begin()
						w.tell(c.text)
						return w
					})
				t.Logf("%8d interleavings: %s, %+v", runs, c.name, mode)
				total += runs
			})
		}
	}
	t.Logf("%8d interleavings in all", total)
}
