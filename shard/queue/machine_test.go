package queue

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"beanfield/shard/queue/queuetest"
	"beanfield/storage"
)

// machine drives a State and the model side by side with random operations.
type machine struct {
	w *world
	m *model
	// pick chooses one of n; the label helps to read a failure.
	pick func(n int, label string) int
}

const machineClients = 4

var machineTubes = []string{"default", "one", "two"}

func newMachine(t queuetest.Failer, pick func(int, string) int) *machine {
	// With 0, which is the usual, nobody is wide and nothing takes many turns.
	return newSharedMachine(t, pick, pick(4, "share"))
}

// newServiceMachine makes one whose turns are long: the model does not know where the
// others end.
func newServiceMachine(t queuetest.Failer, pick func(int, string) int) *machine {
	x := newSharedMachine(t, pick, 0)
	x.serve()
	return x
}

func newSharedMachine(t queuetest.Failer, pick func(int, string) int, share int) *machine {
	x := &machine{w: newWideWorld(t, pick(4, "wide"), share), m: &model{}, pick: pick}
	x.w.deaf = true
	x.m.clients = make([]mClient, machineClients)
	x.m.need("default")
	x.newUsers()
	return x
}

func (x *machine) newUsers() {
	for i := range machineClients {
		u := &user{w: x.w, name: fmt.Sprint(i)}
		u.client.Waiter = u
		x.w.users[u.name] = u
	}
}

func choose[T any](x *machine, label string, from ...T) T { return from[x.pick(len(from), label)] }

// client picks a client that does not wait, and may so give commands.
func (x *machine) client() (int, *user) {
	var idle []int
	for i, c := range x.m.clients[:machineClients] {
		if c.waiting == 0 {
			idle = append(idle, i)
		}
	}
	if len(idle) == 0 {
		return -1, nil
	}
	i := choose(x, "client", idle...)
	return i, x.w.users[fmt.Sprint(i)]
}

// id picks a job, mostly one that is there.
func (x *machine) id() uint64 {
	if len(x.m.jobs) == 0 || x.pick(20, "stray") == 0 {
		return uint64(x.pick(int(x.w.lastID)+2, "id"))
	}
	return x.m.jobs[x.pick(len(x.m.jobs), "job")].id
}

// do runs one operation on both and compares everything.
func (x *machine) do(c int, u *user, op Op, body string) Op {
	x.forget()
	want := op
	if op.Kind == Put {
		want.ID = x.w.lastID
	}
	got, b := u.apply(op)
	x.m.apply(x.w.now, c, &want, body, x.w.log.Full)
	if got.Status != want.Status || got.Status == OK && (got.ID != want.ID || got.Count != want.Count || got.Pri != want.Pri) {
		x.w.t.Fatalf("client %d: operation %d is answered %v %d %d %d, want %v %d %d %d", c, op.Kind,
			got.Status, got.ID, got.Count, got.Pri, want.Status, want.ID, want.Count, want.Pri)
	}
	u.answer(&got, b) // looks at the body
	if b.Soonest != x.m.soonest(c) {
		x.w.t.Fatalf("client %d holds a deadline at %d, want %d", c, b.Soonest, x.m.soonest(c))
	}
	if x.m.service != nil {
		x.tick() // the end of the turn
		return got
	}
	x.compare()
	return got
}

// passTo lets time pass, stopping whenever something is due.
func (x *machine) passTo(end int64) {
	for {
		next := x.w.s.Next()
		if next != x.m.due() {
			x.w.t.Fatalf("next is %d, want %d", next, x.m.due())
		}
		if next == 0 || next > end {
			break
		}
		x.forget()
		x.w.s.Tick(next - 1)
		x.w.now = next
		x.compare()
		x.tick()
	}
	x.w.now = end
	x.compare()
}

// forget forgets what the last step has given.
func (x *machine) forget() {
	x.w.given, x.w.wakes, x.m.given, x.w.pushed, x.w.called = nil, nil, nil, nil, nil
	if x.m.service != nil {
		x.m.service.pushed, x.m.service.called = nil, nil
	}
}

// tick ends a turn. What the turn has given before is compared, too.
func (x *machine) tick() {
	for x.w.s.Tick(x.w.now) {
	}
	x.w.take()
	x.w.tryAgain()
	x.m = x.m.tick(x.w.now, x.w.given, x.w.log.Full)
	x.m.sweep()
	x.compare()
	x.forget()
}

// at moves the clock by less than two microseconds to a moment of the given
// phase. Delays of different tubes, and pauses, begin at different phases, so
// they never end at the same nanosecond, where no order is promised.
func (x *machine) at(phase int64) {
	to := x.w.now/1000*1000 + phase
	if to < x.w.now {
		to += 1000
	}
	x.passTo(to)
}

func (x *machine) atTube(name string) { x.at(int64(1 + slices.Index(machineTubes, name))) }

const pausePhase = 500

func (x *machine) compare() {
	w, m := x.w, x.m
	if !slices.Equal(w.given, m.given) {
		w.t.Fatalf("waiters are given %v, want %v", w.given, m.given)
	}
	if m.service != nil {
		x.compareService()
	}
	if err := w.check(); err != nil {
		w.t.Fatal(err)
	}
	want := m.counts("")
	want.Timeouts, want.Total = m.totals.Timeouts, m.totals.Total
	if w.s.totals != want {
		w.t.Fatalf("totals are %+v, want %+v", w.s.totals, want)
	}
	waits := 0
	for i, c := range m.clients {
		switch {
		case c.waiting > 0 && c.consumer == nil && w.users[fmt.Sprint(i)].client.wide != nil:
			waits++
		case c.waiting > 0:
			waits += len(c.watched)
		}
	}
	if n := w.s.Waits(); n != waits {
		w.t.Fatalf("R3: %d places in queues are taken, want %d", n, waits)
	}
	if w.deaf = x.pick(2, "told") == 0; !w.deaf {
		m.leave()
	}
	x.compareTubes()
	w.deaf = true
	x.compareJobs()
	x.compareLists()
}

