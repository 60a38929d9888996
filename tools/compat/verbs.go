package main

import (
	"fmt"
	"slices"
	"strings"
)

// verb makes one kind of command; its weight says how often.
type verb struct {
	weight int
	make   func(*generator, *member) command
}

// verbs are all commands that answer at once.
var verbs = []verb{
	{220, func(g *generator, _ *member) command { return g.put(g.putDelay()) }},
	{130, bare("reserve-with-timeout 0")},
	{40, jobCommand("reserve-job")},
	{120, jobCommand("delete")},
	{70, (*generator).release},
	{60, (*generator).bury},
	{30, jobCommand("touch")},
	{35, (*generator).kick},
	{30, jobCommand("kick-job")},
	{45, (*generator).useTube},
	{45, (*generator).watchTube},
	{40, (*generator).ignoreTube},
	{25, jobCommand("peek")},
	{15, bare("peek-ready")},
	{12, bare("peek-delayed")},
	{12, bare("peek-buried")},
	{40, jobCommand("stats-job")},
	{20, (*generator).statsTube},
	{5, bare("stats")},
	{12, bare("list-tubes")},
	{10, bare("list-tubes-watched")},
	{8, bare("list-tube-used")},
	{20, (*generator).pause},
	{45, (*generator).odd},
	{8, (*generator).badBody},
}

// command picks a verb by weight.
func (g *generator) command(m *member) command {
	total := 0
	for _, v := range verbs {
		total += v.weight
	}
	n := g.rng.IntN(total)
	for _, v := range verbs {
		if n -= v.weight; n < 0 {
			return v.make(g, m)
		}
	}
	panic("weights do not add up")
}

// commandBehind is a command that may stand behind a reserve that may block. It is
// not a reserve, because their count tells how far a server has come; not stats,
// which would count the tool's own questions of that moment; and it does not end a
// pause.
func (g *generator) commandBehind(m *member) command {
	for {
		if c := g.command(m); !c.reserves() && !c.last && c.verb != "stats" {
			return c
		}
	}
}

func bare(name string) func(*generator, *member) command {
	return func(*generator, *member) command { return say("%s", name) }
}

func jobCommand(name string) func(*generator, *member) command {
	return func(g *generator, m *member) command { return about(g.anyID(m), name, "") }
}

// about is a command about a job.
func about(id uint64, verb, rest string) command {
	c := say("%s %d%s", verb, id, rest)
	c.id = id
	return c
}

// anyID is mostly a job that exists, often one that m holds, at times a recent,
// a coming, or an impossible one.
func (g *generator) anyID(m *member) uint64 {
	switch {
	case len(m.reserved) > 0 && g.chance(50):
		return pick(g, m.reserved)
	case len(g.jobs) > 0 && g.chance(80):
		return pick(g, g.jobs)
	case g.chance(80):
		return max(g.nextID+2, 12) - uint64(g.rng.IntN(12))
	}
	return pick(g, []uint64{0, 1<<32 - 1, 1 << 53, 1<<64 - 1})
}

// priority stays near the border of what counts as urgent, and at both ends.
func (g *generator) priority() uint32 {
	if g.chance(50) {
		return uint32(g.rng.IntN(10))
	}
	return pick(g, []uint32{0, 1, 1022, 1023, 1024, 1025, 1 << 31, 1<<32 - 1})
}

// sharedDelay is the one delay that several jobs have.
const sharedDelay = 500_000

func (g *generator) putDelay() uint32 {
	switch {
	case g.chance(75):
		return 0
	case g.chance(30):
		return sharedDelay
	}
	return g.once()
}

func (g *generator) put(delay uint32) command {
	size := g.rng.IntN(40)
	switch {
	case g.chance(5):
		size = g.rng.IntN(min(2000, g.maxJob) + 1)
	case g.chance(1):
		size = g.maxJob - g.rng.IntN(3)
	}
	g.nextID++
	return say("put %d %d %d %d\r\n%s", g.priority(), delay, g.once(), size, g.bytes(size))
}

// bytes are random, with more of those that mean something to a parser.
func (g *generator) bytes(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		if g.chance(20) {
			b[i] = pick(g, []byte("\r\n\x00 -1"))
		} else {
			b[i] = byte(g.rng.IntN(256))
		}
	}
	return b
}

