package ownership

import (
	"container/heap"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"beanfield/storage/lanes"
)

// event is something that happens at a time.
type event struct {
	due   time.Duration
	order int
	node  *member // a member that must live then, or nil
	life  int
	do    func()
}

type events []*event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	return e[i].due < e[j].due || e[i].due == e[j].due && e[i].order < e[j].order
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(*event)) }
func (e *events) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

// world is a cluster, the network between its nodes, and the lanes of its shards, of which only the
// newest epoch matters here. Time is nobody's clock.
type world struct {
	*testing.T
	r      *rand.Rand
	now    time.Duration
	events events
	order  int
	nodes  []*member
	epochs []uint64 // the newest on the lanes of each shard
	cut    map[[2]*member]bool
	lossy  bool
	terms  int // how many have begun
	wrong  string
	idle   time.Duration // the longest time without a holder since it was reset
	held   time.Duration // when somebody held last
	newest uint64        // epoch of shard 0 in which somebody has held
	prefer time.Duration // see Config.Prefer
	stood  int           // how often a node has
	slow   time.Duration // how many times longer everything takes than it might
	replay time.Duration // how long a server needs at most until it can serve
	log    int           // how many reads it takes until a node that has been started has read its lanes

	founders int               // how many of the nodes are members at first
	decided  [shards][]Members // what the lanes have of the members

	// What is left out.
	without without
	early   bool // a server goes on after it has said that it has ended
	blind   bool // a server does not ask whether its term holds
}

// member is a node: its election, its drivers, its server and its disk.
type member struct {
	w        *world
	i        int
	name     string
	rate     float64
	from     time.Duration
	life     int // even while it is down
	paused   time.Duration
	quiet    time.Duration // by its clock, since when it has heard no beat, or has crashed
	helpless bool          // its engine does nothing
	slow     time.Duration // its engine takes up to so long to answer; 0: as long as in all the world
	s        *Election
	disk     Kept
	drivers  []driver
	copies   [shards]int    // how many versions of the members its copies have
	appends  [shards]uint64 // the epoch in which one is being appended

	serving bool
	term    int // how many have begun or ended
	epoch   uint64
	until   time.Duration
}

// driver is a shard's.
type driver struct {
	role  lanes.Role
	epoch uint64
	turn  int // candidacies and resignations
	left  int // reads until it has read its lanes
}

const shards = 2

// Worlds are small, and leave much behind.
func init() { debug.SetGCPercent(800) }

func newWorld(t *testing.T, seed uint64, n int) *world {
	w := &world{slow: 1, T: t, founders: n, r: rand.New(rand.NewPCG(seed, 5)), epochs: make([]uint64, shards),
		cut: map[[2]*member]bool{}}
	for i := range n {
		w.nodes = append(w.nodes, &member{
			w: w, i: i, name: string(rune('a' + i)), rate: 0.98 + 0.04*w.r.Float64(), from: w.upTo(time.Hour),
		})
	}
	return w
}

// begin starts all nodes, and waits until one serves.
func (w *world) begin() *world {
	for _, m := range w.nodes {
		w.after(w.upTo(300*time.Millisecond), nil, m.start)
	}
	w.until(20*time.Second, "somebody serves", func() bool { return w.holder() != nil })
	w.run(2 * time.Second) // all are fit by then
	return w
}

func (w *world) upTo(d time.Duration) time.Duration { return time.Duration(w.r.Int64N(int64(d)) + 1) }

// after has something happen later, if the member lives on till then.
func (w *world) after(d time.Duration, m *member, do func()) {
	w.order++
	e := &event{due: w.now + d, order: w.order, node: m, do: do}
	if m != nil {
		e.life = m.life
	}
	heap.Push(&w.events, e)
}

// run lets time pass.
func (w *world) run(d time.Duration) {
	end := w.now + d
	for len(w.events) > 0 && w.events[0].due <= end && w.wrong == "" {
		e := heap.Pop(&w.events).(*event)
		w.now = max(w.now, e.due)
		switch {
		case e.node != nil && e.node.life != e.life:
		case e.node != nil && w.now < e.node.paused: // when it goes on
			e.due = e.node.paused
			heap.Push(&w.events, e)
		default:
			e.do()
		}
		w.check()
	}
	w.now = max(w.now, end)
}

// until lets time pass until something is so.
func (w *world) until(most time.Duration, what string, ok func() bool) time.Duration {
	w.Helper()
	begun := w.now
	for !ok() && w.wrong == "" {
		if w.now-begun > most {
			w.describe()
			w.Fatal("never came about: ", what)
		}
		w.run(5 * time.Millisecond)
	}
	return w.now - begun
}

