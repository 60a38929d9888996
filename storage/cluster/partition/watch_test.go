package partition

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"beanfield/storage/must"
)

// world is some nodes, links between them, and engines that rest, run or are being started.
type world struct {
	names   []string
	watches map[string]*Watch
	cut     map[[2]string]bool // what the first says does not reach the second
	starts  map[string]int     // ticks until the node's engine is there
	takes   map[string]int     // how long that takes; 0: restarting
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
				w.presence(name)
			}
			if watch.Due() != watch.Rests() {
				if w.starts[name] = restarting; !watch.Due() && w.takes[name] > 0 {
					w.starts[name] = w.takes[name]
				}
			}
		}
	}
}

func (w *world) presence(name string) {
	k := w.watches[name].Presence()
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
	for _, c := range []struct{ what, names, cut, want string }{
		{"all is well", "a b c", "", "none"},
		{"one of three is cut off", "a b c", "isolate b", "b"},
		{"it is heard, but hears nobody", "a b c", "cut a b; cut c b", "b"},
		{"it hears the others, but is not heard", "a b c", "cut b a; cut b c", "none"},
		{"nobody reaches anybody", "a b c", "isolate a; isolate b", "a b c"},
		{"a link of three", "a b c", "part a b", "none"},
		{"two of five are cut off", "a b c d e", "part a c; part a d; part a e; part b c; part b d; part b e", "a b"},
		{"a star of five: all depend on its middle", "a b c d e",
			"part b c; part b d; part b e; part c d; part c e; part d e", "none"},
		{"one alone", "a", "", "none"},
		{"one of two", "a b", "isolate a", "a b"},
	} {
		t.Log(c.what)
		newWorld(c.names).play(t, fmt.Sprintf(`60; %s; 18; resting is none; 4; resting is %s; 200; resting is %[2]s
			mend; 14; resting is none`, c.cut, c.want))
	}
}

// I2: when a fourth node becomes a member while one of three is dead, the engines of the others go on, as long as the
// new one is not silent for too long.
func TestNodeComesWhileOneIsDead(t *testing.T) {
	w := newWorld("a b c d")
	for _, name := range w.names[:3] {
		w.watches[name] = New(name, w.names[:3])
	}
	w.play(t, "60; isolate c; 40; resting is c")
	for _, name := range []string{"a", "b", "d"} { // who is dead hears of nothing
		w.watches[name].Members(w.names)
	}
	w.play(t, "2; resting is c; 100; resting is c; isolate d; 18; resting is c; 4; resting is a b c d")
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

// I1, I3 and I4: what nodes do and know, in courses (see play).
func TestCourses(t *testing.T) {
	for what, course := range map[string]string{
		"I3: a process that stood still, with the others going on, does not take that for silence; I4: nor does one " +
			"whose engine was just started": "29; tick a; resting is none; 30; " +
			strings.Repeat("tick a; tell a; tick c; tell c;", 200) + "due b is false",
		"I1, I4: one that was never heard rests when its connections could be there": `isolate a
			29; due a is false; 2; due a is true`,
		"I5: whether another process is a node, as far as that can be told: not before it would have been heard": `13
			lives a b is 18446744073709551615; 1; lives a b is 0; lives a a is none; lives a d is none; isolate b
			13; lives a b is 0; 2; lives a b is none; sign a b; lives a b is 0`,
		"I5: one with an older program tells none": strings.Repeat("tick a; sign a b;", 20) + "lives a b is none",
		"one whose engine rests, or has not got all yet, is not told to lead": `leads a is a b c; lacks a true
			hear a b rests; hear a c lacks; leads a is none; says a is lacks; lacks a false; says a is none
			hear a b; hear a c; leads a is a b c; rest a; leads a is b c`,
		"one with an older program tells no presence: it is there all the same, and nothing is known of its links": "" +
			strings.Repeat("tick a; sign a b;", 60) + "due a is false; hubs a is none; hears a is b;" +
			strings.Repeat("tick a;", 20) + "due a is true",
		"who may lead lanes when a link is cut, or works one way only; nothing is made of one that is just back": `90
			hubs a is none; hubs b is none; hubs c is none; part a b; 18; hubs c is c; mend a b; 14; hubs c is c
			mend; 4; hubs a is none; hubs b is none; hubs c is none; isolate b; 18; mend;` +
			strings.Repeat("1; hubs a is none;", 24) + "hubs b is none; hubs c is none",
	} {
		t.Log(what)
		newWorld("a b c").play(t, course)
	}
}

// play plays a course. A number lets so many ticks pass; part, cut and isolate are about links, of which cut has one
// direction, and mend mends this one or all; the other words are those of a Watch.
func (w *world) play(t *testing.T, course string) {
	t.Helper()
	for _, step := range strings.Split(strings.ReplaceAll(course, "\n", ";"), ";") {
		what, want, asks := strings.Cut(step, " is ")
		words := append(strings.Fields(what), "", "", "", "")
		got := w.do(words[0], words[1], words[2], words[3])
		if got == "" {
			got = "none"
		}
		if asks && got != want {
			t.Fatalf("%s is %s, want %s", what, got, want)
		}
	}
}

// do does a step, or says what is so.
func (w *world) do(what, x, y, z string) string {
	watch, link := w.watches[x], [2]string{x, y}
	switch what {
	case "part":
		w.cut[link], w.cut[[2]string{y, x}] = true, true
	case "cut":
		w.cut[link] = true
	case "isolate":
		for _, y := range w.names {
			w.do("part", x, y, "")
		}
	case "mend":
		if delete(w.cut, link); x == "" {
			clear(w.cut)
		}
	case "tick":
		watch.Tick()
	case "tell":
		w.presence(x)
	case "sign":
		watch.Sign(y)
	case "hear":
		watch.Heard(Presence{From: y, Rests: z == "rests", Lacks: z == "lacks"})
	case "lacks":
		watch.Lack(y == "true")
	case "rest":
		watch.Started(true)
	case "says":
		if watch.Presence().Lacks {
			return "lacks"
		}
	case "lives":
		if since, lives := watch.Lives(y); lives {
			return fmt.Sprint(since)
		}
	case "due":
		return fmt.Sprint(watch.Due())
	case "hubs":
		return strings.Join(watch.Hubs(), " ")
	case "hears":
		return strings.Join(watch.Presence().Hears, " ")
	case "resting":
		return w.resting()
	case "leads":
		leaders := slices.Clone(w.names)
		return strings.Join(slices.DeleteFunc(leaders, func(name string) bool { return !watch.Leads(name) }), " ")
	case "":
	default:
		w.run(must.Get(strconv.Atoi(what)))
	}
	return ""
}
