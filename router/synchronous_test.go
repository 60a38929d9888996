package router

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"beanfield/shard/queue"
	"beanfield/shard/queue/naive"
	"beanfield/storage/effort"
)

var seedFlag = flag.Uint64("seed", 0, "run the simulations with this seed only")

// seeds are those that a simulation runs with.
func seeds(n int) (list []uint64) {
	if *seedFlag != 0 {
		return []uint64{*seedFlag}
	}
	switch {
	case effort.Raced: // one goroutine
		n = 1
	case testing.Short():
		n = max(1, n/10)
	}
	for seed := range n {
		list = append(list, uint64(seed+1))
	}
	return list
}

// duel plays the same random game with the model and with sessions over
// shards that answer at once, and compares whatever can be seen.
type duel struct {
	*game
	model *naive.Queue
	pairs []*pair
	met   duelSeen
}

// duelSeen counts what the games were about.
type duelSeen struct{ steps, reserves, waits, delivered int }

// pair is a player, its number in the model, and what the model says of its last reserve.
type pair struct {
	real   *player
	model  int
	result naive.Status
	got    uint64 // if that is OK: the last one

	several int // how many jobs the reserve asked for; 0: one
}

func TestSynchronousAgainstAModel(t *testing.T) {
	var all duelSeen
	for _, seed := range seeds(500) {
		synctest.Test(t, func(t *testing.T) {
			d := newDuel(t, seed)
			for d.step = 0; d.step < 400 && d.play(); d.step++ {
			}
			all.steps += d.step
			all.reserves += d.met.reserves
			all.waits += d.met.waits
			all.delivered += d.met.delivered
		})
	}
	t.Logf("%+v", all)
	if !testing.Short() && *seedFlag == 0 && all.delivered < all.waits/4 {
		t.Error("most waits end without a job: the game is not interesting")
	}
}

func newDuel(t *testing.T, seed uint64) *duel {
	d := &duel{game: newGame(t, seed, rand.New(rand.NewPCG(seed, 2)), 1), model: naive.New()}
	d.model.Policies = d.policies
	for range 2 + d.rnd.IntN(5) {
		d.join()
	}
	return d
}

func (d *duel) join() {
	p := &pair{real: d.bed.newPlayer(fmt.Sprint("p", d.step)), model: d.model.Join(), result: naive.OK}
	d.model.Use(p.model, DefaultTube)
	d.model.Watch(p.model, DefaultTube)
	d.pairs = append(d.pairs, p)
}

func (d *duel) waits(p *pair) bool { return d.model.Clients[p.model].Waiting > 0 }

// pass moves the clock, stopping wherever something is due. It reports false
// if two things are due at once, as when two jobs were handed out at the end
// of one pause: their order is nobody's promise, so the game ends there.
func (d *duel) pass(by time.Duration) bool {
	until := d.bed.r.Now() + int64(by)
	for {
		at, n := d.model.Due()
		if n == 0 || at > until {
			break
		}
		if n > 1 {
			return false
		}
		time.Sleep(time.Duration(at - d.bed.r.Now()))
		d.model.Now = at
		for _, s := range d.bed.shards {
			if next := s.state.Next(); next != 0 && next < at {
				d.fatalf("something was due at %d, the model knows of nothing before %d", next, at)
			}
			s.endTurn()
		}
		d.model.Tick()
		d.compare()
	}
	time.Sleep(time.Duration(until - d.bed.r.Now()))
	d.model.Now = until
	return true
}

// play is one step of the game.
func (d *duel) play() bool {
	// A little time before each step keeps deadlines apart.
	by := time.Duration(1 + d.rnd.IntN(int(time.Millisecond)))
	if d.rnd.IntN(8) == 0 {
		by = time.Duration(d.rnd.Int64N(int64(2 * time.Second)))
	}
	if !d.pass(by) {
		return false
	}
	i := d.rnd.IntN(len(d.pairs))
	p := d.pairs[i]
	switch {
	case d.rnd.IntN(40) == 0:
		d.leave(i)
	case p.real.Waiting():
		d.inWait(p)
	default:
		d.both(p, d.choose(p.real))
	}
	d.compare()
	return true
}

