package router

import (
	"fmt"
	"testing"

	"beanfield/shard/queue"
	"beanfield/shard/queue/policy"
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

// Jobs of all states come to the other shard as they were, or as the client wants them; those that somebody
// holds stay.
func TestMoveToAnotherShard(t *testing.T) {
	far := afar("mail", 3)
	r := newRouterOf(3)
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
	if l := c.move("mail", far, 0, ids[0], held, 9999, ids[1], ids[0]); l.Altered != (Altered{Done: 2, Not: 3}) ||
		l.Next != (Place{}) {
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
	return must.Get(New(Options{Shards: shards, Store: newCutStore(shards),
		PolicyFor: func(tube string) *policy.Policy {
			if tube == bounded {
				return &policy.Policy{Most: policy.Amount{int64(jobs)}}
			}
			return nil
		}}))
}

// A full tube takes no more than it may. The others come home, with their keys, and as they were, whatever they were to
// become there; the answer says so.
func TestMoveToAFullTube(t *testing.T) {
	for _, shards := range []int{1, 3} {
		far := afar("mail", 3)
		r := bounding(shards, far, 3)
		c := newClient(r, "mail")
		c.use("mail")
		put := func(key string) *queue.Op {
			return c.putWith(body, &queue.Options{TTR: 60e9, Key: []byte(key)})
		}
		for i := range 10 {
			put(fmt.Sprint(i))
		}
		delayed := c.run(c.UsedShard(), queue.Op{Kind: queue.Put, Delay: 1000, Size: 1, Data: []byte("x")}, true).ID
		for _, as := range []queue.JobState{0, queue.Buried, queue.Ready} {
			l := &Listing{Filter: queue.Filter{Tube: "mail", States: unheld}, Most: 100, Alter: &queue.Altering{To: far,
				As: as}}
			want := Altered{Full: 8}
			if as == 0 {
				want.Done = 3
			}
			if c.Finish(c.Alter(l, nil)); l.Altered != want || l.Status != queue.OK {
				t.Errorf("%d shards, as %v: %+v", shards, as, l.Altered)
			}
			c.run(r.TubeShard([]byte("mail")), queue.Op{Kind: queue.StatsJob, ID: delayed}, false)
			info := c.batch.Jobs[0]
			if n, m := c.tube("mail"), c.tube(far); n.Ready != 7 || n.Delayed != 1 || m.Ready != 3 ||
				info.TimeLeft < 900 || info.Delay != 1000 {
				t.Errorf("%d shards, as %v: %+v, %+v, %+v", shards, as, n, m, info)
			}
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
		end(t, r, c)
	}
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
	end(t, r, c)
}
