package router

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"beanfield/shard/queue"
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

// deadLetters is a life in which jobs of the tube mail become dead letters, and go to the tube far. Each is either
// put and left there, or finished there. It says when each was put and finished, as numbers of turns.
type deadLetters struct {
	store    *cutStore
	far      string
	ids      []uint64
	put      []int // the turn after which it was acknowledged
	begun    []int // the turn before the first in which it may have been finished; 0 if it never was
	finished []int
	states   []string // each job's, one after the other; nil: all are ready
}

func farPolicy(far string) func(string) *queue.Policy {
	p := &queue.Policy{MaxDeliveries: 1, DeadLetter: queue.FateTube, DeadTube: far}
	return func(tube string) *queue.Policy {
		if tube == "mail" {
			return p
		}
		return nil
	}
}

func (d *deadLetters) turns() int {
	d.store.mu.Lock()
	defer d.store.mu.Unlock()
	return len(d.store.turns)
}

func liveDeadLetters(t *testing.T, shards, jobs int) *deadLetters {
	d := &deadLetters{store: newCutStore(shards), far: afar("mail", shards)}
	r := must.Get(New(Options{Shards: shards, Store: d.store, PolicyFor: farPolicy(d.far)}))
	c := newClient(r, "mail", d.far)
	c.use("mail")
	for range jobs {
		d.ids = append(d.ids, c.put(1, 60))
		d.put, d.begun, d.finished = append(d.put, d.turns()), append(d.begun, 0), append(d.finished, 0)
	}
	for range jobs {
		id, status := c.begin(true)
		if status != queue.OK {
			t.Fatalf("reserve: %v", status)
		}
		c.run(r.TubeShard([]byte("mail")), queue.Op{Kind: queue.Release, ID: id, Pri: 1}, true)
		r.settle(c)
		if n := c.tube(d.far); n.Ready != 0 && id%2 == 0 {
			i := int(id - d.ids[0])
			d.begun[i] = d.turns()
			c.run(r.TubeShard([]byte(d.far)), queue.Op{Kind: queue.Delete, ID: id}, true)
			d.finished[i] = d.turns()
		}
	}
	c.close()
	must.Do(t, r.Close())
	return d
}

// state is what a job was put as, and is wherever it is.
func (d *deadLetters) state(i int) string {
	if d.states == nil {
		return "ready"
	}
	return d.states[i%len(d.states)]
}

// check opens what a crash has left, and looks for each job.
func (d *deadLetters) check(t *testing.T, left *cutStore, first, shards int, sure bool) {
	t.Helper()
	for life := range 2 {
		r := must.Get(New(Options{Shards: shards, Store: left, PolicyFor: farPolicy(d.far)}))
		c := newClient(r)
		r.settle(c)
		c.close()
		must.Do(t, r.Close())
		for i, s := range r.states {
			if err := s.Check(); err != nil {
				t.Errorf("after %d turns, %d shards, life %d: shard %d: %v", first, shards, life, i, err)
			}
		}
		for i, id := range d.ids {
			where := r.found(t, id)
			switch {
			case where != "" && where != "mail "+d.state(i) && where != d.far+" "+d.state(i) && (where != "mail ready" || d.state(i) != "buried"):
				t.Errorf("after %d turns, %d shards, life %d: job %d is in %q", first, shards, life, id, where)
			case sure && where == "" && d.put[i] <= first && (d.begun[i] == 0 || d.begun[i] >= first):
				t.Errorf("after %d turns, %d shards, life %d: job %d is lost", first, shards, life, id)
			case sure && where != "" && d.finished[i] != 0 && d.finished[i] <= first:
				t.Errorf("after %d turns, %d shards, life %d: job %d is back in %s", first, shards, life, id, where)
			}
		}
		n := 0
		for _, l := range left.logs {
			n += len(l.Jobs)
		}
		if known := r.ids.last.Load(); n > int(known) {
			t.Errorf("after %d turns, %d shards: the logs have %d copies of %d jobs", first, shards, n, known)
		}
		if t.Failed() {
			t.FailNow()
		}
	}
}

// Whatever turn a crash comes after, each dead letter is there once, and none that was finished comes back:
// also if the number of shards changes with the restart (TR2; State.Check: TR1).
func TestMovesSurviveCrashes(t *testing.T) {
	d := liveDeadLetters(t, 3, 6)
	if n := len(d.store.turns); n < 4*6 {
		t.Fatalf("only %d turns", n)
	}
	for first := range len(d.store.turns) + 1 {
		for _, shards := range []int{3, 1, 2, 5} {
			d.check(t, d.store.cut(first, nil), first, shards, true)
		}
	}
}

