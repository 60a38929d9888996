package router

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"

	"beanfield/shard/queue"
	"beanfield/shard/queue/naive"
	"beanfield/storage/effort"
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
		restartOnce(t, *restartSeed, newRestartSeen())
		return
	}
	n := *restartRuns
	if effort.Brief() {
		n /= 32
	}
	if effort.Raced {
		n /= 3
	}
	seen := newRestartSeen()
	t.Run("runs", func(t *testing.T) {
		for seed := uint64(1); seed <= uint64(n); seed++ {
			t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
				t.Parallel()
				restartOnce(t, seed, seen)
			})
		}
	})
	t.Logf("%v", seen.n)
	for _, what := range []string{"turns open at a cut", "of which were found", "changes of the number of shards",
		"ended by a purge", "jobs with options", "keys", "too old"} {
		if n >= 31 && seen.n[what] == 0 {
			t.Errorf("the runs did not meet what they are for: %s", what)
		}
	}
}

// restartSeen counts what the runs have met.
type restartSeen struct {
	mu sync.Mutex
	n  map[string]int
}

func newRestartSeen() *restartSeen { return &restartSeen{n: map[string]int{}} }

func (seen *restartSeen) add(what string, n int) {
	seen.mu.Lock()
	defer seen.mu.Unlock()
	seen.n[what] += n
}

// note counts what a start has found.
func (seen *restartSeen) note(m *restartModel) {
	seen.add("keys", len(m.Keys))
	seen.add("jobs", len(m.Jobs))
	for _, j := range m.Jobs {
		if j.Said != nil {
			seen.add("jobs with options", 1)
		}
	}
}

func restartOnce(t *testing.T, seed uint64, seen *restartSeen) {
	run := newRestartRun(t, seed)
	run.seen = seen
	shards := 1 + run.dice.IntN(9)
	run.model = newRestartModel(shards, map[uint64]restartRecord{}, naive.New())
	run.model.Policies = run.policies
	run.open(shards)
	for range 3 {
		run.live()
		run.stop()
		before := shards
		if run.dice.IntN(2) == 0 {
			shards = 1 + run.dice.IntN(9)
		}
		// Delays are whole thousands of seconds: so none ends during a life.
		run.ahead += 1000 * run.dice.Int64N(20) * second
		run.ahead += []int64{90, 300}[run.dice.IntN(2)] * second // the name of a put is known for 300
		run.open(shards)
		seen.add("ended by a purge", run.interred)
		if !run.compare(before, shards, seen) {
			seen.add("unclear", 1)
			run.must(run.router.Close())
			return
		}
	}
	run.drain()
	run.must(run.router.Close())
}

// stop ends a life, in order or by a power cut.
func (run *restartRun) stop() {
	m := run.model
	if !run.holding && run.dice.IntN(4) == 0 {
		run.end()
		for _, l := range m.logs {
			l.safe = l.turns
		}
		// A clean stop has synced everything.
		run.disk = run.disk.Cut(0, nil)
		return
	}
	run.ripen()
	at := make([]restartLog, len(m.logs)) // as of now: what comes later is on the old disk only
	for i, l := range m.logs {
		at[i] = *l
	}
	known := m.known
	cut := run.disk.Cut(run.dice.IntN(101), rand.New(rand.NewPCG(run.seed, 3)))
	run.release()
	run.end()
	for i := range at {
		*m.logs[i] = at[i]
	}
	m.known, run.disk = known, cut
	if !run.synced() {
		m.known = 0 // an id may be lost with its job
	}
}

// ripen takes the answers that have come. While syncs are held it may also wait
// until something has been written that only lacks its sync.
func (run *restartRun) ripen() {
	wait := run.holding && run.dice.IntN(4) > 0
	for {
		flying := false
		for _, c := range run.clients {
			c.poll()
			flying = flying || c.flying
		}
		if !wait || !flying || run.disk.Waiting() > 0 {
			return
		}
		runtime.Gosched()
	}
}

// compare holds what a start has found against what the logs may say, and lets
// the model go on from there. It reports false if nobody can tell where that is.
func (run *restartRun) compare(before, shards int, seen *restartSeen) (clear bool) {
	m := run.model
	if last := run.router.ids.last.Load(); last < m.known {
		run.fatalf("ids go on after %d, but %d has been given out", last, m.known)
	}
	found, window := run.observe()
	all := map[uint64]restartRecord{}
	for i, l := range m.logs {
		here := maps.Clone(found)
		maps.DeleteFunc(here, func(id uint64, o restartFound) bool { return m.shardOf(o.info.Tube) != i })
		turns, err := l.match(here, window)
		if err != nil {
			run.fatalf("shard %d of %d: %v", i, before, err)
		}
		state := l.after(turns[0])
		if slices.ContainsFunc(turns, func(turn int) bool { return !sameKeys(state, l.after(turn)) }) {
			return false
		}
		if doubtful(state, window) {
			return false
		}
		seen.add("turns open at a cut", l.turns-l.safe)
		seen.add("of which were found", turns[0]-l.safe)
		maps.Copy(all, state)
	}
	next := newRestartModel(shards, all, restored(begun(all, found)))
	next.Policies, next.keys = m.Policies, m.keys
	next.known, next.last = m.known, run.router.ids.last.Load()
	for _, j := range next.Jobs {
		next.known = max(next.known, j.ID)
	}
	next.trail = append(m.trail, fmt.Sprintf("restart: %d shards instead of %d", shards, before))
	seen.note(next)
	if before != shards {
		seen.add("changes of the number of shards", 1)
	}
	run.model = next
	next.age(window[1], seen)
	return true
}

// match looks for the turns that may have led to what was found.
func (l *restartLog) match(found map[uint64]restartFound, window [2]int64) (turns []int, why error) {
	for turn := l.safe; turn <= l.turns; turn++ {
		err := l.differ(l.after(turn), found, window)
		switch {
		case err == nil:
			turns = append(turns, turn)
		case why == nil:
			why = fmt.Errorf("turn %d was acknowledged, but: %w\n(and nothing later, up to turn %d, agrees either)",
				turn, err, l.turns)
		}
	}
	if len(turns) > 0 {
		return turns, nil
	}
	return nil, why
}

func (l *restartLog) differ(state map[uint64]restartRecord, found map[uint64]restartFound, window [2]int64) error {
	for id := range found {
		if v, ok := state[id]; !ok || v.old(window[0]) {
			return fmt.Errorf("job %d is there: %+v", id, found[id].info)
		}
	}
	for id, v := range state {
		o, ok := found[id]
		if v.key != nil || !ok && v.old(window[1]) {
			continue
		}
		if !ok {
			return fmt.Errorf("job %d is missing: %+v", id, v.job)
		}
		if err := o.is(&v, window); err != nil {
			return err
		}
	}
	return nil
}

// drain empties the last life's router: so the order of the buried jobs shows.
func (run *restartRun) drain() {
	run.clients = nil
	run.join()
	c := run.clients[0]
	for _, tube := range restartTubes {
		c.Finish(c.Use([]byte(tube)))
		for run.model.First(naive.Buried, tube) != nil {
			c.begin(c.UsedShard(), queue.Op{Kind: queue.PeekBuried}, queue.Op{Kind: queue.Kick, Limit: 1})
			c.settle()
		}
	}
	c.leave()
}
