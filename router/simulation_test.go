package router

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"beanfield/shard/queue"
	"beanfield/shard/queue/policy"
)

// A simulation is a world in which random actors do random things without end. Shards apply their batches, answer and
// notice the time whenever the dice say so.

// R1 to R3 hold after each step, and S5 in the end.
func TestSimulation(t *testing.T) { simulate(t, 4000, false) }

// The same with consumers of several groups on the same tubes.
func TestSimulationOfTheQueueService(t *testing.T) { simulate(t, 3000, true) }

func simulate(t *testing.T, steps int, serves bool) {
	for _, seed := range seeds(100) {
		synctest.Test(t, func(t *testing.T) {
			s := newSimulation(t, seed, serves)
			for s.step = 0; s.step < steps; s.step++ {
				s.play()
			}
			s.end()
		})
	}
}

type simulation struct {
	*game
	w       *world
	most    policy.Amount // of the server
	limited bool          // it has had limits
	before  policy.Amount // what there was when they were set
	list    []move
}

func newSimulation(t *testing.T, seed uint64, serves bool) *simulation {
	s := &simulation{game: newGame(t, seed, rand.New(rand.NewPCG(seed, 3)), 4)}
	s.w = s.bed.begin()
	s.limit()
	if serves {
		s.hire()
	}
	idle := s.rnd.IntN(100) // how many in a hundred batches find an idle shard
	for _, p := range s.bed.shards {
		p.inPlace = func() bool { return s.rnd.IntN(100) < idle }
		p.late = s.rnd.IntN(3) == 0
	}
	for range 2 + s.rnd.IntN(6) {
		s.join()
	}
	return s
}

// join adds somebody. A session is opened the slow way, so that Open is simulated too.
func (s *simulation) join() *actor {
	a := s.w.add(fmt.Sprint("p", s.step, ".", len(s.w.actors)))
	a.fleeting, a.more = true, s.deed
	return a
}

// deed is what an actor does next.
func (s *simulation) deed(a *actor) deed {
	switch n := s.rnd.IntN(40); {
	case n == 0:
		return deed{whenever, func(a *actor) {
			s.note("%s leaves", a.title)
			a.hangUp()
		}}
	case !a.Waiting():
		op := s.choose(a.player)
		return deed{plain, func(a *actor) { s.act(a.player, op, nil) }}
	case n < 4:
		s.note("%s gives up waiting", a.title)
		return cancel
	case n < 10:
		return alarm
	}
	return deed{inWait, func(*actor) {}}
}

// play makes one random move: of a shard, of the clock, or of an actor.
func (s *simulation) play() {
	switch n := s.rnd.IntN(40); {
	case n == 0:
		time.Sleep(time.Duration(s.rnd.Int64N(int64(2 * time.Second))))
	case n == 1 && s.rnd.IntN(20) == 0 && s.most != (policy.Amount{}):
		s.limit()
	case n == 2:
		for i, a := range s.w.actors {
			if a.player != nil && a.player.closed && !a.player.busy() {
				b := s.join()
				s.w.actors = s.w.actors[:len(s.w.actors)-1]
				b.given = a.given // what its predecessor has heard
				s.w.actors[i] = b
				break
			}
		}
	}
	if s.list = s.w.moves(s.list[:0]); len(s.list) > 0 {
		s.move(s.list[s.rnd.IntN(len(s.list))])
	}
}

func (s *simulation) move(m move) {
	s.w.do(m)
	if err := s.w.checkStep(m); err != nil {
		s.fatalf("%s: %v", s.w.String(m), err)
	}
	if m.what == applies || m.what == ticks {
		s.checkLimits()
	}
}

// settle lets everything that is under way come to its end.
func (s *simulation) settle() {
	s.bed.set(always, false)
	for _, a := range s.w.actors {
		a.more, a.plan = nil, nil
		a.next = 0
	}
	for _, p := range s.bed.shards {
		p.answer()
	}
	for s.list = s.w.moves(s.list[:0]); len(s.list) > 0; s.list = s.w.moves(s.list[:0]) {
		s.move(s.list[0])
	}
}

