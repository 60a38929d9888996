package queue

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"beanfield/shard/queue/naive"
	"beanfield/shard/queue/queuetest"
	"beanfield/storage"
)

// machine drives a State and the model side by side with random operations.
type machine struct {
	w *world
	m *naive.Queue
	// pick chooses one of n; the label helps to read a failure.
	pick              picker
	rateLimits, fairs bool // some tubes are throttled; they have weights, and little else
	pauses            int  // so far
	// of the queue service
	serves bool
}

const machineClients = 4

var machineTubes = []string{"default", "one", "two"}

func newMachine(t queuetest.Failer, pick func(int, string) int) *machine {
	// With 0, which is the usual, nobody watches many tubes and nothing takes many turns.
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
	x := &machine{w: newManyWorld(t, pick(4, "many"), share), m: naive.New(), pick: pick}
	x.w.deaf = true
	x.m.Slot = func(i int) uint32 { return x.w.users[fmt.Sprint(i)].client.slot }
	x.purges(pick(3, "purge"))
	x.newUsers()
	return x
}

func (x *machine) newUsers() {
	for i := range machineClients {
		u := &user{w: x.w, name: fmt.Sprint(i)}
		u.client.Waiter = u
		x.w.users[u.name] = u
		x.m.Join()
	}
}

func choose[T any](x *machine, label string, from ...T) T { return from[x.pick(len(from), label)] }

