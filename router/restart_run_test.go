package router

import (
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"beanfield/shard/queue"
	"beanfield/shard/queue/naive"
	"beanfield/shard/queue/policy"
	"beanfield/storage"
	"beanfield/storage/pebblestore"
	"beanfield/storage/pebblestore/powercut"
)

// restartRun is one run: several lives of a router over one disk.
type restartRun struct {
	t       testing.TB
	seed    uint64
	seen    *restartSeen
	dice    *rand.Rand
	disk    *powercut.Disk
	router  *Router
	model   *restartModel
	clients []*restartClient
	joined  int
	ahead   int64 // of the calendar
	budget  int64
	mode    storage.SyncMode
	holding bool // syncs wait until the power cut

	mu         sync.Mutex // of what is being submitted
	submitting submission
	applied    chan struct{} // rung when a turn has come further with that
	policies   map[string]*policy.Policy
	termed     bool // puts say more than plain ones can, and come with their ids
	interred   int  // jobs that purges had ended when the router was opened
}

var restartTubes = []string{"default", "a", "b", "c", "d", "e", "a tube with a longer name", "a;rear", "b;rear"}

func newRestartRun(t testing.TB, seed uint64) *restartRun {
	d := rand.New(rand.NewPCG(seed, 2))
	run := &restartRun{t: t, seed: seed, dice: d, disk: powercut.NewDisk(), applied: make(chan struct{}, 1)}
	run.mode = []storage.SyncMode{storage.Always, storage.Always, storage.Always, storage.Interval,
		storage.Never}[d.IntN(5)]
	if d.IntN(2) == 0 {
		run.budget = int64(1 + d.IntN(400))
	}
	run.termed = d.IntN(2) == 0
	run.rule()
	return run
}

// fatalf fails the test, and says what was done.
func (run *restartRun) fatalf(format string, args ...any) {
	run.t.Helper()
	run.release()
	trail := run.model.trail
	run.t.Fatalf("seed %d, sync mode %d, budget %d, %d shards: %s\nwhat was done:\n%s", run.seed, run.mode, run.budget,
		len(run.model.logs),
		fmt.Sprintf(format, args...), strings.Join(trail[max(0, len(trail)-80):], "\n"))
}

func (run *restartRun) must(err error) {
	run.t.Helper()
	if err != nil {
		run.fatalf("%v", err)
	}
}

// release lets syncs go on that wait.
func (run *restartRun) release() {
	if run.holding {
		run.disk.Release()
		run.holding = false
	}
}

// synced says that an answer means that the disk has it.
func (run *restartRun) synced() bool { return run.mode == storage.Always }

// now is the moment on the test's calendar.
func (run *restartRun) now() int64 {
	return run.router.base.UnixNano() + run.router.Now() + run.ahead
}