func (w *world) describe() {
	for _, m := range w.nodes {
		if m.s != nil {
			w.Logf("%s: %v, %q, may not stand because %q, shards %+v", m.name, m.s.Role(), m.s.Why(), m.s.mayStand(),
				m.drivers)
		}
	}
}

// holder is whose server hands out jobs.
func (w *world) holder() *member {
	for _, m := range w.nodes {
		if m.holds() {
			return m
		}
	}
	return nil
}

func (m *member) holds() bool { return m.serving && (m.w.blind || m.clock() < m.until) }

// check is what must be so after each event (O2).
func (w *world) check() {
	var holder *member
	for _, m := range w.nodes {
		switch {
		case !m.holds():
			continue
		case holder != nil:
			w.wrong = fmt.Sprintf("O2: nodes %s and %s hold the shards at %v", holder.name, m.name, w.now)
		case m.epoch < w.newest:
			w.wrong = fmt.Sprintf("O2: node %s holds epoch %d after %d at %v", m.name, m.epoch, w.newest, w.now)
		}
		holder, w.newest = m, max(w.newest, m.epoch)
	}
	if holder != nil {
		w.held = w.now
	}
	w.idle = max(w.idle, w.now-w.held)
}

// quiet forgets how long nobody has held.
func (w *world) quiet() { w.idle, w.held = 0, w.now }

func (m *member) clock() time.Duration { return m.from + time.Duration(float64(m.w.now)*m.rate) }

// start starts a node's process.
func (m *member) start() {
	if m.s != nil {
		return
	}
	w := m.w
	m.life++
	var names []string
	for _, other := range w.nodes[:w.founders] {
		names = append(names, other.name)
	}
	m.drivers = make([]driver, shards)
	since := max(m.quiet, m.clock()-w.upTo(3*time.Second)) // the process has waited for its engine till now
	m.s = New(Config{
		Since:   since,
		Cluster: "test", Node: m.name, Version: "1", Nodes: names, Shards: shards, Nonce: w.r.Uint64(), Kept: m.disk,
		Prefer: w.prefer,
		Random: rand.New(rand.NewPCG(w.r.Uint64(), 0)), Acts: m,
	}, m.clock())
	m.s.without = w.without
	for i := range m.drivers {
		had := m.copies[i]
		m.copies[i] = 0
		m.take(i, had)
		m.drivers[i].left = w.log
		m.follow(i)
	}
	m.tick()
}

func (m *member) tick() {
	m.s.Tick(m.clock())
	m.show()
	m.complete()
	m.w.after(15*time.Millisecond+m.w.upTo(10*time.Millisecond), m, m.tick)
}

// crash ends the process. What was not on the disk is gone.
func (m *member) crash() {
	if m.s != nil {
		m.life++
		m.s, m.serving, m.paused, m.quiet = nil, false, 0, m.clock()
	}
}

// reaches tells whether messages go from one node to another.
func (m *member) reaches(to *member) bool { return !m.w.cut[[2]*member{m, to}] }

// engine tells whether the node can use the lanes: there is a majority, to and fro.
func (m *member) engine() bool {
	if m.helpless {
		return false
	}
	n, voters := 0, m.w.voters()
	for _, other := range m.w.nodes {
		there := other == m ||
			other.s != nil && m.w.now >= other.paused && m.reaches(other) && other.reaches(m)
		if there && slices.Contains(voters, other.name) {
			n++
		}
	}
	return n > len(voters)/2
}

// Send has messages come soon, or late, or twice, or never.
func (m *member) Send(msg *Message) {
	w := m.w
	for _, to := range w.nodes {
		if to == m || msg.To != "" && msg.To != to.name || !m.reaches(to) {
			continue
		}
		copies := 1
		if w.lossy {
			copies = [20]int{0, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}[w.r.IntN(20)]
		}
		for range copies {
			delay := w.upTo(w.slow * 3 * time.Millisecond)
			if w.lossy && w.r.IntN(20) == 0 {
				delay = w.upTo(3 * time.Second)
			}
			w.after(delay, nil, func() { to.comes(msg) })
		}
	}
}

// comes receives a message, if there is a process; one that is paused receives it later.
func (m *member) comes(msg *Message) {
	if m.s == nil {
		if msg.Kind == Beat {
			m.quiet = m.clock()
		}
		return
	}
	if m.w.now < m.paused {
		m.w.after(m.paused-m.w.now, m, func() { m.comes(msg) })
		return
	}
	m.s.Receive(m.clock(), msg)
}

// Keep writes to the disk.
func (m *member) Keep(k Kept) {
	m.w.after(m.w.upTo(m.w.slow*10*time.Millisecond), m, func() {
		m.disk = k
		m.s.Kept(m.clock(), k)
	})
}
