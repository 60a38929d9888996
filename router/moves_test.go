package router

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"beanfield/shard/queue"
	"beanfield/shard/queue/policy"
	"beanfield/storage"
	"beanfield/storage/must"
)

// afar is a tube on another shard than tube, of so many.
func afar(tube string, shards int) string {
	for i := 0; ; i++ {
		if name := fmt.Sprint("far", i); ShardOf(name, shards) != ShardOf(tube, shards) {
			return name
		}
	}
}

// settle waits until no job is on its way.
func (r *Router) settle(c *client) {
	for range 3 { // jobs may go on from where they came
		for i := range r.shards {
			c.run(i, queue.Op{Kind: queue.Totals}, false) // after what the shard had to do first
			r.movers[i].Rest()
		}
	}
}

// found is where a router that has ended has a job: its tube and state, in a shard that the directory names.
func (r *Router) found(t testing.TB, id uint64) string {
	t.Helper()
	where := ""
	for i, s := range r.states {
		b := queue.Batch{Ops: []queue.Op{{Kind: queue.StatsJob, ID: id}}}
		s.Run(r.Now(), &b)
		if b.Ops[0].Status != queue.OK {
			continue
		}
		if owner, ok := r.ids.find(id); where != "" || !ok || owner != i {
			t.Errorf("R2: job %d is in shard %d and in %q, the directory says %d, %v", id, i, where, owner, ok)
		}
		info := b.Jobs[b.Ops[0].From]
		where = info.Tube + " " + info.State.String()
	}
	if _, ok := r.ids.find(id); ok != (where != "") {
		t.Errorf("R2: job %d is in %q, and the directory knows it: %v", id, where, ok)
	}
	return where
}

// movesLife is a life in which jobs go between the tube mail and the tube far, in another shard. It says when each was
// put and finished, as numbers of turns.
type movesLife struct {
	store  *cutStore
	far    string
	rules  func(tube string) *policy.Policy
	least  int   // queue.Config.LeastPurge
	budget int64 // 0: all bodies are in memory

	mu       sync.Mutex
	put      map[uint64]int // the turn after which it was acknowledged
	begun    map[uint64]int // the turn before the first in which it may have been finished; 0 if it never was
	finished map[uint64]int
	state    func(id uint64) string // what each was put as, and is wherever it is; nil for any
}

func farPolicy(far string) func(string) *policy.Policy {
	return func(tube string) *policy.Policy {
		if tube == "mail" {
			return &policy.Policy{MaxDeliveries: 1, DeadLetter: policy.FateTube, DeadTube: far}
		}
		return nil
	}
}

// turns is how many turns have been logged.
func (s *cutStore) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.turns)
}

// has notes a job that was just put.
func (d *movesLife) has(id uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.put[id] = d.store.count()
}