// badBody is a put that is refused after its body was swallowed.
func (g *generator) badBody(*member) command {
	if g.chance(30) {
		size := g.maxJob + 1 + g.rng.IntN(600)
		return command{text: fmt.Sprintf("put 0 0 100 %d\r\n%s", size, g.bytes(size+2)), verb: "put", odd: true}
	}
	g.nextID++ // the id is spent all the same
	size := g.rng.IntN(30)
	end := pick(g, []string{"xy", "\n\r", "\r\r", "\n\n", "\rx", "x\n"})
	return command{text: fmt.Sprintf("put 0 0 %d %d\r\n%s%s", g.once(), size, g.bytes(size), end), verb: "put",
		odd: true}
}

// blockingReserve is a reserve that outlasts the run if no job comes.
func (g *generator) blockingReserve(m *member) command {
	m.waitsOn = slices.Clone(m.watch)
	if g.chance(50) {
		return say("reserve")
	}
	return say("reserve-with-timeout %d", g.once())
}

func (g *generator) release(m *member) command {
	id, delay := g.anyID(m), uint32(0)
	if g.chance(30) {
		delay = g.once()
	}
	return about(id, "release", fmt.Sprintf(" %d %d", g.priority(), delay))
}

func (g *generator) bury(m *member) command {
	return about(g.anyID(m), "bury", fmt.Sprintf(" %d", g.priority()))
}

func (g *generator) kick(*member) command {
	return say("kick %d", pick(g, []uint32{0, 1, 1, 2, 3, 10, 1<<32 - 1}))
}

func (g *generator) useTube(m *member) command {
	m.use = pick(g, g.tubes)
	return say("use %s", m.use)
}

func (g *generator) watchTube(m *member) command {
	tube := pick(g, g.tubes)
	if !slices.Contains(m.watch, tube) {
		m.watch = append(m.watch, tube)
	}
	return say("watch %s", tube)
}

// ignoreTube keeps the watch list as the servers do: the last one stays.
func (g *generator) ignoreTube(m *member) command {
	tube := pick(g, g.tubes)
	if g.chance(50) {
		tube = pick(g, m.watch)
	}
	if len(m.watch) > 1 {
		m.watch = slices.DeleteFunc(slices.Clone(m.watch), func(t string) bool { return t == tube })
	}
	return say("ignore %s", tube)
}

func (g *generator) statsTube(*member) command {
	return say("stats-tube %s", pick(g, g.tubes))
}

// pause mostly ends pauses: a run in which everything is paused shows little.
func (g *generator) pause(*member) command {
	seconds := uint32(0)
	if g.chance(35) {
		seconds = g.once()
	}
	c := say("pause-tube %s %d", pick(g, g.tubes), seconds)
	c.last = seconds == 0
	return c
}

// oddLines are refused, each with exactly one reply.
var oddLines = []string{
	"", " ", "foo", "PUT 0 0 1 1", " stats", "put", "put ", "put a 0 100 1", "put 0 -1 100 1", "put 0 0 100 1 ",
	"put 0 0 100 1x", "put 4294967296 0 100 1", "put 0 0 100", "put 0 0 +1 1", "put\t0 0 100 1",
	"delete", "delete ", "delete x", "delete 1 ", "delete 1 1", "delete -1", "delete 18446744073709551616",
	"release 1", "release 1 2", "release 1 2 3 ", "release x 0 0", "bury 1", "bury 1 -1", "touch", "touch x",
	"kick", "kick ", "kick x", "kick-job", "kick-job x", "peek", "peek ", "peek-", "peek-foo", "peek-readyx",
	"peek-delayed ", "peek-buried 1", "reserve ", "reservex", "reserve-job", "reserve-job ", "reserve-with-timeout",
	"use", "use ", "use -x", "use a b", "use  a", "use a ", "use é", "watch ", "watch !", "ignore ", "ignore -",
	"stats ", "stats-foo", "stats-job", "stats-job x", "stats-tube", "stats-tube ", "stats-tube a b", "stats\n",
	"list-tubes-x", "list-tubes ", "list-tube-used ", "list-tubes-watched x", "list", "pause-tube", "pause-tube x",
	"pause-tube x -1", "pause-tube -x 0", "pause-tube default 0 ", "pause-tube default 4294967296",
	"stats\x00", "\x00", "use a\x00b",
}

func (g *generator) odd(*member) command {
	if g.chance(15) {
		return command{text: g.overlong() + "\r\n", verb: "odd"}
	}
	return command{text: pick(g, oddLines) + "\r\n", verb: "odd"}
}

// readBuffer is the reference's line buffer; a line's CR must not be its last
// byte (bug A).
const readBuffer = 224

func (g *generator) overlong() string {
	n := readBuffer + g.rng.IntN(1000)
	if (n+1)%readBuffer == 0 {
		n++
	}
	return (pick(g, []string{"x", "use ", "put 0 0 1 "}) + strings.Repeat("y", n))[:n]
}
