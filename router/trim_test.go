package router

import (
	"fmt"
	"testing"
	"unsafe"

	"beanfield/shard/queue"
)

// held is how many bytes of memory a session keeps for its next call.
func (s *Session) held() int {
	b := &s.script.batch
	n := cap(s.script.steps)*int(unsafe.Sizeof(step{})) + cap(b.Ops)*int(unsafe.Sizeof(queue.Op{})) + cap(
		b.Bytes) + cap(s.small)
	for _, k := range s.script.steps {
		if v := k.op.Several; v != nil {
			n += 8 * cap(v.IDs)
		}
	}
	return n
}

// watchAll has a client watch a tube of each shard, and returns their names.
func watchAll(r *Router, c *client) (names []string) {
	has := map[int]bool{}
	for i := 0; len(has) < len(r.shards); i++ {
		name := fmt.Sprintf("t%d", i)
		if shard := r.TubeShard([]byte(name)); !has[shard] {
			has[shard] = true
			names = append(names, name)
			c.Finish(c.Watch([]byte(name)))
		}
	}
	return names
}

// Whatever a session has done over many shards, when it is idle or waits it
// keeps less than two kilobytes for its next call.
func TestTrim(t *testing.T) {
	r := newRouterOf(64)
	defer r.Close()
	worker, producer := newClient(r), newClient(r)
	names := watchAll(r, worker)
	trim := func(when string) {
		t.Helper()
		before := worker.held()
		if worker.Trim(); worker.held() > 2<<10 {
			t.Errorf("%s: a session keeps %d bytes, had %d", when, worker.held(), before)
		}
	}
	large := func(when string) {
		t.Helper()
		if worker.held() < 4<<10 {
			t.Errorf("%s: a session over 64 shards has used %d bytes only: nothing is tested", when, worker.held())
		}
	}
	worker.Finish(worker.Reserve(true))
	large("a reserve that finds nothing")
	trim("a reserve that finds nothing")

	worker.Finish(worker.CountAll(nil))
	large("stats")
	trim("stats")

	worker.Finish(worker.Reserve(false))
	if !worker.Waiting() {
		t.Fatal("it does not wait")
	}
	large("a wait")
	trim("a wait")
	producer.use(names[40])
	id := producer.put(1, 60)
	if !worker.Delivered() {
		t.Fatal("no job has come")
	}
	trim("a delivery that has come")
	worker.Finish(worker.EndWait())
	if res := worker.Reservation; res.Status != queue.OK || res.ID != id || string(res.Small) != string(body) {
		t.Errorf("the wait ended with %+v", res)
	}
	large("the end of a wait")
	trim("the end of a wait")
}

// A session of few shards keeps what it has: its next reserve allocates nothing.
func TestTrimOfFewShards(t *testing.T) {
	r := newRouterOf(3)
	defer r.Close()
	worker := newClient(r)
	watchAll(r, worker)
	reserve := func() {
		worker.Finish(worker.Reserve(true))
		worker.Trim()
	}
	reserve()
	if n := testing.AllocsPerRun(100, reserve); n != 0 {
		t.Errorf("a reserve over 3 shards allocates %v times", n)
	}
}

// After a command for a thousand jobs it does not keep their ids.
func TestKeepsNoList(t *testing.T) {
	r := newRouterOf(3)
	defer r.Close()
	c, ids := newClient(r), make([]uint64, 1000)
	c.use("t")
	for i := range ids {
		ids[i] = c.put(1, 60)
	}
	c.Finish(c.DoSeveral(queue.Op{Kind: queue.DeleteSeveral}, ids, nil))
	if d := c.Did(); d.Done != len(ids) {
		t.Errorf("it has done %+v", d)
	}
	if n := c.held(); n > 2<<10 {
		t.Errorf("it keeps %d bytes", n)
	}
}
