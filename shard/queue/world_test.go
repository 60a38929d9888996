package queue

import (
	"fmt"
	"slices"
	"strings"

	"beanfield/shard/queue/policy"
	"beanfield/shard/queue/queuetest"
	"beanfield/storage"
)

// world is a State with its surroundings.
type world struct {
	t        queuetest.Failer
	s        *State
	config   Config // of s and of those that follow it
	dir      *queuetest.Directory
	log      *queuetest.Log
	now      int64
	users    map[string]*user
	given    []string // "client:id" since the last step
	wakes    []string
	called   []string // gets that were called, "name!"
	pushed   []string // "consumer:id"
	getters  map[string]*caller
	ended    []*Client // whose wait another shard has ended
	deaf     bool      // the state is not told of them yet
	bodies   map[uint64]string
	tags     map[uint64]Tags
	subs     map[string]*subscriber
	limits   policy.Limits
	quota    quota // of the server
	rights   Authorizer
	policies map[string]*policy.Policy
	fairs    map[string]*policy.FairScheduler
	course   *course
	halting  bool   // what is said next stops after its first turn
	turns    int    // that the last operation took
	cost     int    // of its last turn
	answer   Status // of the last list
	busy     bool   // neighbours use up the share of each turn
}

const testEpoch = 1_700_000_000 * second

func newWorld(t queuetest.Failer) *world { return newManyWorld(t, 0, 0) }

// newManyWorld is one with little patience: for clients that watch more tubes
// than many, and turns that do more than share.
func newManyWorld(t queuetest.Failer, many, share int) *world {
	w := &world{
		t: t, dir: queuetest.NewDirectory(t), log: queuetest.NewLog(), now: 1, users: map[string]*user{},
		bodies: map[uint64]string{}, tags: map[uint64]Tags{}, subs: map[string]*subscriber{},
		getters: map[string]*caller{},
	}
	w.config = Config{Durable: true, Pinned: "default", Epoch: testEpoch, Many: many, Share: share}
	w.config.Ended, w.config.PolicyFor = w.takeEnded, w.policyFor
	w.makeState()
	return w
}

// configure begins anew with other settings: share=, many=, budget=, purge= (how many jobs make one), keep (graves stay
// full), busy, and far (the tube of this name is in another shard).
func (w *world) configure(words []string) {
	for _, word := range words {
		key, value, _ := strings.Cut(word, "=")
		n := 0
		if value != "" {
			n = int(number(value))
		}
		switch c := &w.config; key {
		case "share":
			c.Share = n
		case "many":
			c.Many = n
		case "budget":
			c.Budget = int64(n)
		case "purge":
			c.LeastPurge = n
		case "keep":
			c.PurgeShare = -1
		case "busy":
			w.busy = true
		case "far":
			c.Local = func(tube string) bool { return tube != "far" }
		default:
			panic("no such setting: " + word)
		}
	}
	w.replay()
}

func (w *world) makeState() {
	w.ended, w.fairs = nil, map[string]*policy.FairScheduler{} // they were in the one before
	w.config.Directory, w.config.Log = w.dir, w.log
	w.s = NewState(w.config)
	w.quota.used, w.quota.waits = policy.Amount{}, 0 // those of the one before
	w.s.SetQuota(&w.quota)
}

func (w *world) takeEnded(list []*Client) []*Client {
	if w.deaf {
		return list
	}
	list = append(list, w.ended...)
	w.ended = w.ended[:0]
	return list
}

