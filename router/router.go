package router

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"beanfield/router/mover"
	"beanfield/shard"
	"beanfield/shard/queue"
	"beanfield/shard/queue/policy"
	"beanfield/storage"

	"github.com/cespare/xxhash/v2"
)

// MaxShards is how many shards a directory entry can name.
const MaxShards = 254

// DefaultTube is where every connection begins. It exists always.
const DefaultTube = "default"

// Options are what a Router is made with.
type Options struct {
	Shards int
	Store  storage.Store
	// Budget is how many bytes of bodies all shards keep in memory, if the
	// store can give them back; 0 for no limit.
	Budget int64
	// PolicyFor is the policy for a tube, nil for none; nil if there are no policies.
	PolicyFor func(tube string) *policy.Policy
	// Kept is PolicyFor if the logs have a text with policies (KeepPolicies); nil if such a text means
	// nothing.
	Kept func(text string) func(tube string) *policy.Policy
	// Logger is told how a long recovery gets on; nil for none.
	Logger *slog.Logger
	// Steps learns what New is doing; nil for nobody.
	Steps *storage.Steps
}

// runner is a shard as sessions see it. Tests put a slower one in its place,
// whose batches they apply one at a time.
type runner interface {
	Submit(*queue.Batch) bool
	Busy() bool
	Alive() bool
	Look(context.Context, func(*queue.State, *shard.Figures)) bool
	Close()
}

// Router knows which shard owns a tube or a job, and leads sessions to it. It has no
// goroutine of its own.
type Router struct {
	shards []runner
	states []*queue.State // for tests that look for what is left behind
	store  storage.Store
	logs   []storage.Log
	pushed bool // the logs are storage.Pushers
	ids    directory
	tubes  tubes
	// leavers are, for each shard, those who do not wait there any more.
	leavers []leavers
	base    time.Time
	highest uint64 // of the ids that were given before
	cursors cursors
	kept    string // the text with policies that the logs had

	movers   []*mover.Mover // by the shard that they take jobs from
	draining atomic.Bool

	rules  atomic.Pointer[rules] // nil without policies
	fairs  fairs
	limits limits
}

// New opens the store's logs and starts the shards over them.
func New(o Options) (*Router, error) {
	return newRouter(o, queue.Config{}, newShard)
}

func newShard(s *queue.State, now func() int64) runner { return shard.New(s, now) }

// newRouter makes every shard's queue as c says, as far as that is left open.
func newRouter(o Options, c queue.Config, run func(*queue.State, func() int64) runner) (*Router, error) {
	r, err := recovered(o, c)
	if err == nil {
		r.begin(run)
	}
	return r, err
}

// begin starts the shards.
func (r *Router) begin(run func(*queue.State, func() int64) runner) {
	for _, l := range r.logs {
		r.highest = max(r.highest, l.MaxID())
	}
	r.reconcile()
	r.ids.seal(r.highest)
	var all sync.WaitGroup
	for _, s := range r.states {
		// Delays that ended while no server ran must not seem to go on.
		all.Go(func() {
			for s.Settle(r.Now()) {
			}
		})
	}
	all.Wait()
	for _, s := range r.states {
		r.shards = append(r.shards, run(s, r.Now))
	}
	for _, m := range r.movers {
		m.Begin()
	}
}

// recovered makes a router whose shards do not run yet.
func recovered(o Options, c queue.Config) (*Router, error) {
	if o.Shards < 1 || o.Shards > MaxShards {
		return nil, fmt.Errorf("router: %d shards, want 1 to %d", o.Shards, MaxShards)
	}
	if o.Store == nil {
		return nil, errors.New("router: no store")
	}
	r := &Router{store: o.Store, base: time.Now(), cursors: newCursors()}
	r.setRules(o.PolicyFor)
	c.Secret = [3]uint64{rand.Uint64(), rand.Uint64(), rand.Uint64()}
	r.leavers = make([]leavers, o.Shards)
	r.ids.init()
	logs, err := o.Store.Open(o.Shards, func(tube string) int { return ShardOf(tube, o.Shards) })
	if err != nil {
		return nil, err
	}
	r.logs = logs
	_, r.pushed = logs[0].(storage.Pusher)
	for i, log := range logs {
		c.Directory, c.Log, c.Durable, c.Epoch = home{r, i}, log, o.Store.Durable(), r.base.UnixNano()
		c.Ended = r.leavers[i].take
		c.Local = func(tube string) bool { return ShardOf(tube, o.Shards) == i }
		c.Budget, c.Pinned = 0, ""
		if o.PolicyFor != nil {
			c.PolicyFor = o.PolicyFor
		}
		if c.Durable && o.Budget > 0 {
			c.Budget = max(1, o.Budget/int64(o.Shards))
		}
		if i == ShardOf(DefaultTube, o.Shards) {
			c.Pinned = DefaultTube
		}
		r.states = append(r.states, queue.NewState(c))
		r.movers = append(r.movers, mover.New(roads{r}, i))
	}
	if err := r.recover(&o); err != nil {
		return nil, errors.Join(err, o.Store.Close())
	}
	return r, nil
}

