package shard

import (
	"testing"

	"beanfield/storage"
)

// hurtBench has some jobs, of which every odd one has a body that cannot be read.
func hurtBench(t *testing.T, n uint64) *client {
	b := newAwayBench(t, 1)
	b.log.hurt = map[uint64]bool{}
	c := b.client()
	for id := uint64(1); id <= n; id++ {
		c.do("put %d abc", id)
		b.log.hurt[id] = id%2 == 1
	}
	return c
}

// A worker that reserves and deletes comes past all jobs that are whole, and never
// meets one that is damaged.
func TestWorkersPassDamagedJobs(t *testing.T) {
	c := hurtBench(t, 6)
	c.says("poll; delete 2", "2 abc; ok")
	c.says("poll; delete 4", "4 abc; ok")
	c.says("poll; delete 6", "6 abc; ok")
	c.says("poll", "timeout")
	c.says("totals", "buried:3 damaged:3")
}

// A waiter that is given a job whose body is damaged, or missing, is told once, and then gets
// the next.
func TestWaitersPassDamagedJobs(t *testing.T) {
	for _, damage := range []error{storage.ErrUnreadable, storage.ErrNoBody} {
		producer := hurtBench(t, 0)
		b, worker := producer.b, producer.b.client()
		for _, c := range []struct {
			put, want string
			broken    error
		}{{"put 1 abc", "lost", damage}, {"put 2 abc", "abc", nil}} {
			b.log.broken = c.broken
			worker.says("reserve", "waiting")
			producer.do("%s", c.put)
			b.expect(damage.Error(), (<-worker.wakes).body, c.want)
		}
		worker.says("totals", "reserved:1 buried:1 damaged:1")
	}
}

// A damaged job is shown to nobody, and others can look at the next; it can be
// tried again, taken by its id, and deleted.
func TestDamagedJobIsDealtWith(t *testing.T) {
	c := hurtBench(t, 2)
	c.says("peek-ready", "2 abc")
	c.says("totals", "ready:1 buried:1 damaged:1")
	c.says("peek 1", "failed")
	c.says("peek-buried", "failed")
	c.says("reserve-job 1", "failed")
	c.says("totals", "ready:1 buried:1 damaged:1")
	c.says("kick-job 1; totals", "ok; ready:2")
	c.says("poll", "2 abc")
	c.says("totals", "reserved:1 buried:1 damaged:1")
	c.b.log.hurt[1] = false // the disk has come to its senses
	c.says("kick-job 1; poll", "ok; 1 abc")
	c.b.log.hurt[2] = true
	c.says("delete 1; release 2", "ok; ok")
	c.says("poll", "timeout")
	c.says("delete 2; totals", "ok; ")
}
