package router

import (
	"fmt"
	"testing"

	"beanfield/shard/queue"
	"beanfield/storage"
	"beanfield/storage/must"
)

// unheld are the states in which nobody holds a job.
var unheld = queue.States(0).With(queue.Ready).With(queue.Delayed).With(queue.Buried)

// move moves jobs of a tube to another, at most so many or those with some ids, and says how that went.
func (c *client) move(from, to string, most int, ids ...uint64) *Listing {
	l := &Listing{Filter: queue.Filter{Tube: from, States: unheld}, Most: most, Alter: &queue.Altering{To: to}}
	c.Finish(c.Alter(l, ids))
	return l
}

// liveMoved is a life in which a client moves the jobs of mail to another shard. Some it finishes there. One is
// ready, one delayed, one buried, and so on.
func liveMoved(t *testing.T, shards, jobs int) *deadLetters {
	d := &deadLetters{store: newCutStore(shards), far: afar("mail", max(2, shards))}
	r := must.Get(New(Options{Shards: shards, Store: d.store}))
	c := newClient(r, "mail", d.far)
	c.use("mail")
	shard := r.TubeShard([]byte("mail"))
	for i := range jobs {
		op := queue.Op{Kind: queue.Put, Pri: 1, TTR: 60, Size: uint32(len(body)), Data: body}
		if i%3 == 1 {
			op.Delay = 1000
		}
		id := c.run(c.UsedShard(), op, true).ID
		if i%3 == 2 {
			c.run(shard, queue.Op{Kind: queue.ReserveJob, ID: id}, true)
			c.run(shard, queue.Op{Kind: queue.Bury, ID: id, Pri: 1}, true)
		}
		d.ids = append(d.ids, id)
		d.put, d.begun, d.finished = append(d.put, d.turns()), append(d.begun, 0), append(d.finished, 0)
	}
	for i, n := range []int{1, jobs} {
		if l := c.move("mail", d.far, n); l.Status != queue.OK || l.Altered.Done != []int{1, jobs - 1}[i] || l.Altered.Full+l.Altered.Not > 0 {
			t.Fatalf("%v, %+v", l.Status, l.Altered)
		}
	}
	for i, id := range d.ids {
		if id%2 == 0 {
			d.begun[i] = d.turns()
			if !c.delete(id) {
				t.Fatalf("job %d cannot be deleted", id)
			}
			d.finished[i] = d.turns()
		}
	}
	c.close()
	must.Do(t, r.Close())
	return d
}

// Whatever turn a crash comes after, each job that a client has moved is there once, in the state that it had,
// whether or not the number of shards changes with the restart.
func TestClientsMovesSurviveCrashes(t *testing.T) {
	for _, shards := range []int{1, 2, 3} {
		d := liveMoved(t, shards, 6)
		d.states = []string{"ready", "delayed", "buried"}
		for first := range len(d.store.turns) + 1 {
			for _, after := range []int{3, 1, 2, 5} {
				d.check(t, d.store.cut(first, nil), first, after, true)
			}
		}
	}
}

// Likewise if a power cut takes the end of one log that is synced from time to time.
func TestClientsMovesSurvivePowerCuts(t *testing.T) {
	d := liveMoved(t, 3, 6)
	d.states = []string{"ready", "delayed", "buried"}
	d.cutPower(t)
}

// Jobs of all states come to the other shard as they were, or as the client wants them; those that somebody
// holds stay.
func TestMoveToAnotherShard(t *testing.T) {
	far := afar("mail", 3)
	r := newRouterOf(t, 3)
	c := newClient(r, "mail")
	c.use("mail")
	held := c.put(0, 60)
	if id, _ := c.begin(true); id != held {
		t.Fatal(id)
	}
	var ids []uint64
	for range 2000 {
		ids = append(ids, c.put(1, 60))
	}
	if l := c.move("mail", far, 0, ids[0], held, 9999, ids[1], ids[0]); l.Altered != (Altered{Done: 2, Not: 3}) || l.Next != (Place{}) {
		t.Errorf("%+v", l.Altered)
	}
	l := c.move("mail", far, 500)
	if l.Altered != (Altered{Done: 500}) || l.Next == (Place{}) {
		t.Errorf("%+v, %+v", l.Altered, l.Next)
	}
	if l = c.move("mail", far, 5000); l.Altered != (Altered{Done: 1498}) || l.Next != (Place{}) {
		t.Errorf("%+v, %+v", l.Altered, l.Next)
	}
	if n := c.tube(far); n.Ready != 2000 || n.Total != 2000 {
		t.Errorf("%+v", n)
	}
	if l = c.move(far, "mail", 5000, ids[7]); l.Altered != (Altered{Done: 1}) {
		t.Errorf("%+v", l.Altered)
	}
	if n := c.tube("mail"); n.Ready != 1 || n.Reserved != 1 {
		t.Errorf("%+v", n)
	}
	if l = c.move("none", far, 5000); l.Status != queue.NotFound {
		t.Error(l.Status)
	}
	c.close()
	w := newClient(r, far, "mail")
	for range 2001 {
		id, ok := w.reserve(nil)
		if !ok || !w.delete(id) {
			t.Fatal(id, ok)
		}
	}
	w.close()
	mustBeEmpty(t, r)
}

// bounding makes a router with a tube that may have so many jobs.
func bounding(shards int, bounded string, jobs int) *Router {
	return must.Get(New(Options{Shards: shards, Store: newCutStore(shards), PolicyFor: func(tube string) *queue.Policy {
		if tube == bounded {
			return &queue.Policy{MaxJobs: jobs}
		}
		return nil
	}}))
}

