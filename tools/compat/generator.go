package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// What random runs avoid, and why. The table covers most of it instead.
//
//   - Two waiting clients that could take the same job: beanstalkd serves them in
//     an order of its own, beanfield first come, first served. Waiting clients
//     watch disjoint sets of tubes.
//   - Lines of 224k-1 characters (bug A: the reference misses their end) and lone
//     CRs (bug B: the reference goes mute).
//   - Short TTRs: an expiry may be missed by the reference (bug C), and what
//     follows DEADLINE_SOON hangs on timing and on bug D. No job expires during
//     a run.
//   - Equal TTRs, equal reserve timeouts: equal ticks of two connections corrupt
//     the reference's timer heap (bug E). Every such number is used once.
//   - Equal delays of released jobs: whether two clock readings are equal is a
//     matter of the clock's resolution. Jobs are put with one delay that all
//     share, because there the order by id and the order by time agree.
//   - kick and reserve-with-timeout with anything but a plain decimal, quitfoo,
//     pause-tubefoo: beanfield differs on purpose.
//   - A job whose body is still arriving while somebody asks for it: the
//     reference shows it, with uninitialised memory.
//   - Commands pipelined behind a pause of 0: the reference ends it a nanosecond
//     later, by a clock of microseconds, before or after the next command.
//   - More than one command at a time while a client has commands pipelined
//     behind its blocked reserve: its commands would race with the rest.

// command is one command, with what the generator must remember of it.
type command struct {
	text string // all bytes, the body included
	verb string
	id   uint64 // of the commands that name a job
	last bool   // nothing may be pipelined behind it
	odd  bool   // it is malformed

	// What the subject is told instead, if that is not empty, and its answer in the reference's words.
	instead string
	back    func(reply) reply
}

// say is a line.
func say(format string, args ...any) command {
	text := fmt.Sprintf(format, args...) + "\r\n"
	verb, _, _ := strings.Cut(text[:len(text)-2], " ")
	return command{text: text, verb: verb}
}

// reserves says whether it raises cmd-reserve or cmd-reserve-with-timeout.
func (c command) reserves() bool { return c.verb == "reserve" || c.verb == "reserve-with-timeout" }

type stepKind int

const (
	stepCommands stepKind = iota
	stepConnect
	stepQuit
	stepHalfClose
	stepAbort
	stepDelay   // a put with a delay of a second, until it is over
	stepPause   // a pause of a second, until it is over
	stepTimeout // a reserve with a timeout of a second
)

// step is what one connection does before the next one acts.
type step struct {
	kind     stepKind
	conn     string
	commands []command
	cuts     []int // where the bytes are cut into several writes
	// blocks is the index of a reserve that may wait, or -1. The commands
	// after it are pipelined behind it.
	blocks int
}

func (s step) String() string {
	names := [...]string{"", "connect", "quit", "half-close", "abort", "delay", "pause", "timeout"}
	out := s.conn + ": " + names[s.kind]
	for _, c := range s.commands {
		out += fmt.Sprintf(" %.120q", c.text)
	}
	return out
}

// member is a connection, as the generator knows it.
type member struct {
	name     string
	use      string
	watch    []string
	reserved []uint64
	waitsOn  []string // the tubes of a reserve that is not yet answered
	pending  []command
}

func (m *member) waiting() bool { return len(m.pending) > 0 }

// behind says that commands are pipelined behind the member's blocked reserve.
func (m *member) behind() bool { return len(m.pending) > 1 }

// step is one in which no reserve may wait.
func (m *member) step(kind stepKind, commands ...command) step {
	return step{kind: kind, conn: m.name, commands: commands, blocks: -1}
}

// generator makes the steps of one seed. It knows the past from the reference's
// replies, and decides by nothing but that and its random numbers.
type generator struct {
	rng    *rand.Rand
	maxJob int
	limit  int // of connections at a time
	timed  int // steps that take a second and may still come
	tubes  []string
	conns  []*member
	jobs   []uint64 // that exist, as far as known
	nextID uint64
	serial uint32 // makes numbers and names that are used once
	words  *rewording
}

// timedSteps is how many steps of a run may wait for the clock: each costs a
// second.
const timedSteps = 3

func newGenerator(seed uint64) *generator {
	rng := rand.New(rand.NewPCG(seed, 0x6265616e))
	g := &generator{
		rng:    rng,
		maxJob: []int{65535, 65535, 1000, 100}[rng.IntN(4)],
		limit:  2 + rng.IntN(5),
		timed:  timedSteps,
		tubes:  []string{"default", "default", "a", "b", "c.d", "(e)", "f-1"},
		nextID: 1,
	}
	g.tubes = append(g.tubes, strings.Repeat("n", 200), fmt.Sprintf("t%d", seed))
	return g
}

// once returns a number of seconds that no other call returns, and that is longer
// than any run.
func (g *generator) once() uint32 {
	g.serial++
	return 1_000_000 + 10*g.serial
}

func (g *generator) chance(percent float64) bool { return g.rng.Float64()*100 < percent }

func pick[T any](g *generator, from []T) T { return from[g.rng.IntN(len(from))] }

