package partition

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// world is some nodes, links between them, and engines that rest, run or are being started.
type world struct {
	names   []string
	watches map[string]*Watch
	cut     map[[2]string]bool // what the first says does not reach the second
	starts  map[string]int     // ticks until the node's engine is there
	takes   map[string]int     // how long that takes; 0: restarting
	changes int
	tick    int
}

func newWorld(names string) *world {
	w := &world{names: strings.Fields(names), watches: map[string]*Watch{}, cut: map[[2]string]bool{},
		starts: map[string]int{}, takes: map[string]int{}}
	for _, name := range w.names {
		w.watches[name] = New(name, w.names)
	}
	return w
}

// both cuts or mends a link in both directions.
func (w *world) both(a, b string, cut bool) {
	w.cut[[2]string{a, b}], w.cut[[2]string{b, a}] = cut, cut
}

// isolate cuts a node off from all.
func (w *world) isolate(a string, cut bool) {
	for _, b := range w.names {
		w.both(a, b, cut)
	}
}

// restarting is how many ticks an engine is away when it is started anew.
const restarting = 12

// run lets ticks pass.
func (w *world) run(ticks int) {
	for range ticks {
		w.tick++
		for _, name := range w.names {
			watch := w.watches[name]
			if w.starts[name] > 0 {
				if w.starts[name]--; w.starts[name] == 0 {
					watch.Started(!watch.Rests())
				}
				continue
			}
			if watch.Tick(); w.tick%int(Each/Pace) == 0 {
				w.knock(name)
			}
			if watch.Due() != watch.Rests() {
				if w.starts[name] = restarting; !watch.Due() && w.takes[name] > 0 {
					w.starts[name] = w.takes[name]
				}
				w.changes++
			}
		}
	}
}

func (w *world) knock(name string) {
	k := w.watches[name].Knock()
	for _, other := range w.names {
		if other != name && !w.cut[[2]string{name, other}] && w.starts[other] == 0 {
			w.watches[other].Heard(k)
		}
	}
}

// resting are the nodes whose engines rest or are on the way there.
func (w *world) resting() string {
	var names []string
	for _, name := range w.names {
		if w.watches[name].Rests() != (w.starts[name] > 0) {
			names = append(names, name)
		}
	}
	return strings.Join(names, " ")
}

// I1, I2 and I4: whose engines rest, by what is cut.
func TestWhoRests(t *testing.T) {
	for _, c := range []struct {
		what, names string
		cut         func(w *world)
		want        string
	}{
		{"all is well", "a b c", func(*world) {}, ""},
		{"one of three is cut off", "a b c", func(w *world) { w.isolate("b", true) }, "b"},
		{"it is heard, but hears nobody", "a b c", func(w *world) {
			w.cut[[2]string{"a", "b"}], w.cut[[2]string{"c", "b"}] = true, true
		}, "b"},
		{"it hears the others, but is not heard", "a b c", func(w *world) {
			w.cut[[2]string{"b", "a"}], w.cut[[2]string{"b", "c"}] = true, true
		}, ""},
		{"nobody reaches anybody", "a b c", func(w *world) { w.isolate("a", true); w.isolate("b", true) }, "a b c"},
		{"a link of three", "a b c", func(w *world) { w.both("a", "b", true) }, ""},
		{"two of five are cut off", "a b c d e", func(w *world) {
			for _, x := range []string{"a", "b"} {
				for _, y := range []string{"c", "d", "e"} {
					w.both(x, y, true)
				}
			}
		}, "a b"},
		{"a star of five: all depend on its middle", "a b c d e", func(w *world) {
			for i, x := range w.names[1:] {
				for _, y := range w.names[i+2:] {
					w.both(x, y, true)
				}
			}
		}, ""},
		{"one alone", "a", func(*world) {}, ""},
		{"one of two", "a b", func(w *world) { w.isolate("a", true) }, "a b"},
	} {
		w := newWorld(c.names)
		w.run(2 * Fresh)
		c.cut(w)
		w.run(Silent - 2)
		if got := w.resting(); got != "" {
			t.Errorf("%s: too early: %s", c.what, got)
		}
		if w.run(4); w.resting() != c.want {
			t.Errorf("%s: %q rest after %d ticks, want %q", c.what, w.resting(), Silent+2, c.want)
		}
		w.run(10 * Silent)
		if got := w.resting(); got != c.want {
			t.Errorf("%s: %q rest, want %q", c.what, got, c.want)
		}
		clear(w.cut)
		if w.run(restarting + 2); w.resting() != "" {
			t.Errorf("%s: when it is mended %q rest", c.what, w.resting())
		}
	}
}

// I2: a node that hears nobody is known to before the engine calls elections, and after a fail-over has begun,
// for which less silence is enough.
func TestSilentIsSoonEnough(t *testing.T) {
	const first, beats, failOver = 4 * time.Second, time.Second, 1400 * time.Millisecond
	if latest := (Silent+1)*Pace + Each; latest > first-beats-500*time.Millisecond || Silent*Pace <= failOver ||
		Missed >= Silent {
		t.Error("an engine rests after a silence of", latest)
	}
}