// finish deletes a job.
func (d *movesLife) finish(t *testing.T, c *client, id uint64) {
	begun := d.store.count()
	if !c.delete(id) {
		t.Errorf("job %d cannot be deleted", id)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.begun[id], d.finished[id] = begun, d.store.count()
}

// finishSome finishes every second job, if it is the one that has an id.
func (d *movesLife) finishSome(t *testing.T, c *client, id uint64) {
	if id%2 == 0 {
		d.finish(t, c, id)
	}
}

// letDie reserves a job, and releases it once too often.
func (c *client) letDie(t *testing.T) (id uint64) {
	id, status := c.begin(true)
	if status != queue.OK {
		t.Fatalf("reserve: %v", status)
	}
	owner, _ := c.r.Owner(id)
	c.run(owner, queue.Op{Kind: queue.Release, ID: id, Pri: 1}, true)
	c.r.settle(c)
	return id
}

func newMovesLife(shards int) *movesLife {
	far := afar("mail", max(2, shards))
	ready := func(uint64) string { return "ready" }
	return &movesLife{store: newCutStore(shards), far: far, rules: farPolicy(far), state: ready,
		put: map[uint64]int{}, begun: map[uint64]int{}, finished: map[uint64]int{}}
}

func (d *movesLife) router(store *cutStore, shards int) *Router {
	o := Options{Shards: shards, Store: store, PolicyFor: d.rules, Budget: d.budget}
	return must.Get(newRouter(o, queue.Config{LeastPurge: d.least}, newShard))
}

func (d *movesLife) open(shards int, watch ...string) (*Router, *client) {
	r := d.router(d.store, shards)
	c := newClient(r, watch...)
	c.use("mail")
	return r, c
}

// In liveDeadLetters jobs go because they were released once too often.
func liveDeadLetters(t *testing.T, shards, jobs int) *movesLife {
	d := newMovesLife(shards)
	r, c := d.open(shards, "mail")
	for range jobs {
		d.has(c.put(1, 60))
	}
	for range jobs {
		d.finishSome(t, c, c.letDie(t))
	}
	end(t, r, c)
	return d
}

// In liveBackAndForth a job goes to and fro: each time it comes to a log in which it was before.
func liveBackAndForth(t *testing.T, shards, times int) *movesLife {
	d := newMovesLife(shards)
	there, back := farPolicy(d.far)("mail"), farPolicy("mail")("mail")
	d.rules = func(tube string) *policy.Policy { return map[string]*policy.Policy{"mail": there, d.far: back}[tube] }
	r, c := d.open(shards, "mail", d.far)
	id := c.put(1, 60)
	d.has(id)
	for range times {
		if got := c.letDie(t); got != id {
			t.Fatalf("got job %d", got)
		}
	}
	end(t, r, c)
	return d
}

// In liveMoved a client moves jobs: one is ready, one delayed, one buried, and so on.
func liveMoved(t *testing.T, shards, jobs int) *movesLife {
	d := newMovesLife(shards)
	d.budget = 1 // bodies are read from the log to be taken elsewhere
	d.rules, d.state = nil, func(id uint64) string { return []string{"ready", "delayed", "buried"}[(id-1)%3] }
	r, c := d.open(shards)
	for i := range jobs {
		op := aPut(body)
		if i%3 == 1 {
			op.Delay = 1000
		}
		id := c.run(c.UsedShard(), op, true).ID
		if i%3 == 2 {
			c.run(c.UsedShard(), queue.Op{Kind: queue.ReserveJob, ID: id}, true)
			c.run(c.UsedShard(), queue.Op{Kind: queue.Bury, ID: id, Pri: 1}, true)
		}
		d.has(id)
	}
	for i, n := range []int{1, jobs} {
		if l := c.move("mail", d.far, n); l.Status != queue.OK || l.Altered.Done != []int{1, jobs - 1}[i] ||
			l.Altered.Full+l.Altered.Not > 0 {
			t.Fatalf("%v, %+v", l.Status, l.Altered)
		}
	}
	for id := range uint64(jobs) {
		d.finishSome(t, c, id+1)
	}
	end(t, r, c)
	return d
}

// fits says that a job may be where it was found.
func (d *movesLife) fits(id uint64, where string) bool {
	tube, state, _ := strings.Cut(where, " ")
	if tube != "mail" && tube != d.far {
		return false
	}
	return d.state == nil || state == d.state(id) || where == "mail ready" && d.state(id) == "buried"
}

// check opens what a crash has left, and looks for each job. It returns which are there.
func (d *movesLife) check(t *testing.T, left *cutStore, first, shards int, sure bool) (there map[uint64]bool) {
	t.Helper()
	for life := range 2 {
		r := d.router(left, shards)
		c := newClient(r)
		r.settle(c)
		end(t, r, c)
		wrong := func(format string, args ...any) {
			t.Helper()
			t.Fatalf("after %d turns, %d shards, life %d: "+format, append([]any{first, shards, life}, args...)...)
		}
		for i, s := range r.states {
			if err := s.Sound(); err != nil {
				wrong("shard %d: %v", i, err)
			}
		}
		there = map[uint64]bool{}
		for id, put := range d.put {
			where := r.found(t, id)
			there[id] = where != ""
			switch {
			case there[id] && !d.fits(id, where):
				wrong("job %d is in %q", id, where)
			case sure && !there[id] && put <= first && (d.begun[id] == 0 || d.begun[id] >= first):
				wrong("job %d is lost", id)
			case sure && there[id] && d.finished[id] != 0 && d.finished[id] <= first:
				wrong("job %d is back in %s", id, where)
			}
		}
		n := 0
		for _, l := range left.logs {
			n += len(l.Jobs)
		}
		if known := r.ids.last.Load(); n > int(known) {
			wrong("the logs have %d copies of %d jobs", n, known)
		}
	}
	return there
}

// Whatever turn a crash comes after, each job that goes to another shard is there once, in the state that it had, and
// none that was finished comes back: also if the number of shards changes with the restart (TR2, TR1).
func TestMovesSurviveCrashes(t *testing.T) {
	for _, d := range []*movesLife{liveDeadLetters(t, 3, 6), liveMoved(t, 1, 6), liveMoved(t, 2, 6), liveMoved(t, 3, 6),
		liveBackAndForth(t, 2, 7)} {
		for first := range len(d.store.turns) + 1 {
			for _, shards := range []int{3, 1, 2, 5} {
				d.check(t, d.store.cut(first, nil), first, shards, true)
			}
		}
	}
}

// Where logs are synced from time to time, a power cut takes the end of each of them, but for what was made
// secure: a job may be in an older place, and is not lost and not there twice.
func TestMovesSurvivePowerCuts(t *testing.T) {
	liveDeadLetters(t, 3, 4).cutPower(t)
	liveMoved(t, 3, 6).cutPower(t)
}

// cutPower tries all ends that one of three logs may have.
func (d *movesLife) cutPower(t *testing.T) {
	t.Helper()
	for first := range len(d.store.turns) + 1 {
		for shard := range 3 {
			turns, secure := 0, 0
			for _, turn := range d.store.turns[:first] {
				if turn.shard == shard && turn.secure {
					secure = turns
				} else if turn.shard == shard {
					turns++
				}
			}
			for most := secure; most < turns; most++ {
				left := d.store.cut(first, map[int]int{shard: most})
				d.check(t, left, first, 3, false)
				d.notLost(t, left, first, shard)
			}
		}
	}
}

// notLost looks for jobs whose put no power cut has taken, and that nobody can have finished.
func (d *movesLife) notLost(t *testing.T, left *cutStore, first, cut int) {
	t.Helper()
	for id, put := range d.put {
		if cut == ShardOf("mail", 3) || put > first || d.begun[id] != 0 {
			continue
		}
		n := 0
		for _, l := range left.logs {
			for key := range l.Jobs {
				if storage.IDOf(key) == id {
					n++
				}
			}
		}
		if n != 1 {
			t.Fatalf("after %d turns, of shard %d fewer: %d copies of job %d", first, cut, n, id)
		}
	}
}

// A job that is too old ends if it is to go to a tube of another shard that is full: nobody tries for ever.
func TestAgedJobsAtAFullTube(t *testing.T) {
	const shards = 2
	far := afar("mail", shards)
	rules := map[string]*policy.Policy{
		"mail": {Expire: 1, Expired: policy.ExpiryDie, DeadLetter: policy.FateTube, DeadTube: far},
		far:    {Most: policy.Amount{1}},
	}
	r := must.Get(New(Options{Shards: shards, Store: newCutStore(shards), PolicyFor: func(tube string) *policy.Policy {
		return rules[tube]
	}}))
	c := newClient(r, "mail", far)
	c.use("mail")
	first := c.put(1, 60)
	for c.tube(far).Ready == 0 {
	}
	id := c.put(1, 60)
	for known := true; known; _, known = r.Owner(id) {
		c.tube("mail") // it has a turn
	}
	r.settle(c)
	if n := c.tube(far); n.Ready != 1 || r.movers[ShardOf("mail", shards)].TriesAgain() {
		t.Errorf("there are %+v, and somebody tries again", n)
	}
	if list, ok := r.Been(t.Context(), first); !ok || len(list) != 1 || list[0].From != "mail" ||
		list[0].Why != queue.ForAge {
		t.Errorf("the first one has been in %+v", list)
	}
	end(t, r, c)
}
