package router

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"beanfield/shard"
	"beanfield/shard/queue"
	"beanfield/storage/must"
)

// movesCrowd is a life in which clients move jobs between two tubes in two shards, and others bury, kick and delete
// them, and purge the same tubes of what is buried.
type movesCrowd struct {
	t      *testing.T
	tubes  [2]string
	r      *Router
	store  *cutStore
	ended  atomic.Int64
	mu     sync.Mutex
	put    map[uint64]int // after which turn each put was answered
	gone   map[uint64]int // likewise each delete
	people sync.WaitGroup
}

const (
	crowdShards = 4
	crowdRounds = 60
)

func openCrowd(store *cutStore) *Router {
	c := queue.Config{LeastPurge: 1}
	return must.Get(newRouter(Options{Shards: crowdShards, Store: store}, c, func(s *queue.State, now func() int64) runner { return shard.New(s, now) }))
}

func newMovesCrowd(t *testing.T, store *cutStore) *movesCrowd {
	return &movesCrowd{
		t: t, tubes: [2]string{"mail", afar("mail", crowdShards)}, store: store, r: openCrowd(store), put: map[uint64]int{}, gone: map[uint64]int{},
	}
}

// enter has somebody do something in many rounds.
func (x *movesCrowd) enter(seed uint64, round func(c *client, dice *rand.Rand)) {
	x.people.Go(func() {
		c, dice := newClient(x.r, x.tubes[0], x.tubes[1]), rand.New(rand.NewPCG(seed, 4))
		for range crowdRounds {
			round(c, dice)
		}
		c.close()
	})
}

// live is the life. It returns how many jobs are left.
func (x *movesCrowd) live() (left int) {
	c := newClient(x.r, x.tubes[0], x.tubes[1])
	for range 20 { // there is something from the beginning
		x.puts(c, rand.New(rand.NewPCG(7, 4)))
	}
	for i := range 2 {
		x.enter(uint64(i), x.moves)
	}
	x.enter(2, x.works)
	x.enter(3, x.works)
	x.enter(4, x.purges)
	x.enter(5, x.kicks)
	x.enter(6, x.puts)
	x.people.Wait()
	x.r.settle(c)
	for _, tube := range x.tubes {
		n := c.tube(tube)
		left += n.Ready + n.Buried
		if n.Reserved+n.Delayed > 0 {
			x.t.Errorf("tube %s: %+v", tube, n)
		}
	}
	c.close()
	must.Do(x.t, x.r.Close())
	if puts := len(x.put); left != puts-int(x.ended.Load()) || x.ended.Load() == 0 {
		x.t.Errorf("%d jobs are left of %d, and %d have been ended", left, puts, x.ended.Load())
	}
	return left
}

func (x *movesCrowd) puts(c *client, dice *rand.Rand) {
	for range 1 + dice.IntN(8) {
		c.use(x.tubes[dice.IntN(2)])
		id := c.put(uint32(dice.IntN(3)), 600)
		x.mu.Lock()
		x.put[id] = x.store.count()
		x.mu.Unlock()
	}
}

func (x *movesCrowd) moves(c *client, dice *rand.Rand) {
	from := dice.IntN(2)
	l := &Listing{Filter: queue.Filter{Tube: x.tubes[from], States: unheld}, Most: 1 + dice.IntN(50), Alter: &queue.Altering{To: x.tubes[1-from]}}
	if dice.IntN(3) == 0 {
		l.Alter.As = []queue.JobState{queue.Ready, queue.Buried}[dice.IntN(2)]
	}
	if c.Finish(c.Alter(l, nil)); l.Status != queue.OK && l.Status != queue.NotFound {
		x.t.Errorf("a move is answered %v", l.Status)
	}
}

// works has a worker bury, release and delete.
func (x *movesCrowd) works(c *client, dice *rand.Rand) {
	id, status := c.begin(true)
	if status != queue.OK {
		return
	}
	owner, _ := x.r.Owner(id)
	op := queue.Op{Kind: []queue.Kind{queue.Bury, queue.Bury, queue.Release, queue.Delete}[dice.IntN(4)], ID: id, Pri: 1}
	if got := c.run(owner, op, true); got.Status != queue.OK {
		x.t.Errorf("job %d is reserved, and its holder is answered %v", id, got.Status)
	}
	if op.Kind == queue.Delete {
		x.ended.Add(1)
		x.mu.Lock()
		x.gone[id] = x.store.count()
		x.mu.Unlock()
	}
}

func (x *movesCrowd) purges(c *client, dice *rand.Rand) {
	tube := []byte(x.tubes[dice.IntN(2)])
	op := queue.Op{Kind: queue.Truncate, Data: tube, Limit: uint32(queue.States(0).With(queue.Buried))}
	x.ended.Add(int64(c.run(x.r.TubeShard(tube), op, false).Count))
}

func (x *movesCrowd) kicks(c *client, dice *rand.Rand) {
	c.use(x.tubes[dice.IntN(2)])
	c.run(c.UsedShard(), queue.Op{Kind: queue.Kick, Limit: uint32(1 + dice.IntN(4))}, true)
}

// jobs are where the jobs of a router are that has ended.
func (x *movesCrowd) jobs(r *Router) map[uint64]string {
	found := map[uint64]string{}
	for id := range x.put {
		if where := r.found(x.t, id); where != "" {
			found[id] = where
		}
	}
	for i, s := range r.states {
		if err := s.Check(); err != nil {
			x.t.Errorf("shard %d: %v", i, err)
		}
	}
	return found
}

// Moves at the same time as purges and kicks of the same tubes lose no job, and have none twice: all that were put are
// there or have been ended, as often as answers say. Whatever turn a crash comes after, what is left at the end was there,
// what was ended is not, and nothing comes back.
func TestMovesAmidPurgesSurviveCrashes(t *testing.T) {
	store := newCutStore(crowdShards)
	x := newMovesCrowd(t, store)
	left := x.live()
	last, cuts := x.jobs(x.r), 60
	if len(last) != left {
		t.Errorf("%d jobs are found, want %d", len(last), left)
	}
	before := map[uint64]bool{} // jobs that have ended by the cut before
	for n := range cuts + 1 {
		first := len(store.turns) * n / cuts
		r := openCrowd(store.cut(first, nil))
		c := newClient(r)
		r.settle(c)
		c.close()
		must.Do(t, r.Close())
		found := x.jobs(r)
		for id, put := range x.put {
			gone, deleted := x.gone[id]
			switch here := found[id] != ""; {
			case here && (before[id] || deleted && gone <= first):
				t.Errorf("after %d turns job %d is back in %s", first, id, found[id])
			case !here && put <= first && last[id] != "":
				t.Errorf("after %d turns job %d is lost, which was there in the end", first, id)
			case !here && put <= first:
				before[id] = true
			}
		}
		if t.Failed() {
			t.FailNow()
		}
	}
}