// client picks a client that does not wait, and may so give commands.
func (x *machine) client() (int, *user) {
	var idle []int
	for i, c := range x.m.Clients[:machineClients] {
		if c.Waiting == 0 {
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
	if len(x.m.Jobs) == 0 || x.pick(20, "stray") == 0 {
		return uint64(x.pick(int(x.w.dir.Last)+2, "id"))
	}
	return x.m.Jobs[x.pick(len(x.m.Jobs), "job")].ID
}

// do runs one operation on both and compares everything.
func (x *machine) do(c int, u *user, op Op, body string) Op {
	x.forget()
	want := op
	puts := op.Kind == Put || op.Kind == PutTick
	if puts {
		want.ID = x.w.dir.Last + 1
	}
	if op.Several != nil {
		want.Several = &Several{IDs: op.Several.IDs}
	}
	got, b := u.apply(op)
	if puts { // with an id of its own, it takes that
		x.w.dir.Last = max(x.w.dir.Last, op.ID)
	}
	x.model(c, &want, body)
	if got.Status != want.Status || got.Status == OK && (got.ID != want.ID || got.Count != want.Count ||
		got.Pri != want.Pri || got.Unheld != want.Unheld || got.Tag != want.Tag ||
		op.Several != nil && got.Several.Apart != want.Several.Apart) {
		x.w.t.Fatalf("client %d: operation %d is answered %v %d %d %d, want %v %d %d %d", c, op.Kind,
			got.Status, got.ID, got.Count, got.Pri, want.Status, want.ID, want.Count, want.Pri)
	}
	u.answer(&got, b) // looks at the body
	if b.Soonest != x.m.Soonest(c) {
		x.w.t.Fatalf("client %d holds a deadline at %d, want %d", c, b.Soonest, x.m.Soonest(c))
	}
	// a share may be too small to serve all for whom a pause has ended
	if x.serves || x.m.Policies != nil || x.w.s.opening.N > 0 {
		x.tick() // the end of the turn
		return got
	}
	x.compare()
	return got
}

// passTo lets time pass, stopping whenever something is due.
func (x *machine) passTo(end int64) {
	for {
		next := x.next()
		// what jobs in graves had may still be due
		if due, _ := x.m.Due(); next != due && (x.w.s.yard.jobs == 0 || due != 0 && next > due) {
			x.w.t.Fatalf("next is %d, want %d", next, due)
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
	x.w.given, x.w.wakes, x.w.pushed, x.w.called = nil, nil, nil, nil
	x.m.Given, x.m.Pushed, x.m.Called = nil, nil, nil
}

// tick ends a turn. What the turn has given before is compared, too.
func (x *machine) tick() {
	x.endTurns()
	x.w.take()
	x.w.tryAgain()
	x.sync()
	x.m.Tick()
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

// atPause moves the clock to a moment of a phase that no other pause has. Waiters that a pause's end serves hold jobs
// from then on, so their deadlines have its phase: another pause that ended in the same moment would be in no order
// with them where turns are as short as can be.
func (x *machine) atPause() {
	const first, pauses = 4, 498 // behind those of tubes, and within a microsecond
	x.at(first + 2*int64(x.pauses%pauses))
	x.pauses++
}

func (x *machine) compare() {
	w, m := x.w, x.m
	if want := texts(m.Given); !slices.Equal(w.given, want) {
		w.t.Fatalf("waiters are given %v, want %v", w.given, want)
	}
	if x.serves {
		x.compareService()
	}
	if err := w.check(); err != nil {
		w.t.Fatal(err)
	}
	want := x.sums("")
	want.Timeouts, want.Total = m.Timeouts, m.Total
	if w.s.totals != want {
		w.t.Fatalf("totals are %+v, want %+v", w.s.totals, want)
	}
	if w.s.counters != m.Did {
		w.t.Fatalf("policies have done %v, want %v", w.s.counters, m.Did)
	}
	waits := 0
	for i, c := range m.Clients {
		switch {
		case c.Waiting > 0 && c.Consumer == nil && (len(c.Wants) > 0 || w.users[fmt.Sprint(i)].client.many != nil):
			waits++
		case c.Waiting > 0:
			waits += len(c.Watched)
		}
	}
	if n := w.s.Waits(); n != waits {
		w.t.Fatalf("R3: %d places in queues are taken, want %d", n, waits)
	}
	if w.deaf = x.pick(2, "told") == 0; !w.deaf {
		m.Leave()
	}
	x.compareTubes()
	w.deaf = true
	x.compareTicks()
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
	for _, t := range x.m.Tubes {
		want = append(want, t.Name)
		info := x.tubeInfo(t)
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
	for _, j := range x.m.Jobs {
		info := jobInfo(w.now, j)
		b := x.ask(Op{Kind: StatsJob, ID: j.ID})
		if j.State == naive.Passed && len(b.Jobs) != 0 || j.State != naive.Passed &&
			(len(b.Jobs) != 1 || b.Jobs[0] != info) {
			w.t.Fatalf("job is %+v, want %+v", b.Jobs, info)
		}
		got := w.log.Jobs[j.ID]
		if got == nil || w.log.Bodies[j.ID] != j.Body {
			w.t.Fatalf("L1: job %d is not in the log", j.ID)
		}
		ranked := *got
		ranked.BuryRank, ranked.Updated, ranked.Item = 0, false, nil // matters of the log, not of the queue
		if want := logged(j.Logged); ranked != want || (got.BuryRank > 0) != (got.State == storage.Buried) {
			w.t.Fatalf("L1: the log has %+v, want %+v", *got, want)
		}
		var item storage.Item
		if got.Item != nil {
			item = *got.Item
		}
		if got.Item != nil && !x.serves && j.Said == nil && !j.Moved && !j.Timed && item.Since == 0 {
			w.t.Fatalf("L1: the log has an item of job %d, which no queue service has touched", j.ID)
		}
		if item.Moved != j.Logged.Moved || int(item.Rebalances) != j.Logged.Returns {
			w.t.Fatalf("L1: the log has %+v of item %d, want %t %d", item, j.ID, j.Logged.Moved, j.Logged.Returns)
		}
	}
	x.compareKeys()
	if n := len(x.m.Jobs) + w.s.yard.jobs; int(w.s.index.N) != n || len(w.log.Jobs) != n ||
		int(w.dir.Last)-len(w.dir.Gone) != n {
		w.t.Fatalf("%d jobs are indexed, %d logged, %d of %d ended, want %d", w.s.index.N, len(w.log.Jobs),
			len(w.dir.Gone), w.dir.Last, n)
	}
}

// restart ends all clients and makes a State of the log.
func (x *machine) restart() {
	gone := maps.Clone(x.w.dir.Gone)
	x.w.log.Full = queuetest.Roomy
	x.w.replay()
	x.w.dir.Gone = gone
	var jobs []*naive.Job
	for _, j := range x.m.Jobs {
		jobs = append(jobs, j.Logged)
	}
	old := x.m
	x.m = naive.Restore(jobs, slices.Collect(maps.Values(old.Services)))
	x.m.Policies, x.m.Most, x.m.Spread, x.m.Slot, x.m.Ticks = old.Policies, old.Most, old.Spread, old.Slot, old.Ticks
	x.m.Resume(x.w.now, old)
	x.w.now += int64(x.pick(3, "downtime")) * second
	x.newUsers()
	if x.serves {
		x.m.Limits = old.Limits
		x.employ()
	}
	x.forget()
	x.tick()
}

// compareService compares the consumers.
func (x *machine) compareService() {
	w, m := x.w, x.m
	pushed := slices.DeleteFunc(bySubscriber(w.pushed), func(s string) bool {
		return strings.HasSuffix(s, ":replaced") || strings.HasSuffix(s, ":removed")
	})
	if want := x.pushed(); !slices.Equal(pushed, want) {
		w.t.Fatalf("pushed are %v, want %v", pushed, want)
	}
	if !slices.Equal(w.called, x.called()) {
		w.t.Fatalf("called are %v, want %v", w.called, m.Called)
	}
	for name, t := range w.s.tubes {
		x.compareQueue(name, t.service)
	}
	if x.pick(8, "search") == 0 {
		x.compareSearches()
	}
	for i := range m.Clients {
		c := m.Clients[i].Consumer
		if c == nil || x.groupOf(c) == nil {
			continue
		}
		got := x.groupOf(c).users[c.User]
		if (got != nil) != c.Known {
			w.t.Fatalf("consumer %s.%s of %s is known: %t", c.Group, c.User, c.Queue, got != nil)
		}
		if got != nil && got.held() != len(m.Pending(i)) {
			w.t.Fatalf("consumer %s.%s of %s has %d items, want %d", c.Group, c.User, c.Queue, got.held(),
				len(m.Pending(i)))
		}
	}
}

// compareQueue compares what groups a queue has, and what the log has of it: of one without
// groups it may have a record that says so.
func (x *machine) compareQueue(name string, v *service) {
	want := x.m.Services[name]
	if want == nil {
		want = &naive.Service{}
	}
	if v != nil && (v.first != nil) != (want.First != "") {
		x.w.t.Fatalf("queue %q has a first group: %t", name, v.first != nil)
	}
	logged := x.w.log.Queues[name]
	if logged == nil {
		logged = &storage.Queue{}
	}
	same := func(a storage.View, b *naive.View) bool {
		return a.Name == b.Name && a.Start == b.Start && string(a.Tags) == string(tagsFrom(b.Tags))
	}
	if logged.First != want.First || !slices.EqualFunc(logged.Views, want.Views, same) {
		x.w.t.Fatalf("L1: queue %q is logged as %+v, want %+v", name, logged, want)
	}
}

// compareSearches compares how each group sees each item.
func (x *machine) compareSearches() {
	for _, j := range x.m.Jobs {
		for _, name := range x.m.Service(j.Tube).Names() {
			a := &Ask{What: AskSearch, Queue: j.Tube, Group: name, Limits: &x.w.limits}
			x.ask(Op{Kind: Service, ID: j.ID, Ask: a})
			if want := SearchInfo(x.m.Search(j, name)); a.Search != want {
				x.w.t.Fatalf("group %s sees item %d as %+v, want %+v", name, j.ID, a.Search, want)
			}
		}
	}
}

// pushed and called are what the model has sent.
func (x *machine) pushed() (list []string) {
	for _, p := range x.m.Pushed {
		text := fmt.Sprintf("%s:%d", who(x.m.Clients[p.Client].Consumer), p.ID)
		if p.Delivery > 1 {
			text += fmt.Sprintf("/%d", p.Delivery)
		}
		list = append(list, text)
	}
	return bySubscriber(list)
}

func (x *machine) called() (list []string) {
	for _, name := range x.m.Called {
		list = append(list, name+"!")
	}
	return list
}
