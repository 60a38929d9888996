package ownership

import (
	"testing"
	"time"
)

// preferring is a world of nodes a, b and c that begins with a as the owner, and in which the shards go back
// to a node that comes first.
func preferring(t *testing.T, seed uint64) (w *world, a, b, c *member) {
	w = newWorld(t, seed, 3)
	w.prefer = Steady
	a, b, c = w.nodes[0], w.nodes[1], w.nodes[2]
	w.begin()
	w.serves(a, 3*Steady) // perhaps by way of b
	return w, a, b, c
}

// serves waits until a node does, and says how long that has taken.
func (w *world) serves(m *member, most time.Duration) time.Duration {
	w.Helper()
	return w.until(most, m.name+" serves", func() bool { return w.holder() == m })
}

// keeps has time pass, in which a node must go on.
func (w *world) keeps(m *member, long time.Duration) {
	w.Helper()
	for end := w.now + long; w.now < end; w.run(time.Second) {
		if w.holder() != m {
			w.describe()
			w.Fatalf("%s does not go on: %v", m.name, w.now)
		}
	}
}

// O10: the first in the order gets the shards when it has been well for long enough, as by a move; without Prefer it
// does not.
func TestPreferred(t *testing.T) {
	for seed := range uint64(5) {
		w, a, b, _ := preferring(t, seed)
		a.s.Close(a.clock()) // so it has not lost them
		w.run(time.Second)
		w.serves(b, 0)
		a.crash()
		a.start()
		w.quiet()
		w.keeps(b, Steady)
		w.serves(a, 4*time.Second)
		w.keeps(a, 2*Steady)
		if w.wrong != "" || w.idle > 300*time.Millisecond {
			t.Fatalf("seed %d: %q, nobody served for %v", seed, w.wrong, w.idle)
		}
	}
	w := newWorld(t, 1, 3).begin()
	w.obey(w.holder(), Move, "c")
	w.run(time.Second)
	w.keeps(w.nodes[2], 10*time.Minute)
}

// O10: a node that is not heard now and then gets nothing; of several that are well it is the first.
func TestNotYetPreferred(t *testing.T) {
	w, a, b, c := preferring(t, 2)
	for _, m := range []*member{a, b} {
		w.obey(m, Drain, "")
		w.run(time.Second)
	}
	for _, m := range []*member{a, b} {
		if err := m.s.Obey(m.clock(), Drain, "", true); err != nil {
			t.Fatal(err)
		}
	}
	for range 8 { // now and then it is not heard
		w.keeps(c, Steady/2)
		w.cutFor(3*time.Second, a, c)
		w.keeps(c, 4*time.Second)
		w.cutFor(3*time.Second, b, c)
	}
	w.keeps(c, Steady-4*time.Second)
	w.serves(a, 6*time.Second)
}

// O10: a node that loses the shards again and again, without an end or with one, gets them ever more rarely; so
// does one that does not take them.
func TestNoPingPong(t *testing.T) {
	for name, harm := range map[string]func(w *world, a *member){
		"it crashes": func(w *world, a *member) {
			a.crash()
			w.after(time.Second, nil, a.start)
		},
		"nobody hears it": func(w *world, a *member) {
			for _, other := range w.nodes {
				w.cut[[2]*member{a, other}] = true
				w.after(3*time.Second, nil, func() { delete(w.cut, [2]*member{a, other}) })
			}
		},
		"it cannot append": func(w *world, a *member) { a.s.Waits = stuck },
	} {
		w, a, b, c := preferring(t, 3)
		begun, got := w.now, 0
		for w.now-begun < 2*time.Hour {
			if w.holder() == a {
				got++
				harm(w, a)
				w.until(time.Minute, name, func() bool { return w.holder() == b || w.holder() == c })
			}
			if a.s != nil {
				a.s.Waits = 0
			}
			w.run(time.Second)
		}
		if w.wrong != "" || got < 6 || got > 9 {
			t.Errorf("%s: %q, %d terms in two hours", name, w.wrong, got)
		}
	}
	w, a, _, _ := preferring(t, 4)
	a.s.Close(a.clock())
	w.run(time.Second)
	a.crash()
	a.start()
	a.helpless = true
	w.run(2 * time.Hour)
	if terms := w.terms; terms > 12 {
		t.Errorf("it takes nothing: %d terms in two hours", terms)
	}
	a.helpless = false
	w.serves(a, 3*time.Hour)
}

// O10: who was the owner is known by all.
func TestLossesAreKnown(t *testing.T) {
	w, a, b, c := preferring(t, 6)
	a.crash()
	w.serves(b, 3*time.Second)
	a.start()
	w.run(time.Second)
	w.obey(b, Drain, "")
	w.serves(c, time.Second)
	w.keeps(c, 2*Steady-time.Second)
	w.serves(a, 5*time.Second)
}

// O10: an operator's choice lasts until another node serves. One that is drained is never preferred.
func TestOrderedTerm(t *testing.T) {
	w, a, b, c := preferring(t, 5)
	w.obey(a, Move, "b")
	w.run(time.Second)
	w.keeps(b, 10*Steady)
	b.crash()
	w.serves(a, 3*time.Second)
	w.obey(a, Drain, "")
	w.run(time.Second)
	if w.holder() != c {
		t.Fatal("c does not serve")
	}
	b.start()
	w.serves(b, 5*Steady)
	w.keeps(b, 10*Steady)
	if err := b.s.Obey(b.clock(), Move, "b", false); err != nil { // it stays
		t.Fatal(err)
	}
	if err := a.s.Obey(a.clock(), Drain, "", true); err != nil {
		t.Fatal(err)
	}
	w.keeps(b, 10*Steady)
}