// open starts a router on the disk as it is.
func (run *restartRun) open(shards int) {
	store := pebblestore.New(pebblestore.Options{
		Dir: "data", FS: run.disk.FS(), Sync: run.mode, SyncEvery: time.Hour,
		CacheBytes: 1 << 20, MaxOpenFiles: 100, Ballast: -1, MinFree: -1,
		Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	budget := run.budget
	if budget > 0 {
		budget = max(budget, int64(shards))
	}
	o := Options{Shards: shards, Budget: budget,
		Store: wrapped{store, func(i int, l storage.Log) storage.Log {
			return restartDates{l, run.ahead, func() { run.turned(i) }}
		}},
		PolicyFor: func(tube string) *policy.Policy { return run.policies[tube] }}
	// what is purged lasts
	c := queue.Config{LeastPurge: []int{0, 1, 1, 3}[run.dice.IntN(4)], PurgeShare: -1 - run.dice.IntN(2)}
	r, err := newRouter(o, c, newShard)
	run.must(err)
	run.router, run.interred = r, 0
	for i, s := range r.states {
		run.ask(i, queue.Op{Kind: queue.Totals}) // after what the shard had to do first
		run.interred += s.Figures().Interred
	}
}

// turned notes how far a turn came with the batch that was submitted. From then
// on, and until it is answered, the batch is the shard's.
func (run *restartRun) turned(shard int) {
	run.mu.Lock()
	defer run.mu.Unlock()
	if s := &run.submitting; s.batch != nil && s.shard == shard && s.batch.Next > s.reached {
		s.reached = s.batch.Next
		select {
		case run.applied <- struct{}{}:
		default:
		}
	}
}

// submission is a batch that is submitted to a shard, and how far its turns have come.
type submission struct {
	batch   *queue.Batch
	shard   int
	reached int
}

// submit submits a batch, and says how far its first turn has come. A shard that nobody else uses runs that in place.
// But its own goroutine may have it just then, to see whether something is due; then this waits.
func (run *restartRun) submit(shard int, b *queue.Batch, submit func() bool) (reached int, done bool) {
	from := b.Next
	run.mu.Lock()
	run.submitting = submission{b, shard, from}
	run.mu.Unlock()
	done = submit()
	for {
		run.mu.Lock()
		reached = run.submitting.reached
		if reached > from || done {
			run.submitting = submission{}
			run.mu.Unlock()
			return reached, done
		}
		run.mu.Unlock()
		<-run.applied
	}
}

// live is one life: clients join, and do what the dice say.
func (run *restartRun) live() {
	run.clients = nil
	for range 1 + run.dice.IntN(5) {
		run.join()
	}
	steps := 5 + run.dice.IntN(60)
	hold := steps // never
	if run.synced() && run.dice.IntN(3) > 0 {
		hold = run.dice.IntN(steps + 1)
	}
	for n := range steps {
		if n == hold {
			run.disk.Hold()
			run.holding = true
		}
		run.step()
	}
}

func (run *restartRun) join() {
	run.joined++
	c := &restartClient{run: run, name: fmt.Sprintf("client %d", run.joined), number: run.model.Join()}
	c.Enter(run.router)
	c.Finish(c.Open())
	run.clients = append(run.clients, c)
	for range run.dice.IntN(3) {
		run.move(c)
	}
}

// step lets one client do something.
func (run *restartRun) step() {
	c := run.clients[run.dice.IntN(len(run.clients))]
	if c.poll(); !c.idle() {
		return
	}
	if run.holding { // only what need not be waited for
		run.batch(c)
		return
	}
	switch n := run.dice.IntN(100); {
	case n < 4:
		run.clients = slices.DeleteFunc(run.clients, func(d *restartClient) bool { return c == d })
		c.leave()
		run.join()
	case n < 14:
		run.move(c)
	case n < 24:
		run.reserve(c)
	default:
		run.batch(c)
	}
}

// move changes the tubes of a client.
func (run *restartRun) move(c *restartClient) {
	name := []byte(restartTubes[run.dice.IntN(len(restartTubes))])
	switch run.dice.IntN(3) {
	case 0:
		c.Finish(c.Use(name))
	case 1:
		c.Finish(c.Watch(name))
	default:
		done, _ := c.Ignore(name)
		c.Finish(done)
	}
}

// reserve is one that may wait, or asks several shards.
func (run *restartRun) reserve(c *restartClient) {
	op := queue.Op{Kind: queue.Reserve, Poll: run.dice.IntN(2) == 0}
	if c.ReserveInPlace(nil) {
		c.begin(c.WatchShard(), op)
		return
	}
	before := run.now()
	c.Finish(c.Reserve(op.Poll))
	run.model.at(before, run.now())
	want := run.model.apply(c, &op)
	run.model.endTurn(run)
	c.reserved(want)
}

// batch sends a few operations for one shard at once.
func (run *restartRun) batch(c *restartClient) {
	used, m := c.UsedShard(), run.model
	i := used
	if jobs := m.jobs(func(*naive.Job) bool { return true }); len(jobs) > 0 && run.dice.IntN(2) == 0 {
		i = m.shardOf(jobs[run.dice.IntN(len(jobs))].Tube)
	}
	here := m.jobs(func(j *naive.Job) bool { return m.shardOf(j.Tube) == i })
	held := m.jobs(func(j *naive.Job) bool { return m.shardOf(j.Tube) == i && j.Holder == c.number })
	var ops []queue.Op
	c.altering = nil
	most := 6
	if run.holding {
		most = 1 // a small turn may outlive the cut without its sync
	}
	for range 1 + run.dice.IntN(most) {
		switch n := run.dice.IntN(100); {
		case n < 35 && i == used:
			ops = append(ops, run.putWith(c))
		case n < 40 && c.ReserveInPlace(nil) && c.WatchShard() == i:
			ops = append(ops, queue.Op{Kind: queue.Reserve, Poll: true})
		case n < 43 && i == used && run.dice.IntN(2) == 0:
			op := queue.Op{Kind: queue.Truncate, Data: []byte(c.Used())}
			if of := slices.Sorted(maps.Keys(truncated)); run.dice.IntN(3) == 0 {
				op.States = of[run.dice.IntN(len(of))]
			}
			ops = append(ops, op)
		case n < 50 && i == used:
			ops = append(ops, queue.Op{Kind: queue.Kick, Limit: uint32(run.dice.IntN(3))})
		case n < 75 && len(held) > 0:
			ops = append(ops, run.about(held, queue.Delete, queue.Release, queue.Release, queue.Bury, queue.Bury,
				queue.Touch))
		case n < 78 && len(here) > 0:
			ops = append(ops, run.alterSome(c, i, here)...)
		case n < 82 && len(here) > 0:
			ops = append(ops, run.aboutSeveral(append(held, here...)))
		case len(here) > 0:
			ops = append(ops, run.about(here, queue.Delete, queue.ReserveJob, queue.ReserveJob, queue.KickJob,
				queue.StatsJob, queue.Release, queue.Bury))
		}
	}
	if len(ops) > 0 {
		c.begin(i, ops...)
	}
}

// about is an operation on one of some jobs.
func (run *restartRun) about(jobs []*naive.Job, kinds ...queue.Kind) queue.Op {
	op := queue.Op{Kind: kinds[run.dice.IntN(len(kinds))], ID: jobs[run.dice.IntN(len(jobs))].ID}
	if op.Kind == queue.Release || op.Kind == queue.Bury {
		op.Pri, op.Delay = uint32(run.dice.IntN(4)), run.delay()
	}
	return op
}

// aboutSeveral is one on several of them, some perhaps twice.
func (run *restartRun) aboutSeveral(jobs []*naive.Job) queue.Op {
	op := run.about(jobs, queue.Release, queue.Bury, queue.Delete, queue.Touch)
	op.Kind = map[queue.Kind]queue.Kind{
		queue.Release: queue.ReleaseSeveral, queue.Bury: queue.BurySeveral, queue.Delete: queue.DeleteSeveral,
		queue.Touch: queue.TouchSeveral,
	}[op.Kind]
	op.ID, op.Several = 0, new(queue.Several)
	for range run.dice.IntN(6) {
		op.Several.IDs = append(op.Several.IDs, jobs[run.dice.IntN(len(jobs))].ID)
	}
	return op
}

// delay is none, or one that is over, if the dice say so, after some restart.
func (run *restartRun) delay() uint32 {
	if run.dice.IntN(3) > 0 {
		return 0
	}
	return uint32(1000 * (1 + run.dice.IntN(30)))
}

func (run *restartRun) put(c *restartClient) queue.Op {
	n := run.dice.IntN(60)
	if run.dice.IntN(10) == 0 {
		n = run.dice.IntN(4000)
	}
	body := make([]byte, n)
	for i := range body {
		body[i] = byte('a' + run.dice.IntN(26))
	}
	id := uint64(0)
	if run.termed || run.dice.IntN(2) == 0 {
		id = c.NewID()
		run.model.last = id
	}
	tube := "" // the one in use, named or not
	if run.dice.IntN(4) == 0 {
		tube = c.Used()
	}
	return queue.Op{
		Kind: queue.Put, Tube: tube, ID: id, Data: body, Size: uint32(n),
		Pri: uint32(run.dice.IntN(4)), Delay: run.delay(), TTR: uint32(1e6 + run.dice.IntN(100)),
	}
}

// end closes everything that is open.
func (run *restartRun) end() {
	for _, c := range run.clients {
		c.leave()
	}
	run.must(run.router.Close())
}