// Close stops the shards and closes the store. All sessions must be closed.
func (r *Router) Close() error {
	for _, m := range r.movers {
		m.Close()
	}
	r.limits.rings.Wait()
	for _, sh := range r.shards {
		sh.Close()
	}
	return r.store.Close()
}

// Now is the server's monotonic clock: nanoseconds since its start, above 0.
func (r *Router) Now() int64 { return int64(time.Since(r.base)) + 1 }

// Shards is the number of shards.
func (r *Router) Shards() int { return len(r.shards) }

// Busy tells whether a shard is being run. A moment later that may be over.
func (r *Router) Busy(shard int) bool { return r.shards[shard].Busy() }

// Stuck is the first shard whose turn has lasted since the last call, or -1. One
// goroutine calls it.
func (r *Router) Stuck() int {
	stuck := -1
	for i := len(r.shards) - 1; i >= 0; i-- { // all of them, as each call is a question
		if !r.shards[i].Alive() {
			stuck = i
		}
	}
	return stuck
}

// Push starts writing to disk what was submitted to a shard with Later set. If here is
// set, the caller's goroutine does it itself, if possible, and waits until it is done.
func (r *Router) Push(shard int, here bool) {
	if r.pushed {
		r.logs[shard].(storage.Pusher).Push(here)
	}
}

// Pushed says whether there is anything to Push: whether sessions should be Later.
func (r *Router) Pushed() bool { return r.pushed }

// Drain makes every later put answer Refused, and ends the waits of those that wait for room. It cannot be undone.
func (r *Router) Drain() {
	r.draining.Store(true)
	r.everywhere((*queue.State).CloseLines)
}

// Draining tells whether Drain has been called.
func (r *Router) Draining() bool { return r.draining.Load() }

// Owner tells which shard has the living job id.
func (r *Router) Owner(id uint64) (shard int, ok bool) { return r.ids.find(id) }

// EndID gives up an id that was allotted to a put that then failed.
func (r *Router) EndID(id uint64) { r.ids.end(id) }

// Tubes is the number of tubes.
func (r *Router) Tubes() int { return r.tubes.count() }

// TubeNames are their names, in the order of list-tubes.
func (r *Router) TubeNames() Names { return r.tubes.snapshot() }

// TubeShard tells which shard a tube belongs to, whether or not it exists.
func (r *Router) TubeShard(name []byte) int {
	return int(xxhash.Sum64(storage.Home(name)) % uint64(len(r.shards)))
}

// ShardOf tells which of n shards a tube belongs to. A queue and its rear queue belong to
// the same one. Data directories record a number for this rule: whoever changes the rule
// must change the number, shardRule in storage/pebblestore/format.
func ShardOf(tube string, n int) int {
	return int(xxhash.Sum64String(storage.Home(tube)) % uint64(n))
}

// home is the router as one shard sees it.
type home struct {
	r *Router
	i int
}

func (h home) TubeBorn(name string) { h.r.tubes.add(name) }
func (h home) TubeGone(name string) { h.r.tubes.remove(name) }
func (h home) JobGone(id uint64)    { h.r.ids.end(id) }
func (h home) JobsLeave()           { h.r.movers[h.i].Ring() }

// Spare implements queue.Directory.
func (h home) Spare() uint64 {
	id := h.r.ids.begin(h.i)
	h.r.ids.end(id)
	return id
}

// roads is the router as movers see it.
type roads struct{ *Router }

func (r roads) Hand(id uint64, shard int) { r.ids.hand(id, shard) }

// Apply implements mover.Shards.
func (r roads) Apply(shard int, b *queue.Batch) {
	a := askers.Get().(*asker)
	a.apply(r.shards[shard], b)
	askers.Put(a)
}

// Body implements mover.Shards.
func (r roads) Body(shard int, id uint64, dst []byte) ([]byte, error) {
	return r.logs[shard].Body(id, dst)
}

// Secure implements mover.Shards.
func (r roads) Secure(shard int) error {
	if l, ok := r.logs[shard].(storage.Securer); ok {
		return l.Secure()
	}
	return nil
}

// JobBorn implements queue.Directory.
func (h home) JobBorn(id uint64) (uint64, bool) {
	switch {
	case h.r.draining.Load():
		if id != 0 {
			h.r.ids.end(id)
		}
		return 0, false
	case id == 0:
		id = h.r.ids.begin(h.i)
	}
	return id, true
}