// A full tube takes no more than it may: the others come home, with their keys, and the answer says so.
func TestMoveToAFullTube(t *testing.T) {
	for _, shards := range []int{1, 3} {
		far := afar("mail", 3)
		r := bounding(shards, far, 3)
		c := newClient(r, "mail")
		c.use("mail")
		put := func(key string) *queue.Op {
			return c.run(c.UsedShard(), queue.Op{Kind: queue.Put, TTR: 60, Size: 1, Data: []byte("x"), Options: &queue.Options{TTR: 60e9, Key: []byte(key)}}, true)
		}
		for i := range 10 {
			put(fmt.Sprint(i))
		}
		if l := c.move("mail", far, 100); l.Altered != (Altered{Done: 3, Full: 7}) || l.Status != queue.OK {
			t.Errorf("%d shards: %+v", shards, l.Altered)
		}
		if n, m := c.tube("mail"), c.tube(far); n.Ready != 7 || m.Ready != 3 {
			t.Errorf("%d shards: %d, %d", shards, n.Ready, m.Ready)
		}
		taken := 0
		for i := range 10 {
			if put(fmt.Sprint(i)).Status == queue.Exists {
				taken++
			}
		}
		if taken != 7 {
			t.Errorf("%d shards: %d keys are taken", shards, taken)
		}
		c.close()
		must.Do(t, r.Close())
	}
}

// What a full tube does not take is as it was, whatever it was to become there.
func TestMoveToAFullTubeChangesNothing(t *testing.T) {
	for _, shards := range []int{1, 3} {
		far := afar("mail", 3)
		r := bounding(shards, far, 1)
		c := newClient(r, "mail")
		c.use(far)
		c.put(1, 60)
		c.use("mail")
		c.put(1, 60)
		delayed := c.run(c.UsedShard(), queue.Op{Kind: queue.Put, TTR: 60, Delay: 1000, Size: uint32(len(body)), Data: body}, true).ID
		for _, as := range []queue.JobState{queue.Buried, queue.Ready} {
			l := &Listing{Filter: queue.Filter{Tube: "mail", States: unheld}, Most: 10, Alter: &queue.Altering{To: far, As: as}}
			if c.Finish(c.Alter(l, nil)); l.Altered != (Altered{Full: 2}) {
				t.Errorf("%d shards: %+v", shards, l.Altered)
			}
			c.run(r.TubeShard([]byte("mail")), queue.Op{Kind: queue.StatsJob, ID: delayed}, false)
			info := c.batch.Jobs[0]
			if n := c.tube("mail"); n.Ready != 1 || n.Delayed != 1 || info.TimeLeft < 900 || info.Delay != 1000 {
				t.Errorf("%d shards, as %v: %+v, %+v", shards, as, n, info)
			}
		}
		c.close()
		must.Do(t, r.Close())
	}
}

// Clients that move the same jobs back and forth, while another reserves, releases and deletes, lose none and have
// none twice.
func TestManyMoveAtOnce(t *testing.T) {
	const jobs, rounds = 300, 40
	far := afar("mail", 4)
	r := must.Get(New(Options{Shards: 4, Store: storage.Memory()}))
	c := newClient(r, "mail")
	c.use("mail")
	for range jobs {
		c.put(1, 60)
	}
	ended := make(chan int)
	for i := range 3 {
		go func() {
			m := newClient(r)
			for n := range rounds {
				from, to := "mail", far
				if (i+n)%2 == 0 {
					from, to = to, from
				}
				if l := m.move(from, to, 100); l.Status != queue.OK && l.Status != queue.NotFound {
					t.Error(l.Status)
				}
			}
			m.close()
			ended <- 0
		}()
	}
	go func() {
		got := 0
		w := newClient(r, "mail", far)
		for range rounds {
			id, status := w.begin(true)
			if status != queue.OK {
				continue
			}
			if owner, _ := r.Owner(id); got%2 == 0 {
				w.run(owner, queue.Op{Kind: queue.Release, ID: id, Pri: 1}, true)
			} else if !w.delete(id) {
				t.Errorf("job %d is another's", id)
			}
			got++
		}
		w.close()
		ended <- got / 2
	}()
	deleted := 0
	for range 4 {
		deleted += <-ended
	}
	if n, m := c.tube("mail"), c.tube(far); n.Ready+m.Ready != jobs-deleted {
		t.Errorf("%d and %d jobs are left of %d, of which %d have been deleted", n.Ready, m.Ready, jobs, deleted)
	}
	c.close()
	for i := range r.states {
		must.Do(t, r.inOrder(i))
	}
	must.Do(t, r.Close())
}

// Who hangs up in the middle of a move stops no job: the session ends when they have arrived.
func TestMoverHangsUp(t *testing.T) {
	far := afar("mail", 2)
	r := newRouterOf(t, 2)
	c := newClient(r, "mail")
	c.use("mail")
	for range 50 {
		c.put(1, 60)
	}
	m := newClient(r)
	l := &Listing{Filter: queue.Filter{Tube: "mail", States: unheld}, Most: 50, Alter: &queue.Altering{To: far}}
	m.Finish(m.Alter(l, nil)) // as a connection does that has been closed meanwhile
	m.close()
	if n := c.tube(far); n.Ready != 50 {
		t.Errorf("%+v", n)
	}
	c.close()
	must.Do(t, r.Close())
}

// A log that fails ends the wait of whoever moves jobs there, and those that are moved later.
func TestMoveToAFailedLog(t *testing.T) {
	r, c := newBreakable(0)
	for range 2 {
		c.put(1, 60)
		if l := c.move(DefaultTube, afar(DefaultTube, 2), 10); l.Status != queue.Failed {
			t.Errorf("%v, %+v", l.Status, l.Altered)
		}
	}
	if n := c.tube(DefaultTube); n.Ready != 0 {
		t.Errorf("%+v", n)
	}
	c.close()
	must.Do(t, r.Close())
}