// replay makes a State of what the log holds, in place of the one there was.
func (w *world) replay() {
	last := w.dir.Last
	w.dir = queuetest.NewDirectory(w.t)
	w.dir.Last = last
	w.makeState()
	w.users, w.subs, w.course = map[string]*user{}, map[string]*subscriber{}, nil
	w.must(w.log.ReplayQueues(func(q *storage.Queue) error {
		w.s.RestoreQueue(q)
		return nil
	}))
	w.must(w.log.Replay(func(j *storage.Job, body []byte) error {
		w.s.Restore(w.now, j, body)
		return nil
	}))
	w.s.Restored()
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// check audits the state and wakes the clients in Woken.
func (w *world) check() error {
	for _, waiter := range w.s.Woken {
		waiter.Waiter.Wake(true, nil)
	}
	w.s.Woken = w.s.Woken[:0]
	for _, id := range w.s.Gone {
		w.dir.JobGone(id)
	}
	w.s.Gone = w.s.Gone[:0]
	var wakes []string
	for _, g := range w.given {
		name, _, _ := strings.Cut(g, ":")
		wakes = append(wakes, name)
	}
	if !slices.Equal(w.wakes, wakes) {
		return fmt.Errorf("woken are %v, given were %v", w.wakes, w.given)
	}
	var clients []*Client
	for _, u := range w.users {
		clients = append(clients, &u.client)
	}
	for _, t := range w.s.tubes {
		clients = append(clients, t.consumers()...)
	}
	if err := audit(w.s, clients); err != nil {
		return err
	}
	return w.auditLog()
}

// advance lets time pass, stopping at every moment that Next announces and one
// nanosecond before it, when nothing may happen yet.
func (w *world) advance(d int64) {
	w.t.Helper()
	end := w.now + d
	for {
		next := w.s.Next()
		if next == 0 || next > end {
			break
		}
		if next-1 > w.now {
			before, given := w.s.totals, len(w.given)
			w.s.Tick(next - 1)
			if w.s.totals != before || w.s.Next() != next || len(w.given) != given {
				w.t.Fatalf("something happened before its time")
			}
		}
		w.now = max(w.now, next)
		w.endTurn()
		if again := w.s.Next(); again != 0 && again <= w.now {
			w.t.Fatalf("Tick at %d leaves work that is due at %d", w.now, again)
		}
	}
	w.now = end
}

// course is an operation on its way.
type course struct {
	b     *Batch
	say   func() string // its answer
	serve bool          // it is one of the queue service, whose turns end with it
	turns int           // so far
}

// inTurns runs what is said turn by turn: "more" until it has ended.
func (w *world) inTurns(how string, words []string) string {
	w.t.Helper()
	switch how {
	case "begin":
		w.halting = true
		return w.say(words)
	case "turn":
		return w.drive(w.course, 1)
	}
	return w.drive(w.course, 1<<20)
}

// begin runs an operation, to its end unless only one turn is wanted, and says its answer.
func (w *world) begin(c *course) string {
	w.t.Helper()
	w.s.renew() // each is a turn of its own
	if w.halting {
		w.halting, w.course = false, c
		return w.drive(c, 1)
	}
	return w.drive(c, 1<<20)
}

// drive runs so many turns of an operation at most.
func (w *world) drive(c *course, most int) string {
	w.t.Helper()
	for range most {
		if c.turns > 0 {
			w.between(c)
		}
		if w.busy {
			w.s.spend(2 * w.s.Share)
		}
		c.turns++
		left := w.s.share
		done := w.s.Run(w.now, c.b)
		if w.cost = left - w.s.share; !done {
			if op := &c.b.Ops[c.b.Next]; op.Status == Staging {
				w.log.Staged[op.ID] = string(op.Data) + string(joined(op.Parts))
				op.Staged(nil)
			}
			continue
		}
		if w.turns = c.turns; c.serve {
			w.endTurn()
		}
		return c.say()
	}
	return "more"
}

// between ends a turn in the middle of an operation.
func (w *world) between(c *course) {
	w.t.Helper()
	if c.serve {
		w.endTurn()
	} else {
		w.s.Tick(w.now)
	}
	if err := w.s.Check(); err != nil {
		w.t.Fatalf("in the middle of an operation: %v", err)
	}
}

// endTurn ends turns until nothing is due, and hands over what was pushed.
func (w *world) endTurn() {
	for n := 0; w.s.Tick(w.now); n++ {
		if n > 1<<20 {
			w.t.Fatal("the turns do not end")
		}
	}
	w.take()
}

// take hands over what was pushed.
func (w *world) take() {
	for _, p := range w.s.TakeDeliveries(nil) {
		p.To().Receive(p, true)
	}
}

// empty has all graves emptied, and looks whether the log has no trace of them.
func (w *world) empty() {
	w.t.Helper()
	w.s.PurgeShare = 0
	for w.s.graving() {
		w.s.Tick(w.now)
	}
	w.s.PurgeShare = w.config.PurgeShare
	w.must(w.s.Check())
	if n := int(w.s.index.N); n != len(w.log.Jobs) || len(w.log.Queues) > 0 || len(w.s.notes) > 0 {
		w.t.Fatalf("%d jobs are left, %d in the log, and the notes %v, in the log %v", n, len(w.log.Jobs), w.s.notes,
			w.log.Queues)
	}
}