// Where logs are synced from time to time, a power cut takes the end of each of them, but for what was made
// secure: a job may be in an older place, and is not lost and not there twice.
func TestMovesSurvivePowerCuts(t *testing.T) {
	liveDeadLetters(t, 3, 4).cutPower(t)
}

// cutPower tries all ends that one of three logs may have.
func (d *deadLetters) cutPower(t *testing.T) {
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
func (d *deadLetters) notLost(t *testing.T, left *cutStore, first, cut int) {
	t.Helper()
	for i, id := range d.ids {
		if cut == ShardOf("mail", 3) || d.put[i] > first || d.begun[i] != 0 {
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

// A job goes back and forth: each time it comes to a log in which it was before.
func TestMovesBackAndForth(t *testing.T) {
	const shards = 2
	far := afar("mail", shards)
	there := &queue.Policy{MaxDeliveries: 1, DeadLetter: queue.FateTube, DeadTube: far}
	back := &queue.Policy{MaxDeliveries: 1, DeadLetter: queue.FateTube, DeadTube: "mail"}
	store := newCutStore(shards)
	rules := func(tube string) *queue.Policy {
		return map[string]*queue.Policy{"mail": there, far: back}[tube]
	}
	r := must.Get(New(Options{Shards: shards, Store: store, PolicyFor: rules}))
	c := newClient(r, "mail", far)
	c.use("mail")
	id := c.put(1, 60)
	for range 7 {
		got, status := c.begin(true)
		if got != id || status != queue.OK {
			t.Fatalf("got job %d, %v", got, status)
		}
		owner, _ := r.Owner(id)
		c.run(owner, queue.Op{Kind: queue.Release, ID: id, Pri: 1}, true)
		r.settle(c)
	}
	c.close()
	must.Do(t, r.Close())
	for first := range len(store.turns) + 1 {
		for _, n := range []int{2, 1, 3} {
			left := store.cut(first, nil)
			r := must.Get(New(Options{Shards: n, Store: left, PolicyFor: rules}))
			c := newClient(r)
			r.settle(c)
			c.close()
			must.Do(t, r.Close())
			if where := r.found(t, id); (where == "") != (first == 0) {
				t.Fatalf("after %d turns, with %d shards: the job is in %q", first, n, where)
			}
		}
	}
}

// Many dead letters go to other shards, while workers take them there.
func TestManyMoves(t *testing.T) {
	const jobs = 20_000
	const shards = 4
	far := afar("mail", shards)
	r := must.Get(New(Options{Shards: shards, Store: storage.Memory(), PolicyFor: farPolicy(far)}))
	c := newClient(r, "mail")
	c.use("mail")
	dice := rand.New(rand.NewPCG(1, 2))
	for range jobs {
		c.put(uint32(dice.IntN(3)), 60)
	}
	w := newClient(r, far)
	got := map[uint64]bool{}
	for range jobs {
		id, status := c.begin(true)
		if status != queue.OK {
			t.Fatalf("reserve: %v", status)
		}
		c.run(r.TubeShard([]byte("mail")), queue.Op{Kind: queue.Release, ID: id, Pri: 1}, true)
	}
	for range jobs {
		id, ok := w.reserve(nil)
		if !ok || got[id] {
			t.Fatalf("job %d came again", id)
		}
		if got[id] = true; !w.delete(id) {
			t.Fatalf("job %d cannot be deleted where it came", id)
		}
	}
	c.close()
	w.close()
	mustBeEmpty(t, r)
}

// A job that is too old ends if it is to go to a tube of another shard that is full: nobody tries for ever.
func TestAgedJobsAtAFullTube(t *testing.T) {
	const shards = 2
	far := afar("mail", shards)
	rules := map[string]*queue.Policy{
		"mail": {Expire: 1, Expired: queue.ExpiryDie, DeadLetter: queue.FateTube, DeadTube: far},
		far:    {MaxJobs: 1},
	}
	r := must.Get(New(Options{Shards: shards, Store: newCutStore(shards), PolicyFor: func(tube string) *queue.Policy { return rules[tube] }}))
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
	if list, ok := r.Been(t.Context(), first); !ok || len(list) != 1 || list[0].From != "mail" || list[0].Why != queue.ForAge {
		t.Errorf("the first one has been in %+v", list)
	}
	c.close()
	must.Do(t, r.Close())
}
