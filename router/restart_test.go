package router

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"beanfield/shard/queue"
	"beanfield/shard/queue/naive"
)

var (
	restartRuns = flag.Int("restart.runs", 1000, "how many runs with restarts are tried")
	restartSeed = flag.Uint64("restart.seed", 0, "the one seed that they try, if not 0")
)

// TestRestartsAgainstAModel is L1 and L2 for the whole of router, shard and
// storage: random commands of several sessions over one to nine shards, then a
// power cut that takes some of what was not synced, or a clean stop; then
// another start, perhaps with another number of shards. What it finds must be,
// shard by shard, the state after some turn: the last that was acknowledged, or
// a later one.
func TestRestartsAgainstAModel(t *testing.T) {
	if *restartSeed != 0 {
		restartOnce(t, *restartSeed, new(restartSeen))
		return
	}
	n := *restartRuns
	if testing.Short() || raced {
		n /= 5
	}
	seen := new(restartSeen)
	t.Run("runs", func(t *testing.T) {
		for seed := uint64(1); seed <= uint64(n); seed++ {
			t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
				t.Parallel()
				restartOnce(t, seed, seen)
			})
		}
	})
	t.Logf("%d restarts: %d jobs recovered, %d turns not acknowledged at a cut, of which %d were found, %d changes of the number of shards, %d peeks given back",
		seen.restarts.Load(), seen.jobs.Load(), seen.open.Load(), seen.found.Load(), seen.moved.Load(), seen.back.Load())
	t.Logf("found again: %d views, %d passed jobs, %d dead letters of views, %d buried ones, %d with a note, %d taken back",
		seen.views.Load(), seen.passed.Load(), seen.fated.Load(), seen.buried.Load(), seen.noted.Load(), seen.returned.Load())
	if n >= 1000 && min(seen.views.Load(), seen.passed.Load(), seen.fated.Load(), seen.buried.Load(), seen.returned.Load()) < 5 {
		t.Error("the groups did not meet what they are for")
	}
	if n >= 200 && min(seen.views.Load(), seen.passed.Load(), seen.fated.Load(), seen.noted.Load(), seen.returned.Load()) == 0 {
		t.Error("the groups did not meet what every run of the tests is for")
	}
	if n >= 20 && (seen.jobs.Load() == 0 || seen.open.Load() == 0 || seen.found.Load() == 0 || seen.moved.Load() == 0) {
		t.Error("the runs did not meet what they are for")
	}
	if n >= 1000 && seen.back.Load() == 0 {
		t.Error("no job was deleted while its body was being read")
	}
}

// restartSeen counts what the runs have met.
type restartSeen struct {
	restarts, jobs, open, found, moved, back      atomic.Int64
	views, passed, fated, noted, returned, buried atomic.Int64 // of groups
}

// note counts what a start has found of groups.
func (seen *restartSeen) note(m *restartModel) {
	for _, q := range m.Services {
		seen.views.Add(int64(len(q.Views)))
	}
	add := func(n *atomic.Int64, yes bool) {
		if yes {
			n.Add(1)
		}
	}
	for _, j := range m.Jobs {
		returned := j.Returns > 0
		for _, p := range j.Parts {
			returned = returned || p.Returns > 0
		}
		add(&seen.passed, j.State == naive.Passed)
		add(&seen.fated, j.Fated)
		add(&seen.noted, j.Code != "")
		add(&seen.returned, returned)
		add(&seen.buried, j.State == naive.Buried && j.Code != "")
	}
}

func restartOnce(t *testing.T, seed uint64, seen *restartSeen) {
	run := newRestartRun(seed)
	shards := 1 + run.dice.IntN(9)
	fail := func(err error) {
		if err == nil {
			return
		}
		trail := run.model.trail
		t.Fatalf("seed %d, sync mode %d, budget %d, %d shards: %v\nwhat was done:\n%s", seed, run.mode, run.budget, shards, err,
			strings.Join(trail[max(0, len(trail)-80):], "\n"))
	}
	run.model = newRestartModel(shards, map[uint64]restartRecord{}, naive.New())
	fail(run.open(shards))
	for range 3 {
		fail(run.live())
		fail(run.stop(seed))
		before := shards
		if run.dice.IntN(2) == 0 {
			shards = 1 + run.dice.IntN(9)
		}
		// Delays are whole thousands of seconds: so none ends during a life.
		run.ahead += (1000*run.dice.Int64N(20) + 300) * 1e9
		fail(run.open(shards))
		fail(run.compare(before, shards, seen))
	}
	fail(run.drain())
	seen.back.Add(int64(run.back))
	fail(run.router.Close())
}

