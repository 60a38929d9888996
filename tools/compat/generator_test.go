package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// drive runs a generator against made-up replies, and hands every step out.
func drive(t *testing.T, seed uint64, steps int, each func(*generator, step)) {
	t.Helper()
	g := newGenerator(seed)
	answers := rand.New(rand.NewPCG(seed, 1))
	for range steps {
		s := g.next()
		each(g, s)
		switch s.kind {
		case stepConnect:
			continue
		case stepQuit, stepHalfClose, stepAbort:
			g.left(s.conn)
			continue
		}
		m := g.member(s.conn)
		at := s.commands
		if s.blocks >= 0 {
			at = s.commands[:s.blocks]
			m.pending = s.commands[s.blocks:]
		}
		for _, c := range at {
			g.observe(m, c, answer(g, answers, c))
		}
		for _, other := range g.conns {
			if other.waiting() && answers.IntN(3) == 0 {
				other.pending, other.waitsOn = nil, nil
			}
		}
	}
}

// answer makes up a reply that a server could give.
func answer(g *generator, rng *rand.Rand, c command) reply {
	id := g.nextID
	if len(g.jobs) > 0 {
		id = pick(g, g.jobs)
	}
	text := "NOT_FOUND\r\n"
	if rng.IntN(2) == 0 {
		switch c.verb {
		case "put":
			text = fmt.Sprintf("INSERTED %d\r\n", g.nextID)
		case "delete":
			text = "DELETED\r\n"
		case "reserve-job", "reserve-with-timeout":
			text = fmt.Sprintf("RESERVED %d 1\r\nx\r\n", id)
		}
	}
	return reply{raw: []byte(text)}
}

func TestSeedRepeatsRun(t *testing.T) {
	record := func(seed uint64) []string {
		var all []string
		drive(t, seed, 400, func(_ *generator, s step) {
			all = append(all, fmt.Sprint(s.kind, s.conn, string(joined(s.commands)), s.cuts, s.blocks))
		})
		return all
	}
	if !slices.Equal(record(7), record(7)) {
		t.Error("one seed made two different runs")
	}
	if slices.Equal(record(7), record(8)) {
		t.Error("two seeds made the same run")
	}
}

// What the generator says that it avoids, it avoids.
func TestGeneratorAvoids(t *testing.T) {
	for seed := range uint64(30) {
		once := map[string]bool{}
		drive(t, seed, 300, func(g *generator, s step) {
			checkWaiters(t, g, s)
			for _, c := range s.commands {
				checkLine(t, c)
				checkOnce(t, once, c)
			}
			if g.anyBehind() && len(s.commands) > 1 {
				t.Fatalf("seed %d: %d commands while some wait behind a reserve", seed, len(s.commands))
			}
		})
	}
}

func checkWaiters(t *testing.T, g *generator, s step) {
	t.Helper()
	seen := map[string]string{}
	for _, m := range g.conns {
		for _, tube := range m.waitsOn {
			if other, ok := seen[tube]; ok && (m.waiting() || m.name == s.conn) {
				t.Fatalf("%s and %s wait for the same job in %s", m.name, other, tube)
			}
			seen[tube] = m.name
		}
	}
}

func checkLine(t *testing.T, c command) {
	t.Helper()
	line, _, _ := strings.Cut(c.text, "\r\n")
	if strings.Contains(line, "\r") && c.verb != "put" {
		t.Errorf("a lone CR in %q", c.text)
	}
	if n := len(line); n >= readBuffer-1 && (n+1)%readBuffer == 0 {
		t.Errorf("a line of %d characters meets bug A", n)
	}
	if strings.HasPrefix(line, "quit") || strings.HasPrefix(line, "kick -") || strings.HasPrefix(line, "kick +") {
		t.Errorf("%q differs on purpose", line)
	}
}

// checkOnce looks at the numbers that two connections' ticks are made of.
func checkOnce(t *testing.T, once map[string]bool, c command) {
	t.Helper()
	fields := strings.Fields(c.text)
	var key string
	switch {
	case c.verb == "put" && fields[3] != "100":
		key = "ttr " + fields[3]
	case c.verb == "release" && fields[3] != "0":
		key = "delay " + fields[3]
	case c.verb == "reserve-with-timeout" && len(fields[1]) > 3:
		key = "timeout " + fields[1]
	}
	if key != "" && once[key] {
		t.Errorf("%s is used twice", key)
	}
	once[key] = true
}

// A default run must reach every verb and the interesting mixtures.
func TestGeneratorReaches(t *testing.T) {
	verbsSeen, kinds := map[string]int{}, map[stepKind]int{}
	blocked, behind, cuts := 0, 0, 0
	for seed := range uint64(25) {
		drive(t, seed, 400, func(g *generator, s step) {
			kinds[s.kind]++
			for _, c := range s.commands {
				verbsSeen[c.verb]++
			}
			if s.blocks >= 0 {
				blocked++
				if s.blocks < len(s.commands)-1 {
					behind++
				}
			}
			if len(s.cuts) > 0 {
				cuts++
			}
		})
	}
	for _, v := range allVerbs {
		if v != "quit" && verbsSeen[v] == 0 {
			t.Errorf("%s never comes", v)
		}
	}
	for k := stepCommands; k <= stepTimeout; k++ {
		if kinds[k] == 0 {
			t.Errorf("step kind %d never comes", k)
		}
	}
	if blocked < 100 || behind < 20 || cuts < 100 {
		t.Errorf("%d blocking reserves, %d with commands behind, %d cut steps", blocked, behind, cuts)
	}
}
