package router

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"beanfield/shard/queue"
)

// A put that waits for room goes the way of a reserve that waits: the session's gate decides how it ends.

// putAndWait puts a job, and waits for room if there is none.
var putAndWait = deed{plain, func(a *actor) { a.putAndWait() }}

func (p *player) putAndWait() {
	op := queue.Op{Kind: queue.Put, TTR: 100, Size: 1, Data: []byte("x"), Options: &queue.Options{TTR: 100 * second, Timeout: second}}
	p.result = queue.Waiting
	p.submit(p.UsedShard(), op, true, func(op *queue.Op) {
		if p.result = op.Status; op.Status == queue.Waiting {
			p.room = true
			p.BeginWait()
		}
	})
}

// limitTo gives the world's server a limit, and has its shards told at once when there may be room.
func (w *world) limitTo(jobs int64) {
	r := w.bed.r
	r.limits.quota.ring = r.roomAgain
	r.SetLimits(queue.Amount{queue.BoundJobs: jobs})
}

// rooms has each leaf find so many puts made of those of some actors, and as many jobs as the limits say, which count right.
func (w *world) rooms(least, most int, putters ...*actor) {
	w.leaf = func() error {
		made := 0
		for _, a := range putters {
			switch a.result {
			case queue.OK:
				made++
			case queue.Waiting, queue.TimedOut, queue.NoRoom:
			default:
				return fmt.Errorf("%s is answered %v", a.name, a.result)
			}
		}
		jobs, _ := w.bed.jobs()
		if used := w.bed.r.Quota().Used()[queue.BoundJobs]; made < least || made > most || used != int64(jobs) {
			return fmt.Errorf("%d puts are made, there are %d jobs, and %d are counted", made, jobs, used)
		}
		return nil
	}
}

var roomScenarios = []scenario{
	{"a put waits, its time ends, and a job is deleted", 2, false, func(w *world, d *bed) {
		w.limitTo(1)
		w.producer(d.tube(0, 0), put).now(1)
		w.rooms(0, 1, w.add("waiter", d.tube(1, 0), nil, putAndWait, cancel))
		w.add("remover", "", nil, removeNth(1)).mute = true
	}},
	{"a put waits, and a job of another shard is deleted", 2, false, func(w *world, d *bed) {
		w.limitTo(1)
		w.producer(d.tube(0, 0), put).now(1)
		w.rooms(1, 1, w.add("waiter", d.tube(1, 0), nil, putAndWait))
		w.add("remover", "", nil, removeNth(1)).mute = true
	}},
	{"two puts wait in different shards for one place", 2, false, func(w *world, d *bed) {
		w.limitTo(1)
		w.producer(d.tube(0, 0), put).now(1)
		first := w.add("first", d.tube(0, 0), nil, putAndWait)
		w.rooms(1, 1, first, w.add("second", d.tube(1, 0), nil, putAndWait))
		w.add("remover", "", nil, removeNth(1)).mute = true
	}},
	{"the first of two hangs up while a job is deleted", 1, false, func(w *world, d *bed) {
		w.limitTo(1)
		w.producer(d.tube(0, 0), put).now(1)
		first := w.add("first", d.tube(0, 0), nil, putAndWait, hangUp).now(1)
		second := w.add("second", d.tube(0, 0), nil, putAndWait).now(1)
		w.rooms(0, 1, second)
		w.add("remover", "", nil, removeNth(1)).mute = true
		_ = first
	}},
	{"the first of two gives up while a job is deleted, and another one", 1, false, func(w *world, d *bed) {
		w.limitTo(2)
		w.producer(d.tube(0, 0), put, put).now(2)
		first := w.add("first", d.tube(0, 0), nil, putAndWait, cancel).now(1)
		second := w.add("second", d.tube(0, 0), nil, putAndWait).now(1)
		w.rooms(1, 2, first, second)
		w.add("remover", "", nil, removeNth(1), removeNth(2)).mute = true
	}},
}

// In any order of the steps a put that waits is made or given up, never both, and no room is overlooked (RW2).
func TestEveryInterleavingOfPutsThatWait(t *testing.T) {
	exploreAll(t, roomScenarios, []exploreMode{{}, {late: true}}, false)
}

// Many clients on all shards wait for little room, and some give up at once. Never is there more than there may be, and
// everybody who waits on is served in the end: a wake-up that was lost would be one for ever.
func TestPutsWaitOverShards(t *testing.T) {
	const most, putters, rounds = 3, 6, 400
	r := newRouterOf(t, 5)
	r.SetLimits(queue.Amount{queue.BoundJobs: most})
	ids := make(chan uint64, most+1)
	over := make(chan struct{})
	close(over)
	var live, waited, gaveUp atomic.Int64
	var all, deleters sync.WaitGroup
	for i := range putters {
		all.Go(func() {
			c := newClient(r)
			defer c.close()
			c.use(fmt.Sprint("tube", i))
			dice := rand.New(rand.NewPCG(2, uint64(i)))
			for range rounds {
				op := *c.run(c.UsedShard(), queue.Op{Kind: queue.Put, TTR: 60, Size: 1, Data: []byte("x"), Options: &queue.Options{TTR: 60 * second, Timeout: second}}, true)
				if op.Status == queue.Waiting {
					var stop chan struct{}
					if dice.IntN(3) == 0 {
						stop = over
					}
					c.BeginWait()
					op.ID, _ = c.await(stop)
					op.Status = c.Reservation.Status
					waited.Add(1)
				}
				switch op.Status {
				case queue.OK:
					if n := live.Add(1); n > most {
						t.Errorf("there are %d jobs", n)
					}
					ids <- op.ID
				case queue.TimedOut:
					gaveUp.Add(1)
				default:
					t.Errorf("a put is answered %v", op.Status)
				}
			}
		})
	}
	for range 2 {
		deleters.Go(func() {
			c := newClient(r)
			defer c.close()
			for id := range ids {
				if live.Add(-1); !c.delete(id) {
					t.Errorf("job %d is not there", id)
				}
			}
		})
	}
	all.Wait()
	close(ids)
	deleters.Wait()
	if used := r.Quota().Used(); used != (queue.Amount{}) || waited.Load() == 0 {
		t.Errorf("%v are counted, %d puts have waited, %d of them gave up", used, waited.Load(), gaveUp.Load())
	}
	mustBeEmpty(t, r)
}