// sent has all connections send what they were given, until they are given no more: what is pending is sent again as
// soon as its connection has room for it.
func (s *simulation) sent() {
	for more := true; more; s.settle() {
		more = false
		for _, a := range s.w.actors {
			if a.conn != nil && len(a.spent) > 0 {
				k := a.say(queue.AskSent)
				k.Bytes, k.Spent = a.weight, a.spent
				a.weight, a.spent, more = 0, nil, true
				a.ask(k)
			}
		}
	}
}

// end checks what holds when nothing is under way, then closes everything.
func (s *simulation) end() {
	s.settle()
	s.sent()
	for _, a := range s.w.actors {
		if a.conn == nil {
			continue
		}
		if err := a.checkHeard(); a.watching && !a.gone && err != nil {
			s.fatalf("%v", err)
		}
		a.leave()
	}
	s.settle()
	if err := s.w.checkRest(); err != nil {
		s.fatalf("%v", err)
	}
	if err := s.w.endAll(); err != nil {
		s.fatalf("%v", err)
	}
}

// limit gives the server limits, in one of three games, or other ones.
func (s *simulation) limit() {
	if !s.limited && s.rnd.IntN(3) > 0 {
		return
	}
	s.limited = true
	s.most = policy.Amount{policy.BoundJobs: int64(s.rnd.IntN(20)), policy.BoundBytes: int64(s.rnd.IntN(3) * 40)}
	s.bed.r.SetLimits(s.most)
	s.before = s.bed.r.Quota().Used()
}

// checkLimits looks for more than there may be: on the server, where all jobs come by puts, so that there is never more
// than the limits allow, or than there was when they were set, and reserved of a tube. Nobody takes jobs by their ids
// where there are limits of that: these are not held back.
func (s *simulation) checkLimits() {
	if s.most != (policy.Amount{}) {
		used := s.bed.r.Quota().Used()
		var there policy.Amount
		for _, p := range s.bed.shards {
			f := p.state.Figures()
			there[policy.BoundJobs] += int64(f.Jobs)
			there[policy.BoundBytes] += f.Inside + f.Outside
		}
		for _, b := range []policy.Bound{policy.BoundJobs, policy.BoundBytes} {
			if most := s.most[b]; used[b] != there[b] || most > 0 && used[b] > max(most, s.before[b]) {
				s.fatalf("QT1: %v of %s are counted, there are %d, and there may be %d", used[b], b, there[b], most)
			}
		}
	}
	for tube, p := range s.policies {
		if st, _ := s.bed.stats(tube); p.MaxReserved > 0 && st.Reserved > p.MaxReserved {
			s.fatalf("M4: %d jobs of %s are reserved, of which there may be %d", st.Reserved, tube, p.MaxReserved)
		}
	}
}

// hire puts consumers into a simulation, on the tubes of the beanstalk clients and on their rear queues.
func (s *simulation) hire() {
	pick := func(n int) int64 { return int64(s.rnd.IntN(n)) * second }
	*s.w.limits = policy.Limits{
		MaxDelivery: []int{0, 2, 3}[s.rnd.IntN(3)], MaxIdle: pick(3), Leaving: second/2 + pick(3),
		MaxLength: []int{0, 0, 12}[s.rnd.IntN(3)], AutoEvict: s.rnd.IntN(2) == 0, MaxUnsent: []int{0, 0,
			100}[s.rnd.IntN(3)],
		DeadLetter: []policy.Fate{policy.FateRear, policy.FateRear, policy.FateDrop, policy.FateBury}[s.rnd.IntN(4)],
	}
	for _, p := range s.policies {
		p.MaxReserved = 0 // gets and filtered consumers would wait for what is there
	}
	for range 4 + s.rnd.IntN(8) {
		tube := s.tubes[s.rnd.IntN(min(3, len(s.tubes)))]
		if s.rnd.IntN(3) == 0 {
			tube += queue.RearSuffix
		}
		a := s.w.consumer(tube, []string{"g", "h", "i"}[s.rnd.IntN(3)], fmt.Sprint("u", len(s.w.actors)))
		a.more = s.visit
	}
}

func (s *simulation) visitTags() queue.Tags {
	return []queue.Tags{nil, nil, red,
		queue.MakeTags(map[string]string{queue.TagRequest: fmt.Sprint(s.rnd.IntN(3))})}[s.rnd.IntN(4)]
}