// stop ends a life, in order or by a power cut.
func (run *restartRun) stop(seed uint64) error {
	m := run.model
	if !run.holding && run.dice.IntN(4) == 0 {
		if err := run.end(); err != nil {
			return err
		}
		for _, l := range m.logs {
			l.safe = l.turns
		}
		// A clean stop has synced everything.
		run.disk = run.disk.Cut(0, nil)
		return nil
	}
	if err := run.ripen(); err != nil {
		if run.holding {
			run.disk.Release()
		}
		return err
	}
	at := make([]restartLog, len(m.logs)) // as of now: what comes later is on the old disk only
	for i, l := range m.logs {
		at[i] = *l
	}
	known := m.known
	cut := run.disk.Cut(run.dice.IntN(101), rand.New(rand.NewPCG(seed, 3)))
	if run.holding {
		run.disk.Release()
	}
	if err := run.end(); err != nil {
		return err
	}
	for i := range at {
		*m.logs[i] = at[i]
	}
	m.known, run.disk = known, cut
	if !run.synced() {
		m.known = 0 // an id may be lost with its job
	}
	return nil
}

// ripen takes the answers that have come. While syncs are held it may also wait
// until something has been written that only lacks its sync.
func (run *restartRun) ripen() error {
	wait := run.holding && run.dice.IntN(4) > 0
	for {
		flying := false
		for _, c := range run.clients {
			if err := c.poll(); err != nil {
				return err
			}
			flying = flying || c.flying
		}
		if !wait || !flying || run.disk.Waiting() > 0 {
			return nil
		}
		runtime.Gosched()
	}
}

// compare holds what a start has found against what the logs may say, and lets
// the model go on from there.
func (run *restartRun) compare(before, shards int, seen *restartSeen) error {
	m := run.model
	if last := run.router.ids.last.Load(); last < m.known {
		return fmt.Errorf("ids go on after %d, but %d has been given out", last, m.known)
	}
	found, window, err := run.observe()
	if err != nil {
		return err
	}
	all := map[uint64]restartRecord{}
	for i, l := range m.logs {
		here := maps.Clone(found)
		maps.DeleteFunc(here, func(_ uint64, o restartFound) bool { return m.shardOf(o.info.Tube) != i })
		turn, state, err := l.match(here, window)
		if err != nil {
			return fmt.Errorf("shard %d of %d: %w", i, before, err)
		}
		seen.open.Add(int64(l.turns - l.safe))
		seen.found.Add(int64(turn - l.safe))
		maps.Copy(all, state)
	}
	next := newRestartModel(shards, all, restored(begun(all, found)))
	next.known, next.last = m.known, run.router.ids.last.Load()
	for _, j := range next.Jobs {
		next.known = max(next.known, j.ID)
	}
	next.trail = append(m.trail, fmt.Sprintf("restart: %d shards instead of %d", shards, before))
	seen.note(next)
	seen.restarts.Add(1)
	seen.jobs.Add(int64(len(found)))
	if before != shards {
		seen.moved.Add(1)
	}
	run.model = next
	return nil
}

// match looks for the turn that has led to what was found.
func (l *restartLog) match(found map[uint64]restartFound, window [2]int64) (int, map[uint64]restartRecord, error) {
	var why error
	for turn := l.safe; turn <= l.turns; turn++ {
		state := l.after(turn)
		err := l.differ(state, found, window)
		if err == nil {
			return turn, state, nil
		}
		if why == nil {
			why = fmt.Errorf("turn %d was acknowledged, but: %w", turn, err)
		}
	}
	return 0, nil, fmt.Errorf("%w\n(and nothing later, up to turn %d, agrees either)", why, l.turns)
}

func (l *restartLog) differ(state map[uint64]restartRecord, found map[uint64]restartFound, window [2]int64) error {
	for id := range found {
		if _, ok := state[id]; !ok {
			return fmt.Errorf("job %d is there: %+v", id, found[id].info)
		}
	}
	for id, v := range state {
		o, ok := found[id]
		if !ok {
			return fmt.Errorf("job %d is missing: %+v", id, v.job)
		}
		if err := o.is(&v, window); err != nil {
			return err
		}
	}
	return differGroups(state, found)
}

// drain empties the last life's router: so the order of the buried jobs shows.
func (run *restartRun) drain() error {
	run.clients = nil
	if err := run.join(); err != nil {
		return err
	}
	c := run.clients[0]
	for _, tube := range restartTubes {
		if err := c.complete(c.session.Use([]byte(tube))); err != nil {
			return err
		}
		for run.model.First(naive.Buried, tube) != nil {
			ops := []queue.Op{{Kind: queue.PeekBuried}, {Kind: queue.Kick, Limit: 1}}
			if err := c.begin(c.session.UsedShard(), ops); err != nil {
				return err
			}
			if err := c.settle(); err != nil {
				return err
			}
		}
	}
	if err := run.drainGroups(c); err != nil {
		return err
	}
	return c.leave()
}
