package router

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"beanfield/shard/queue"
)

// movesCrowd is a life in which clients move jobs between two tubes in two shards, and others bury, kick and delete
// them, and purge the same tubes of what is buried.
type movesCrowd struct {
	*movesLife
	t      *testing.T
	r      *Router
	tubes  [2]string
	ended  atomic.Int64
	people sync.WaitGroup
}

const crowdShards = 4

// enter has somebody do something in many rounds.
func (x *movesCrowd) enter(seed uint64, round func(c *client, dice *rand.Rand)) {
	x.people.Go(func() {
		c, dice := newClient(x.r, x.tubes[0], x.tubes[1]), rand.New(rand.NewPCG(seed, 4))
		for range 60 {
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
	end(x.t, x.r, c)
	if puts := len(x.put); left != puts-int(x.ended.Load()) || x.ended.Load() == 0 {
		x.t.Errorf("%d jobs are left of %d, and %d have been ended", left, puts, x.ended.Load())
	}
	return left
}

func (x *movesCrowd) puts(c *client, dice *rand.Rand) {
	for range 1 + dice.IntN(8) {
		c.use(x.tubes[dice.IntN(2)])
		x.has(c.put(uint32(dice.IntN(3)), 600))
	}
}

func (x *movesCrowd) moves(c *client, dice *rand.Rand) {
	from := dice.IntN(2)
	l := &Listing{Filter: queue.Filter{Tube: x.tubes[from], States: unheld}, Most: 1 + dice.IntN(50),
		Alter: &queue.Altering{To: x.tubes[1-from]}}
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
	kind := []queue.Kind{queue.Bury, queue.Bury, queue.Release, queue.Delete}[dice.IntN(4)]
	if kind == queue.Delete {
		x.finish(x.t, c, id)
		x.ended.Add(1)
		return
	}
	owner, _ := x.r.Owner(id)
	if got := c.run(owner, queue.Op{Kind: kind, ID: id, Pri: 1}, true); got.Status != queue.OK {
		x.t.Errorf("job %d is reserved, and its holder is answered %v", id, got.Status)
	}
}

func (x *movesCrowd) purges(c *client, dice *rand.Rand) {
	tube := []byte(x.tubes[dice.IntN(2)])
	op := queue.Op{Kind: queue.Truncate, Data: tube, States: queue.States(0).With(queue.Buried)}
	x.ended.Add(int64(c.run(x.r.TubeShard(tube), op, false).Count))
}

func (x *movesCrowd) kicks(c *client, dice *rand.Rand) {
	c.use(x.tubes[dice.IntN(2)])
	c.run(c.UsedShard(), queue.Op{Kind: queue.Kick, Limit: uint32(1 + dice.IntN(4))}, true)
}

// Moves at the same time as purges and kicks of the same tubes lose no job, and have none twice: all that were put are
// there or have been ended, as often as answers say. Whatever turn a crash comes after, what is left at the end was
// there, what was ended is not, and nothing comes back.
func TestMovesAmidPurgesSurviveCrashes(t *testing.T) {
	d := newMovesLife(crowdShards)
	d.rules, d.state, d.least = nil, nil, 1
	r, c := d.open(crowdShards)
	c.close()
	x := &movesCrowd{movesLife: d, t: t, r: r, tubes: [2]string{"mail", d.far}}
	left, turns := x.live(), len(d.store.turns)
	for id := range d.put {
		if r.found(t, id) != "" {
			left--
		} else if d.finished[id] == 0 {
			d.begun[id] = 1 // a purge has ended it, at some time
		}
	}
	if left != 0 {
		t.Errorf("%d jobs too few are found", left)
	}
	var before map[uint64]bool
	const cuts = 60
	for n := range cuts + 1 {
		first := turns * n / cuts
		there := d.check(t, d.store.cut(first, nil), first, crowdShards, true)
		for id := range there {
			if was, known := before[id]; known && !was && there[id] && d.put[id] <= turns*(n-1)/cuts {
				t.Fatalf("after %d turns job %d is back", first, id)
			}
		}
		before = there
	}
}
