package router

import (
	"testing"

	"beanfield/shard/queue"
	"beanfield/shard/queue/policy"
)

// several are the worlds of reserves of several jobs.
var several = []scenario{
	{"one takes two of three, and another one of them", 2, true, `
		producer 0.0: put:5! put!
		producer 1.0: put:7!
		several 0.0 1.0: take:2
		one 0.0 1.0: poll`},
	{"two take several", 2, true, `
		producer 0.0: put:5! put!
		producer 1.0: put:7!
		first 0.0 1.0: take:2
		second 0.0 1.0: take:2`},
	{"a wait for several, and puts at both shards", 2, false, `
		waiter 0.0 1.0: several:3!
		producer 0.0: put
		producer 1.0: put`},
	{"a hang-up in the middle", 2, false, `
		producer 0.0: put!
		several 0.0 1.0: several:3 hang-up
		producer 1.0: put`},
	{"a hang-up of one that waits", 2, true, `
		several 0.0 1.0: several:3! hang-up
		other 0.0 1.0: reserve!
		producer 0.0: put`},
	{"a timeout against puts at both shards", 2, true, `
		several 0.0 1.0: several:2! cancel take:1
		producer 0.0: put
		producer 1.0: put`},
	{"what is offered is deleted", 2, true, `
		producer 0.0: put!
		several 0.0 1.0: several:2
		remover: delete:1
		producer 1.0: put`},
	{"a wait in one shard, whose other tube gets a job too", 1, false, `
		several 0.0 0.1: several:3 cancel
		producer 0.0: put
		producer 0.1: put`},
}

var (
	red, large = queue.MakeTags(map[string]string{"colour": "red"}), queue.MakeTags(map[string]string{"size": "large"})
	largeRed   = queue.MakeTags(map[string]string{"colour": "red", "size": "large"})
)

// tagged are the worlds of reserves that ask for tags.
var tagged = []scenario{
	{"a job with the tag and one without, at both shards", 2, true, `
		asker 0.0 1.0: several:1:red
		producer 0.0: put
		producer 1.0: put:5:100:red`},
	{"a waiter, and jobs with its tags at both shards", 2, true, `
		asker 0.0 1.0: several:1:red! cancel
		producer 0.0: put:5:100:large put:5:100:red
		producer 1.0: put:5:100:both`},
	{"two that ask for other tags, and a job with both", 2, true, `
		first 0.0 1.0: several:1:red!
		second 0.0 1.0: several:1:large!
		producer 0.0: put:5:100:both
		producer 1.0: put:5:100:large`},
	{"one asks and another takes any job, in one tube", 1, false, `
		asker 0.0: several:1:red
		any 0.0: reserve!
		producer 0.0: put:5:100:red put`},
	{"a hang-up of the first, another behind it asks for the same", 2, true, `
		first 0.0 1.0: several:1:red! hang-up
		second 0.0 1.0: several:1:red!
		producer 1.0: put:5:100:red`},
	{"a pause ends a tube for one that asks, and a put elsewhere", 2, true, `
		producer 0.0: put:5:100:red! pause:0.0:100!
		asker 0.0 1.0: several:1:red!
		producer 1.0: pause:0.0:0 put:5:100:red`},
	{"one asks for the first time, and jobs come and go", 1, false, `
		producer 0.0: put:5:100:red! put!
		asker 0.0 0.1: several:1:red
		producer 0.1: delete:1 put:5:100:red
		producer 0.0: put:5:100:large`},
}

// A put that waits for room goes the way of a reserve that waits: the session's gate decides how it ends.

// limitTo gives the world's server a limit, and has its shards told at once when there may be room.
func (w *world) limitTo(jobs int64) {
	r := w.bed.r
	r.limits.quota.ring = r.roomAgain
	r.SetLimits(policy.Amount{policy.BoundJobs: jobs})
}

var roomScenarios = []scenario{
	{"a put waits, its time ends, and a job is deleted", 2, false, `
		limit 1
		producer 0.0: put!
		putter 1.0: put-wait cancel
		remover: delete:1
		rooms 0 1`},
	{"a put waits, and a job of another shard is deleted", 2, false, `
		limit 1
		producer 0.0: put!
		putter 1.0: put-wait
		remover: delete:1
		rooms 1 1`},
	{"two puts wait in different shards for one place", 2, false, `
		limit 1
		producer 0.0: put!
		putter 0.0: put-wait
		putter 1.0: put-wait
		remover: delete:1
		rooms 1 1`},
	{"the first of two hangs up while a job is deleted", 1, false, `
		limit 1
		producer 0.0: put!
		putter 0.0: put-wait! hang-up
		putter 0.0: put-wait!
		remover: delete:1
		rooms 0 1`},
	{"the first of two gives up while a job is deleted, and another one", 1, false, `
		limit 2
		producer 0.0: put! put!
		putter 0.0: put-wait! cancel
		putter 0.0: put-wait!
		remover: delete:1 delete:2
		rooms 1 2`},
}

// What is claimed is no worse than the worst that was chosen: if others take a job of a shard meanwhile, its next one
// stays.
func TestSeveralClaimNoFurther(t *testing.T) {
	d := newBed(2)
	w := d.begin()
	w.tell("producer 0.0: put:5! put:7!\nproducer 1.0: put:6!")
	p := d.newPlayer("several").watchOnly(both(d)...)
	d.shards[0].ran = func(b *queue.Batch) {
		if b.Ops[0].Kind == queue.OfferSeveral {
			d.shards[0].ask(queue.Op{Kind: queue.Delete, ID: w.first + 1})
		}
	}
	if p.ReserveSeveral(2, nil, true); len(p.Several.Jobs) != 1 || p.Several.Jobs[0].Pri != 6 {
		t.Errorf("reserved are %+v", p.Several.Jobs)
	}
	p.close()
}