func (x *machine) ask(op Op) *Batch {
	b := &Batch{Ops: []Op{op}}
	for b.Ops[0].Status = More; b.Ops[0].Status == More; {
		x.w.s.renew()
		x.w.s.Apply(x.w.now, b, &b.Ops[0])
	}
	return b
}

func (x *machine) compareTubes() {
	var want []string
	for i := range x.m.tubes {
		want = append(want, x.m.tubes[i].name)
		info := x.m.tubeInfo(x.w.now, &x.m.tubes[i])
		b := x.ask(Op{Kind: StatsTube, Data: []byte(info.Name)})
		if len(b.Tubes) == 1 && x.w.deaf { // it cannot know who is still there
			b.Tubes[0].Waiting = info.Waiting
		}
		if len(b.Tubes) != 1 || b.Tubes[0] != info {
			x.w.t.Fatalf("tube is %+v, want %+v", b.Tubes, info)
		}
	}
	slices.Sort(want)
	if got := x.w.dir.Names(); !slices.Equal(got, want) || len(x.w.s.tubes) != len(want) {
		x.w.t.Fatalf("tubes are %v, want %v", got, want)
	}
}

func (x *machine) compareJobs() {
	w := x.w
	for i := range x.m.jobs {
		j := &x.m.jobs[i]
		info := x.m.jobInfo(w.now, j)
		b := x.ask(Op{Kind: StatsJob, ID: j.id})
		if len(b.Jobs) != 1 || b.Jobs[0] != info {
			w.t.Fatalf("job is %+v, want %+v", b.Jobs, info)
		}
		logged := w.log.Jobs[j.id]
		if logged == nil || w.log.Bodies[j.id] != j.body {
			w.t.Fatalf("L1: job %d is not in the log", j.id)
		}
		ranked := *logged
		ranked.BuryRank, ranked.Updated, ranked.Item = 0, false, nil // matters of the log, not of the queue
		if ranked != j.logged || (logged.BuryRank > 0) != (logged.State == 3) {
			w.t.Fatalf("L1: the log has %+v, want %+v", *logged, j.logged)
		}
		var item storage.Item
		if logged.Item != nil {
			item = *logged.Item
		}
		if item.Moved != j.loggedMoved || int(item.Rebalances) != j.loggedRebalances {
			w.t.Fatalf("L1: the log has %+v of item %d, want %t %d", item, j.id, j.loggedMoved, j.loggedRebalances)
		}
	}
	if n := len(x.m.jobs); int(w.s.index.n) != n || len(w.log.Jobs) != n || int(w.lastID)-len(w.dir.Gone) != n {
		w.t.Fatalf("%d jobs are indexed, %d logged, %d of %d ended, want %d", w.s.index.n, len(w.log.Jobs),
			len(w.dir.Gone), w.lastID, n)
	}
}

// restart ends all clients and makes a State of the log.
func (x *machine) restart() {
	gone := maps.Clone(x.w.dir.Gone)
	x.w.log.Full = queuetest.Roomy
	x.w.replay()
	x.w.dir.Gone = gone
	x.newUsers()
	x.w.now += int64(x.pick(3, "downtime")) * second
	x.m.restart()
	x.forget()
	x.tick()
}

// compareService compares the consumers.
func (x *machine) compareService() {
	w, m := x.w, x.m
	pushed := slices.DeleteFunc(byConsumer(w.pushed), func(s string) bool { return strings.HasSuffix(s, ":replaced") })
	if want := byConsumer(m.service.pushed); !slices.Equal(pushed, want) {
		w.t.Fatalf("pushed are %v, want %v", pushed, want)
	}
	if !slices.Equal(w.called, m.service.called) {
		w.t.Fatalf("called are %v, want %v", w.called, m.service.called)
	}
	for name, t := range w.s.tubes {
		if v := t.service; v != nil && (v.first != nil) != m.service.first[name] {
			w.t.Fatalf("queue %q has a first group: %t", name, v.first != nil)
		}
		if logged := w.log.Queues[name]; (logged != nil) != m.service.first[name] {
			w.t.Fatalf("L1: queue %q is logged as %+v", name, logged)
		}
	}
	for i := range m.clients {
		c := m.clients[i].consumer
		if c == nil || !m.service.first[c.queue] {
			continue
		}
		got := w.s.tubes[c.queue].service.first.users[c.user]
		if (got != nil) != c.known {
			w.t.Fatalf("consumer %s of %s is known: %t", c.user, c.queue, got != nil)
		}
		if got != nil && got.client.held.n != len(m.heldBy(i)) {
			w.t.Fatalf("consumer %s of %s has %d items, want %d", c.user, c.queue, got.client.held.n, len(m.heldBy(i)))
		}
	}
}

func (x *machine) body(id uint64) string {
	size := choose(x, "size", 0, 1, 11, 100, 2048, 2049, 5000)
	text := strings.Repeat(fmt.Sprintf("job %d ", id), size/6+1)[:size]
	x.w.bodies[id] = text
	delete(x.w.tags, id)
	return text
}