// I1, I4: from every combination of engines that rest, run, or have just been started, the nodes of a majority that
// reach each other run, and run on, whatever becomes of the others, and though some take long to start.
func TestNobodyWaitsForEver(t *testing.T) {
	for _, names := range []string{"a b c", "a b c d e"} {
		all := strings.Fields(names)
		for seed := range uint64(80) {
			w := newWorld(names)
			dice := rand.New(rand.NewPCG(seed, 1))
			for _, x := range all {
				w.watches[x].Started(dice.IntN(2) == 0)
				w.takes[x] = 1 + dice.IntN(4*Silent)
				w.starts[x] = dice.IntN(restarting)
			}
			majority := all[:len(all)/2+1]
			for _, x := range all[len(majority):] {
				for _, y := range all {
					w.cut[[2]string{x, y}], w.cut[[2]string{y, x}] = dice.IntN(2) == 0, dice.IntN(2) == 0
				}
			}
			w.run(50 * Silent)
			for range 10 * Silent {
				w.run(1)
				for _, x := range majority {
					if w.starts[x] > 0 || w.watches[x].Rests() {
						t.Fatalf("seed %d: node %s does not run on", seed, x)
					}
				}
			}
		}
	}
}

// I3: a process that stood still, with the others going on, does not take that for silence. I4: nor does one
// whose engine was just started.
func TestStillIsNotSilence(t *testing.T) {
	w := newWorld("a b c")
	w.run(Fresh - 1)
	if w.watches["a"].Tick(); w.resting() != "" {
		t.Error("I4: an engine rests that was just started")
	}
	w.run(Fresh)
	for range 10 * Silent { // b stands still: no ticks
		for _, x := range []string{"a", "c"} {
			w.watches[x].Tick()
			w.knock(x)
		}
	}
	if w.watches["b"].Due() {
		t.Error("I3: it has heard nobody, but it did not run")
	}
	w = newWorld("a b c")
	w.isolate("a", true)
	if w.run(Fresh - 1); w.watches["a"].Due() {
		t.Error("I4: it rests before its connections could be there")
	}
	if w.run(2); !w.watches["a"].Due() {
		t.Error("I1: it was never heard, and runs")
	}
}

// A node whose engine rests, or has not got all yet, is not told to lead.
func TestWhoLeads(t *testing.T) {
	w := New("a", []string{"a", "b", "c"})
	leads := func(want string) {
		t.Helper()
		got := ""
		for _, name := range []string{"a", "b", "c"} {
			if w.Leads(name) {
				got += name
			}
		}
		if got != want {
			t.Errorf("%q may lead, want %q", got, want)
		}
	}
	leads("abc")
	w.Lack(true)
	w.Heard(Knock{From: "b", Rests: true})
	w.Heard(Knock{From: "c", Lacks: true})
	if leads(""); !w.Knock().Lacks {
		t.Error("it does not tell")
	}
	w.Lack(false)
	w.Heard(Knock{From: "b"})
	w.Heard(Knock{From: "c"})
	leads("abc")
	w.Started(true)
	leads("bc")
}

// A node with an older program does not knock. It is there all the same, and nothing is known of its links.
func TestOlderPrograms(t *testing.T) {
	w := New("a", []string{"a", "b", "c"})
	for range 2 * Fresh {
		w.Tick()
		w.Sign("b")
	}
	if w.Due() || w.Hubs() != nil || !slices.Equal(w.Knock().Hears, []string{"b"}) {
		t.Error("rests", w.Due(), "hubs", w.Hubs(), "hears", w.Knock().Hears)
	}
	for range Silent {
		w.Tick()
	}
	if !w.Due() {
		t.Error("it is gone, and this one goes on")
	}
}

// Who may lead lanes when a link is cut.
func TestHubs(t *testing.T) {
	w := newWorld("a b c")
	w.run(3 * Fresh)
	hubs := func(want string) {
		t.Helper()
		got := map[string]string{}
		for _, x := range w.names {
			got[x] = strings.Join(w.watches[x].Hubs(), " ")
		}
		if all := slices.Sorted(maps.Values(got)); fmt.Sprint(all) != want {
			t.Errorf("hubs are %v, want %s", got, want)
		}
	}
	hubs("[  ]")
	w.both("a", "b", true)
	w.run(Missed + 4)
	if got := w.watches["c"].Hubs(); !slices.Equal(got, []string{"c"}) {
		t.Errorf("it knows of %v", got)
	}
	w.cut[[2]string{"a", "b"}] = false // one direction is enough
	w.run(Missed)
	if got := w.watches["c"].Hubs(); !slices.Equal(got, []string{"c"}) {
		t.Errorf("one way: %v", got)
	}
	clear(w.cut)
	w.run(4)
	hubs("[  ]")
	w.isolate("b", true)
	w.run(Missed + 4)
	w.isolate("b", false)
	for range Settled + Missed { // what it hears comes about one after the other
		w.run(1)
		if got := w.watches["a"].Hubs(); got != nil {
			t.Fatalf("a node that is just back: %v", got)
		}
	}
	hubs("[  ]")
}