func (d *duel) leave(i int) {
	p := d.pairs[i]
	d.note("%s leaves", p.real.name)
	live := slices.Clone(p.real.live)
	p.real.close()
	for _, f := range live {
		d.model.Detach(p.model, func(tube string) bool { return d.bed.r.TubeShard([]byte(tube)) == f.shard })
		d.model.Tick()
	}
	d.model.Detach(p.model, nil)
	d.model.Use(p.model, "")
	for _, name := range d.model.Clients[p.model].Watched {
		d.model.Ignore(p.model, name)
	}
	d.pairs = slices.Delete(d.pairs, i, i+1)
	d.join()
}

func (d *duel) inWait(p *pair) {
	if d.rnd.IntN(8) == 0 {
		d.note("%s gives up waiting", p.real.name)
		p.real.cancel(queue.TimedOut)
		d.endWait(p, naive.TimedOut)
		return
	}
	p.real.alarm()
	if d.model.Soon(p.model) {
		d.note("%s is told that a deadline is near", p.real.name)
		d.endWait(p, naive.DeadlineSoon)
	}
}

func (d *duel) endWait(p *pair, status naive.Status) {
	if d.model.EndWait(p.model) {
		p.result = status
	}
}

// both lets a player do something, and does it in the model.
func (d *duel) both(p *pair, op queue.Op) {
	if len(d.model.Jobs) > 0 && op.ID > 0 && d.rnd.IntN(3) > 0 {
		op.ID = d.model.Jobs[d.rnd.IntN(len(d.model.Jobs))].ID
	}
	var got queue.Op
	d.act(p.real, op, func(op *queue.Op) { got = *op })
	if op.Kind == queue.Totals {
		return
	}
	want := d.modelled(p, &op, &got)
	d.model.Tick() // the end of a turn opens tubes
	switch {
	case op.Kind == queue.Reserve, op.Kind == queue.ReserveSeveral:
		p.result, p.several = want.status, int(op.Limit)
		if d.met.reserves++; want.status == naive.Waiting {
			d.met.waits++
		}
	case op.Kind == queue.Ignore:
	case got.Status != statusOf[want.status] || got.Status == queue.OK && (want.id != 0 && got.ID != want.id ||
		got.Count != want.count && op.Kind == queue.Kick):
		d.fatalf("%s: %s: status %d, job %d, %d jobs, want %+v", p.real.name, describeOp(&op), got.Status, got.ID,
			got.Count, want)
	case op.Kind == queue.ReserveJob && want.job != nil:
		p.result, p.several = naive.OK, 0
	}
	if want.job != nil && (op.Kind == queue.Reserve || op.Kind == queue.ReserveSeveral || op.Kind == queue.ReserveJob) {
		p.got = want.id
	}
}

// modelled runs an operation that got this answer in the model.
func (d *duel) modelled(p *pair, op, got *queue.Op) restartAnswer {
	m, name := d.model, string(op.Data)
	watched := m.Clients[p.model].Watched
	has := slices.Contains(watched, name)
	switch op.Kind {
	case queue.Put:
		j := &naive.Job{ID: got.ID, Tube: p.real.Used(), Pri: op.Pri, Delay: op.Delay, TTR: op.TTR,
			Tags: tagWords(p.real.tags)}
		return restartAnswer{status: m.Put(j), id: j.ID}
	case queue.Use:
		m.Use(p.model, name)
	case queue.Watch:
		m.Watch(p.model, name)
	case queue.Ignore:
		if refused := got.Status == queue.Refused; refused != (has && len(watched) == 1) {
			d.fatalf("%s ignores %s of %v: refused is %v", p.real.name, name, watched, refused)
		} else if has && !refused {
			m.Ignore(p.model, name)
		}
	case queue.Reserve:
		m.Clients[p.model].Wants = nil
		return modelled(m, p.model, op)
	case queue.ReserveSeveral:
		m.Clients[p.model].Wants = tagWords(p.real.asked())
		return shows(m.ReserveSeveral(p.model, d.most(p, int(op.Limit)), op.Poll))
	default:
		return modelled(m, p.model, op)
	}
	if want := m.Clients[p.model].Watched; !slices.Equal(p.real.Watched().all(), want) {
		d.fatalf("%s watches %v, want %v", p.real.name, p.real.Watched().all(), want)
	}
	return restartAnswer{status: naive.OK}
}