// next decides on a step.
func (g *generator) next() step {
	idle := g.idle()
	behind := g.anyBehind()
	switch {
	case len(g.conns) < g.limit && (len(idle) == 0 || g.chance(4)):
		return g.connect()
	case len(idle) == 0 || (!behind && len(g.conns) > 1 && g.chance(3)):
		return g.leave()
	case behind && g.chance(6):
		return g.leaveBehind()
	case !behind && g.timed > 0 && g.chance(0.3):
		g.timed--
		return g.timedStep(pick(g, idle))
	}
	m := pick(g, idle)
	n := 1
	if !behind {
		n = 1 + g.rng.IntN(g.rng.IntN(20)+1)
	}
	return g.group(m, n)
}

// idle lists the connections that are not blocked.
func (g *generator) idle() []*member {
	var idle []*member
	for _, m := range g.conns {
		if !m.waiting() {
			idle = append(idle, m)
		}
	}
	return idle
}

// anyBehind says whether commands are pipelined behind a blocked reserve.
func (g *generator) anyBehind() bool { return slices.ContainsFunc(g.conns, (*member).behind) }

func (g *generator) connect() step {
	g.serial++
	m := &member{name: fmt.Sprintf("c%d", g.serial), use: "default", watch: []string{"default"}}
	g.conns = append(g.conns, m)
	return m.step(stepConnect)
}

// leave ends a connection. A blocked one cannot be told to quit; one with
// commands behind its reserve must only be half-closed, because a server may or
// may not still run them for a client that died.
func (g *generator) leave() step {
	m := pick(g, g.conns)
	kinds := []stepKind{stepQuit, stepHalfClose, stepAbort}
	if m.waiting() {
		kinds = kinds[1:]
	}
	if m.behind() {
		kinds = kinds[:1]
	}
	return m.step(pick(g, kinds))
}

// leaveBehind half-closes the client that has commands behind its reserve: it
// is told TIMED_OUT, and they run.
func (g *generator) leaveBehind() step {
	return g.conns[slices.IndexFunc(g.conns, (*member).behind)].step(stepHalfClose)
}

// left forgets a connection.
func (g *generator) left(conn string) {
	g.conns = slices.DeleteFunc(g.conns, func(m *member) bool { return m.name == conn })
}

func (g *generator) member(conn string) *member {
	i := slices.IndexFunc(g.conns, func(m *member) bool { return m.name == conn })
	return g.conns[i]
}

// mayBlock says whether m may wait without sharing a tube with somebody who
// waits already.
func (g *generator) mayBlock(m *member) bool {
	for _, other := range g.conns {
		for _, tube := range other.waitsOn {
			if slices.Contains(m.watch, tube) {
				return false
			}
		}
	}
	return true
}

// group makes n commands in a row, at times with a reserve that may block at
// the end, or with more commands behind it. While somebody has commands behind
// a reserve, the group is a single command.
func (g *generator) group(m *member, n int) step {
	s := m.step(stepCommands)
	behind := g.anyBehind()
	block := g.chance(12)
	last := false
	if !behind || !block {
		for n > 0 && !last {
			c := g.words.say(m, g.command(m))
			s.commands = append(s.commands, c)
			n, last = n-1, c.last
		}
	}
	if block && !last && g.mayBlock(m) {
		s.blocks = len(s.commands)
		s.commands = append(s.commands, g.blockingReserve(m))
		if !behind && g.chance(30) {
			for range 1 + g.rng.IntN(4) {
				s.commands = append(s.commands, g.words.say(m, g.commandBehind(m)))
			}
		}
	}
	if len(s.commands) == 0 {
		s.commands = append(s.commands, bare("list-tubes-watched")(g, m))
	}
	if g.chance(25) {
		s.cuts = g.cutPoints(len(joined(s.commands)))
	}
	return s
}

// cutPoints cuts anywhere, also inside a line or a body.
func (g *generator) cutPoints(size int) []int {
	var cuts []int
	for range 1 + g.rng.IntN(3) {
		cuts = append(cuts, g.rng.IntN(size+1))
	}
	slices.Sort(cuts)
	return cuts
}

func joined(commands []command) []byte {
	var all []byte
	for _, c := range commands {
		all = append(all, c.text...)
	}
	return all
}

// timedStep waits for the clock, so that timers are compared as well.
func (g *generator) timedStep(m *member) step {
	switch {
	case g.chance(40):
		return m.step(stepDelay, g.put(1))
	case g.chance(50) || !g.mayBlock(m):
		return m.step(stepPause, say("pause-tube %s 1", pick(g, g.tubes)))
	}
	return m.step(stepTimeout, say("reserve-with-timeout 1"))
}

// observe remembers what a reply of the reference says.
func (g *generator) observe(m *member, c command, r reply) {
	switch r.word() {
	case "INSERTED":
		id, _ := r.id()
		g.jobs = append(g.jobs, id)
		g.nextID = max(g.nextID, id+1)
	case "RESERVED":
		id, _ := r.id()
		m.reserved = append(m.reserved, id)
	case "RELEASED", "BURIED":
		m.reserved = without(m.reserved, c.id)
	case "DELETED":
		m.reserved = without(m.reserved, c.id)
		g.jobs = without(g.jobs, c.id)
	}
}

func without(ids []uint64, id uint64) []uint64 {
	return slices.DeleteFunc(ids, func(other uint64) bool { return other == id })
}
