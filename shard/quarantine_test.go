package shard

import (
	"bytes"
	"testing"

	"beanfield/shard/queue"
	"beanfield/storage"
)

// hurtShard has jobs 1 to n, of which every odd one has a body that cannot be read.
func hurtShard(t *testing.T, n uint64) (*Shard, *awayLog, *caller) {
	t.Helper()
	sh, log := newAwayShard(t, 1)
	log.hurt = map[uint64]bool{}
	c := newCaller(sh)
	for id := uint64(1); id <= n; id++ {
		c.ask(sh, putOp(id, "abcdefgh"))
		log.hurt[id] = id%2 == 1
	}
	return sh, log, c
}

func (c *caller) sums(t *testing.T, sh *Shard, want queue.Sums) {
	t.Helper()
	got := c.ask(sh, queue.Op{Kind: queue.Totals}).Sums
	got.Urgent, got.Total = 0, 0
	if got != want {
		t.Errorf("there are %+v, want %+v", got, want)
	}
	if err := sh.state.Sound(); err != nil {
		t.Error(err)
	}
}

// A worker that reserves and deletes comes past all jobs that are whole, and never
// meets one that is damaged.
func TestWorkersPassDamagedJobs(t *testing.T) {
	sh, _, c := hurtShard(t, 10)
	for id := uint64(2); id <= 10; id += 2 {
		b := c.ask(sh, queue.Op{Kind: queue.Reserve, Poll: true}, queue.Op{Kind: queue.Delete, ID: id})
		if r := &b.Ops[0]; r.Status != queue.OK || r.ID != id || string(bytes.Join(r.Parts, nil)) != "abcdefgh" {
			t.Errorf("reserve ends with %v, job %d, want job %d", r.Status, r.ID, id)
		}
		if b.Ops[1].Status != queue.OK {
			t.Errorf("delete of job %d ends with %v", id, b.Ops[1].Status)
		}
	}
	if b := c.ask(sh, queue.Op{Kind: queue.Reserve, Poll: true}); b.Ops[0].Status != queue.TimedOut {
		t.Errorf("the last reserve ends with %v, job %d", b.Ops[0].Status, b.Ops[0].ID)
	}
	c.sums(t, sh, queue.Sums{Buried: 5, Damaged: 5})
}

// A waiter that is given a job whose body is damaged, or missing, is told once, and then gets
// the next.
func TestWaitersPassDamagedJobs(t *testing.T) {
	for _, damage := range []error{storage.ErrUnreadable, storage.ErrNoBody} {
		sh, log, producer := hurtShard(t, 0)
		worker := newCaller(sh)
		for i, want := range []string{"lost", "abcdefgh"} {
			log.broken = nil
			if want == "lost" {
				log.broken = damage
			}
			if b := worker.ask(sh, queue.Op{Kind: queue.Reserve}); b.Ops[0].Status != queue.Waiting {
				t.Fatalf("%v: the worker does not wait: %v", damage, b.Ops[0].Status)
			}
			producer.ask(sh, putOp(uint64(i+1), "abcdefgh"))
			if got := <-worker.woke; got != want {
				t.Errorf("%v: with job %d the waiter is told %q, want %q", damage, i+1, got, want)
			}
		}
		worker.sums(t, sh, queue.Sums{Reserved: 1, Buried: 1, Damaged: 1})
	}
}

// A damaged job is shown to nobody, and others can look at the next; it can be
// tried again, taken by its id, and deleted.
func TestDamagedJobIsDealtWith(t *testing.T) {
	sh, log, c := hurtShard(t, 2)
	status := func(op queue.Op, want queue.Status) *queue.Op {
		t.Helper()
		b := c.ask(sh, op)
		if b.Ops[0].Status != want {
			t.Errorf("operation %d ends with %v, want %v", op.Kind, b.Ops[0].Status, want)
		}
		return &b.Ops[0]
	}
	if got := status(queue.Op{Kind: queue.PeekReady}, queue.OK); got.ID != 2 {
		t.Errorf("job %d is shown", got.ID)
	}
	quarantined := queue.Sums{Ready: 1, Buried: 1, Damaged: 1}
	c.sums(t, sh, quarantined)
	status(queue.Op{Kind: queue.Peek, ID: 1}, queue.Failed)
	status(queue.Op{Kind: queue.PeekBuried}, queue.Failed)
	status(queue.Op{Kind: queue.ReserveJob, ID: 1}, queue.Failed)
	c.sums(t, sh, quarantined)
	status(queue.Op{Kind: queue.KickJob, ID: 1}, queue.OK)
	c.sums(t, sh, queue.Sums{Ready: 2})
	if got := status(queue.Op{Kind: queue.Reserve, Poll: true}, queue.OK); got.ID != 2 {
		t.Errorf("job %d is reserved", got.ID)
	}
	c.sums(t, sh, queue.Sums{Reserved: 1, Buried: 1, Damaged: 1})
	log.hurt[1] = false // the disk has come to its senses
	status(queue.Op{Kind: queue.KickJob, ID: 1}, queue.OK)
	if got := status(queue.Op{Kind: queue.Reserve, Poll: true}, queue.OK); got.ID != 1 {
		t.Errorf("job %d is reserved", got.ID)
	}
	log.hurt[2] = true
	status(queue.Op{Kind: queue.Delete, ID: 1}, queue.OK)
	status(queue.Op{Kind: queue.Release, ID: 2}, queue.OK)
	status(queue.Op{Kind: queue.Reserve, Poll: true}, queue.TimedOut)
	status(queue.Op{Kind: queue.Delete, ID: 2}, queue.OK)
	c.sums(t, sh, queue.Sums{})
}