// most is how many jobs the reserve of one who asks for so many takes. One who watches many tubes may get
// fewer than there are.
func (d *duel) most(p *pair, asks int) int {
	if d.bed.wide != 0 && p.real.got > 0 {
		return p.real.got
	}
	return asks
}

// takeMore takes what else a reserve of several jobs gets when its wait has brought one.
func (d *duel) takeMore(p *pair) {
	for n := 1; n < d.most(p, p.several); n++ {
		if j := d.model.Claim(p.model); j != nil {
			p.got = j.ID
		}
	}
}

// compare looks at every player, and at the shards.
func (d *duel) compare() {
	for _, p := range d.pairs {
		for _, g := range d.model.Given {
			if g.Client == p.model {
				p.result, p.got = naive.OK, g.ID
			}
		}
		if p.real.Waiting() && p.real.Delivered() {
			p.real.endWait()
			d.met.delivered++
			d.takeMore(p)
		}
		if p.real.Waiting() != d.waits(p) {
			d.fatalf("%s waits: %v, in the model: %v", p.real.name, p.real.Waiting(), d.waits(p))
		}
		if !p.real.Waiting() && p.real.result != statusOf[p.result] {
			d.fatalf("%s: status %d, want %s", p.real.name, p.real.result, p.result)
		}
		if p.several > 1 { // those that have risen to the same priority come in no order
			for _, j := range d.model.HeldBy(p.model) {
				if !p.real.held[j.ID] {
					d.fatalf("%s has not got job %d", p.real.name, j.ID)
				}
			}
		} else if p.result == naive.OK && !p.real.Waiting() && p.got != p.real.last {
			d.fatalf("%s got job %d, want %d", p.real.name, p.real.last, p.got)
		}
	}
	d.model.Given = nil
	tubes := d.bed.r.tubes.all()
	for _, name := range d.tubes {
		if exists := d.model.Tube(name) != nil; exists != slices.Contains(tubes, name) {
			d.fatalf("tube %s exists in the model: %v; list-tubes has %v", name, exists, tubes)
		}
	}
	if d.step%20 != 0 {
		return
	}
	for i, s := range d.bed.shards {
		if err := s.state.Sound(); err != nil {
			d.fatalf("shard %d: %v", i, err)
		}
	}
	if all, _ := d.bed.jobs(); all != len(d.model.Jobs) {
		d.fatalf("%d jobs, want %d", all, len(d.model.Jobs))
	}
	for _, j := range d.model.Jobs {
		if err := d.bed.agree(j.ID, false); err != nil {
			d.fatalf("%v", err)
		}
		info, _ := d.bed.shards[d.bed.r.TubeShard([]byte(j.Tube))].job(j.ID)
		if info.State.String() != string(j.State) || info.Tube != j.Tube || info.Pri != j.Pri {
			d.fatalf("job %d is %+v, want %+v", j.ID, info, *j)
		}
	}
}

// statusOf says what the model's answers are in the words of package queue.
var statusOf = map[naive.Status]queue.Status{
	naive.NoRoom: queue.NoRoom, naive.TooLong: queue.TooLong,
	naive.OK: queue.OK, naive.NotFound: queue.NotFound, naive.TimedOut: queue.TimedOut,
	naive.DeadlineSoon: queue.DeadlineSoon,
	naive.Waiting:      queue.Waiting, naive.Exists: queue.Exists,
}
