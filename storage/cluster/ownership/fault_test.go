package ownership

import (
	"testing"
	"time"
)

// single are faults, each alone, with how long nobody may serve, and whether the owner must stay. The
// bounds are Silence, a Step, a beat before that, and the time of a candidacy in this world; and postpone, for each
// candidate that comes to nothing.
var single = map[string]struct {
	most  time.Duration
	stays bool
	do    func(w *world, owner, a, b *member)
}{
	"the owner is killed": {1900 * time.Millisecond, false, func(w *world, owner, a, b *member) { owner.crash() }},
	"and the next cannot use its engine": {2500 * time.Millisecond, false, func(w *world, owner, a, b *member) {
		w.next(owner).helpless = true // it stands first, and comes to nothing
		owner.crash()
	}},
	"and the next has a slow engine": {2500 * time.Millisecond, false, func(w *world, owner, a, b *member) {
		w.next(owner).slow = 3 * time.Second // it stands first, and hears later that another node serves
		owner.crash()
	}},
	"the owner is paused": {1900 * time.Millisecond, false, func(w *world, owner, a, b *member) {
		owner.paused = w.now + 30*time.Second
	}},
	"the owner is cut off": {1900 * time.Millisecond, false, func(w *world, owner, a, b *member) {
		w.isolate(owner, true, true)
	}},
	"nobody hears the owner": {1900 * time.Millisecond, false, func(w *world, owner, a, b *member) {
		w.isolate(owner, false, true)
	}},
	"the owner hears nobody": {300 * time.Millisecond, false, func(w *world, owner, a, b *member) {
		w.isolate(owner, true, false)
	}},
	"the owner is killed, and back": {1900 * time.Millisecond, false, func(w *world, owner, a, b *member) {
		owner.crash()
		w.after(300*time.Millisecond, nil, owner.start)
	}},
	"the owner is stopped": {300 * time.Millisecond, false, func(w *world, owner, a, b *member) {
		owner.s.Close(owner.clock())
	}},
	"the owner is drained": {300 * time.Millisecond, false, func(w *world, owner, a, b *member) {
		w.obey(owner, Drain, "")
	}},
	"the shards are moved": {300 * time.Millisecond, false, func(w *world, owner, a, b *member) {
		w.obey(owner, Move, b.name)
	}},
	"a follower is killed": {30 * time.Millisecond, true, func(w *world, owner, a, b *member) { a.crash() }},
	"a follower is paused": {30 * time.Millisecond, true, func(w *world, owner, a, b *member) {
		b.paused = w.now + 3*time.Second
	}},
	"a follower is cut off": {30 * time.Millisecond, true, func(w *world, owner, a, b *member) {
		w.isolate(a, true, true)
	}},
	"a follower is drained": {30 * time.Millisecond, true, func(w *world, owner, a, b *member) {
		w.obey(a, Drain, "")
	}},
	"two followers part": {30 * time.Millisecond, true, func(w *world, owner, a, b *member) {
		w.cutFor(time.Minute, a, b)
		w.cutFor(time.Minute, b, a)
	}},
	"owner and follower part": {30 * time.Millisecond, true, func(w *world, owner, a, b *member) {
		w.cutFor(time.Minute, owner, a)
		w.cutFor(time.Minute, a, owner)
	}},
	"a follower is not heard": {30 * time.Millisecond, true, func(w *world, owner, a, b *member) {
		w.cutFor(time.Minute, a, owner)
	}},
	"a follower hears no beat": {30 * time.Millisecond, true, func(w *world, owner, a, b *member) {
		w.cutFor(time.Minute, owner, b)
	}},
	"messages are lost": {30 * time.Millisecond, true, func(w *world, owner, a, b *member) { w.lossy = true }},
}

// next is the first node in the order that is not the owner.
func (w *world) next(owner *member) *member {
	if owner == w.nodes[0] {
		return w.nodes[1]
	}
	return w.nodes[0]
}

func (w *world) isolate(m *member, from, to bool) {
	for _, other := range w.nodes {
		if from {
			w.cutFor(time.Minute, other, m)
		}
		if to {
			w.cutFor(time.Minute, m, other)
		}
	}
}

func (w *world) obey(m *member, command, target string) {
	w.Helper()
	if err := m.s.Obey(m.clock(), command, target, false); err != nil {
		w.Fatal(err)
	}
}

// O7, O8: after any single fault somebody serves again within a bound; and if the owner is still
// answered by a majority, it goes on.
func TestSingleFaults(t *testing.T) {
	seeds := uint64(100)
	if brief() {
		seeds = 3
	}
	for name, f := range single {
		t.Run(name, func(t *testing.T) {
			longest := time.Duration(0)
			for seed := range seeds {
				w := newWorld(t, seed, 3).begin()
				owner := w.holder()
				i := owner.i
				terms := w.terms
				w.quiet()
				f.do(w, owner, w.nodes[(i+1)%3], w.nodes[(i+2)%3])
				w.run(10 * time.Second)
				if w.wrong != "" {
					t.Fatalf("seed %d: %s", seed, w.wrong)
				}
				if longest = max(longest, w.idle); w.idle > f.most || w.terms-terms > 1 || f.stays &&
					w.holder() != owner {
					w.describe()
					t.Fatalf("seed %d: nobody served for %v, and %d terms have begun", seed, w.idle, w.terms-terms)
				}
			}
			t.Log("nobody served for", longest)
		})
	}
}

// O8: a node that is cut off from the owner alone disturbs it, if it does not ask the others.
func TestWithoutAskingOthers(t *testing.T) {
	w := newWorld(t, 1, 3)
	w.without.quiet = true
	w.begin()
	owner, terms := w.holder(), w.terms
	other := w.nodes[(owner.i+1)%3]
	w.cutFor(time.Minute, owner, other)
	w.cutFor(time.Minute, other, owner)
	if w.run(10 * time.Second); w.terms == terms {
		t.Error("it does not")
	}
}

// O7: an owner that hears nobody any more before its server has answered anybody does not keep others from standing.
func TestDeafBeforeServing(t *testing.T) {
	for seed := range uint64(8) {
		w := newWorld(t, seed, 3).begin()
		former := w.holder()
		w.replay = time.Hour
		former.crash()
		var deaf *member
		w.until(5*time.Second, "a term begins", func() bool {
			for _, m := range w.nodes {
				if m.s != nil && m.s.Role() == Owner {
					deaf = m
				}
			}
			return deaf != nil
		})
		former.start()
		w.run(2 * time.Second)
		w.replay = 0
		w.isolate(deaf, true, false)
		if took := w.until(time.Minute, "another one serves", func() bool {
			return w.holder() != nil
		}); took > 1900*time.Millisecond {
			t.Errorf("seed %d: nobody served for %v", seed, took)
		}
	}
}

// O7: an owner does not hand over to a node that has been started and would have to read its lanes first.
func TestHandOverToReader(t *testing.T) {
	for seed := range uint64(8) {
		w := newWorld(t, seed, 3).begin()
		owner := w.holder()
		a, b := w.nodes[(owner.i+1)%3], w.nodes[(owner.i+2)%3]
		w.obey(b, Drain, "")
		a.crash()
		w.run(2 * time.Second) // the owner knows
		w.log = 200            // about two seconds
		a.start()
		w.quiet()
		w.until(10*time.Second, "the owner is drained", func() bool {
			return owner.s.Obey(owner.clock(), Drain, "", false) == nil
		})
		w.run(5 * time.Second)
		if w.serves(a, 0); w.idle > 300*time.Millisecond {
			t.Errorf("seed %d: nobody served for %v", seed, w.idle)
		}
	}
}
