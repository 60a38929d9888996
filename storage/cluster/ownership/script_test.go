package ownership

import (
	"strings"
	"time"

	"beanfield/storage/must"
)

// A script says what happens to a cluster, and what must be so: a word, a node, another one, a time. The nodes are
// a, b and c; or owner, who serves when the script begins, x and y, who follow it in the order, and next, who would
// stand first.
//
//	crash, start, close, drain, undrain, low, roomy    what becomes of a node; of its disk
//	helpless, able                                     and of its engine
//	pause, slow                                        for how long it does not run; how long its engine takes
//	move b c, refuses b c                              c is to own the shards; b is told, and obeys or not
//	cut a b 3s, part a b 3s                            no messages from a to b; nor back
//	deaf a 3s, mute a 3s, isolate a 3s                 none to a; none from it; neither
//	run 3s, serves a 3s, keeps a 30s                   time passes; until a serves; while it does
//	idle 300ms                                         nobody has served for so long, at most, since the last idle
type script struct {
	*world
	names map[string]*member
}

// play plays a script. Each line may have several commands.
func (w *world) play(text string) {
	w.Helper()
	s := script{w, map[string]*member{}}
	for _, m := range w.nodes {
		s.names[m.name] = m
	}
	if h := w.holder(); h != nil {
		n := len(w.nodes)
		s.names["owner"], s.names["x"], s.names["y"] = h, w.nodes[(h.i+1)%n], w.nodes[(h.i+2)%n]
		if s.names["next"] = w.nodes[0]; h == w.nodes[0] {
			s.names["next"] = w.nodes[1]
		}
	}
	for _, line := range strings.Split(strings.ReplaceAll(text, "\n", ";"), ";") {
		if words := strings.Fields(line); len(words) > 0 {
			s.do(words[0], words[1:])
		}
		if w.wrong != "" {
			w.Fatalf("after %q: %s", line, w.wrong)
		}
	}
}

// do does what a command says.
func (s script) do(command string, words []string) {
	s.Helper()
	var nodes []*member
	var long time.Duration
	for _, word := range words {
		if m := s.names[word]; m != nil {
			nodes = append(nodes, m)
		} else {
			long = must.Get(time.ParseDuration(word))
		}
	}
	if len(nodes) > 0 {
		s.with(command, nodes[0], nodes[len(nodes)-1], long)
		return
	}
	switch command {
	case "run":
		s.run(long)
	case "idle":
		if s.world.idle > long {
			s.describe()
			s.Fatalf("nobody served for %v", s.world.idle)
		}
		s.quiet()
	case "lossy":
		s.lossy = true
	default:
		s.Fatal("no such command: ", command)
	}
}

// with does something with a node, and perhaps with another one.
func (s script) with(command string, m, other *member, long time.Duration) {
	s.Helper()
	clock := m.clock()
	switch command {
	case "crash":
		m.crash()
	case "start":
		m.start()
	case "close":
		m.s.Close(clock)
	case "drain":
		must.Do(s, m.s.Obey(clock, Drain, "", false))
	case "undrain":
		must.Do(s, m.s.Obey(clock, Drain, "", true))
	case "move":
		must.Do(s, m.s.Obey(clock, Move, other.name, false))
	case "refuses":
		if m.s.Obey(clock, Move, other.name, false) == nil {
			s.Fatal("the shards are moved to ", other.name)
		}
	case "low":
		m.s.Low = "full"
	case "roomy":
		m.s.Low = ""
	case "helpless":
		m.helpless = true
	case "able":
		m.helpless = false
	case "slow":
		m.slow = long
	case "pause":
		m.paused = s.now + long
	case "cut":
		s.cutFor(long, m, other)
	case "part":
		s.cutFor(long, m, other)
		s.cutFor(long, other, m)
	case "deaf", "mute", "isolate":
		s.isolate(m, command != "mute", command != "deaf", long)
	case "serves":
		s.until(long, m.name+" serves", func() bool { return s.holder() == m })
	case "keeps":
		for end := s.now + long; s.now < end; s.run(time.Second) {
			if s.holder() != m {
				s.describe()
				s.Fatalf("%s does not go on: %v", m.name, s.now)
			}
		}
	default:
		s.Fatal("no such command: ", command)
	}
}

// isolate has no messages reach a node, or leave it.
func (w *world) isolate(m *member, to, from bool, long time.Duration) {
	for _, other := range w.nodes {
		if to {
			w.cutFor(long, other, m)
		}
		if from {
			w.cutFor(long, m, other)
		}
	}
}