// visit is what somebody does next who uses the queue service.
func (s *simulation) visit(*actor) deed {
	n := s.rnd.IntN(40)
	return deed{plain, func(a *actor) {
		k := a.say(0)
		switch {
		case n < 6:
			s.putItem(a)
		case n < 12:
			s.watch(a)
		case n < 14:
			a.leave()
		case n < 24:
			k.What, k.Indexes = queue.AskCommit, s.some(a)
		case n < 28:
			k.What, k.Indexes, k.Code, k.Reason = queue.AskNegative, s.some(a), "Busy", "no room"
			if s.rnd.IntN(4) == 0 {
				k.Code = queue.CodeShutdown
			}
		case n < 33 && len(a.spent) > 0: // all has been sent that the connection was given
			k.What, k.Bytes, k.Spent = queue.AskSent, a.weight, a.spent
			a.weight, a.spent = 0, nil
		case n < 37 && a.get != nil && !a.get.over:
			a.get.hangUp()
		case n < 37:
			g := queue.Ask{Length: 1 + s.rnd.IntN(3), Take: s.rnd.IntN(3) > 0, Tags: s.visitTags()}
			if s.rnd.IntN(4) == 0 {
				g.Index = s.anyIndex()
			}
			a.find(g)
		case n == 37 && s.rnd.IntN(2) == 0:
			k.What, k.Index = queue.AskTruncate, s.anyIndex()
		case n == 37:
			k.What, k.Indexes = queue.AskDelete, s.some(a)
		case n == 38 && s.rnd.IntN(4) == 0:
			k.What = queue.AskDropGroup
		}
		if k.What != 0 {
			s.note("%s: operation %d, %d, %d", a.title, k.What, k.Index, k.Indexes)
			a.ask(k)
		}
	}}
}

func (s *simulation) anyIndex() uint64 { return s.rnd.Uint64N(s.bed.r.ids.last.Load() + 3) }

// some picks indexes: of what a connection was sent, of others, and unknown ones.
func (s *simulation) some(a *actor) (ids []uint64) {
	for a.dealt < len(a.heard) && len(ids) < 4 && s.rnd.IntN(4) > 0 {
		ids = append(ids, a.heard[a.dealt])
		a.dealt++
	}
	for s.rnd.IntN(3) == 0 {
		ids = append(ids, s.anyIndex())
	}
	return ids
}

// watch makes a new connection for a consumer, in place of the one that it may have.
func (s *simulation) watch(a *actor) {
	a.conn = &conn{w: s.w, queue: a.conn.queue, group: a.group, user: a.user, watching: true,
		indexOnly: s.rnd.IntN(4) == 0}
	k := a.say(queue.AskWatch)
	k.Window, k.IndexOnly, k.AutoCommit = s.rnd.IntN(5), a.indexOnly, s.rnd.IntN(6) == 0
	switch s.rnd.IntN(6) {
	case 0:
		k.Index = queue.NewestIndex
	case 1:
		k.Index = s.anyIndex()
	}
	if s.rnd.IntN(4) == 0 {
		k.Tags = red
	}
	s.note("%s watches from %d, window %d, auto-commit %t", a.title, k.Index, k.Window, k.AutoCommit)
	a.ask(k)
}

func (s *simulation) putItem(a *actor) {
	r := s.bed.r
	id := r.ids.begin(r.TubeShard([]byte(a.conn.queue)))
	body := fmt.Appendf(nil, "job %d", id)
	s.note("item %d is put into %s", id, a.conn.queue)
	a.flying = true
	s.w.send(&queue.Ask{What: queue.AskPut, Queue: a.conn.queue, Tags: s.visitTags()},
		queue.Op{ID: id, Data: body, Size: uint32(len(body)), Pri: uint32(s.rnd.IntN(4))}, func(op *queue.Op) {
			a.flying = false
			if op.Status != queue.OK && (op.Status != queue.TooLong || s.w.limits.MaxLength == 0 && !s.limited) {
				s.fatalf("item %d: status %d", id, op.Status)
			}
			if _, known := r.Owner(id); op.Status != queue.OK && known { // otherwise the shard has ended it
				r.EndID(id)
			}
		})
}
