package router

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"beanfield/shard/queue"
)

// simulation lets random sessions work over shards that apply their batches,
// answer and notice the time whenever the dice say so.
type simulation struct {
	t       *testing.T
	seed    uint64
	step    int
	rnd     *rand.Rand
	bed     *bed
	players []*player
	tubes   []string
	log     []string

	policies map[string]*queue.Policy
	most     queue.Amount // of the server
	limited  bool         // it has had limits
	before   queue.Amount // what there was when they were set

	crew    *crew           // nil if there is no queue service
	given   map[uint64]int  // how often sessions have heard that they were given a job
	under   map[uint64]bool // ids of puts that no shard has answered
	jobs    map[uint64]bool // put and not deleted, as far as has been answered
	unheard int             // deliveries to sessions that were closed before they heard
	seen    simulationSeen
}

type simulationSeen struct{ steps, moves, given, ended int }

// R1 to R3 hold after each step, and S5 in the end.
func TestSimulation(t *testing.T) { simulate(t, 4000, false) }

// The same with consumers of several groups on the same tubes.
func TestSimulationOfTheQueueService(t *testing.T) { simulate(t, 3000, true) }

func simulate(t *testing.T, steps int, service bool) {
	var all simulationSeen
	for _, seed := range seeds(100) {
		synctest.Test(t, func(t *testing.T) {
			s := newSimulation(t, seed)
			if service {
				s.hire()
			}
			for s.step = 0; s.step < steps; s.step++ {
				s.play()
			}
			s.end()
			all.steps += s.step
			all.moves += s.seen.moves
			all.given += s.seen.given
			all.ended += s.seen.ended
			if service {
				t.Logf("seed %d: %+v", seed, s.crew.l.seen)
			}
		})
	}
	t.Logf("%+v", all)
}

func newSimulation(t *testing.T, seed uint64) *simulation {
	s := newGame(t, seed, rand.New(rand.NewPCG(seed, 3)), 4)
	s.limit()
	for range 2 + s.rnd.IntN(6) {
		s.players = append(s.players, s.join())
	}
	idle := s.rnd.IntN(100) // how many in a hundred batches find an idle shard
	for _, p := range s.bed.shards {
		p.inPlace = func() bool { return s.rnd.IntN(100) < idle }
		p.late = s.rnd.IntN(3) == 0
	}
	return s
}

// newGame makes shards that answer at once, and no players yet. A turn has less than a share,
// or with 1 a whole one.
func newGame(t *testing.T, seed uint64, rnd *rand.Rand, share int) *simulation {
	s := &simulation{
		t: t, seed: seed, rnd: rnd, tubes: []string{DefaultTube}, policies: map[string]*queue.Policy{},
		given: map[uint64]int{}, under: map[uint64]bool{}, jobs: map[uint64]bool{},
	}
	for i := range 1 + rnd.IntN(8) {
		s.tubes = append(s.tubes, fmt.Sprint("t", i))
	}
	s.rule()
	of := func(tube string) *queue.Policy { return s.policies[tube] }
	s.bed = newBedOf(1+rnd.IntN(9), queue.Config{Many: rnd.IntN(4), Share: rnd.IntN(share), PolicyFor: of})
	return s
}

// join opens a session the slow way, so that Open is simulated too.
func (s *simulation) join() *player {
	p := &player{name: fmt.Sprint("p", s.step, ".", len(s.players)), held: map[uint64]bool{}, onGot: s.got}
	p.Init(s.bed.r, p, &s.bed.waits)
	p.call(p.Open(), nil)
	return p
}

func (s *simulation) note(format string, args ...any) {
	s.log = append(s.log, fmt.Sprintf("%d: ", s.step)+fmt.Sprintf(format, args...))
}

func (s *simulation) fatalf(format string, args ...any) {
	s.t.Helper()
	for _, line := range s.log[max(0, len(s.log)-100):] {
		s.t.Log(line)
	}
	s.t.Fatalf("seed %d, step %d: %s", s.seed, s.step, fmt.Sprintf(format, args...))
}

// got notes that a player has heard of a job. The job may have left it since,
// and others may have heard earlier of later deliveries, so who has it is
// looked at when everything has settled.
func (s *simulation) got(p *player, id uint64) {
	s.note("%s is given job %d", p.name, id)
	s.given[id]++
	s.seen.given++
}

func (s *simulation) mustOwn(id uint64) int {
	i, ok := s.bed.r.ids.find(id)
	if !ok {
		s.fatalf("R2: job %d is in no directory", id)
	}
	return i
}

// play makes one random move: of a shard, of the clock, or of a player.
func (s *simulation) play() {
	switch n := s.rnd.IntN(20); {
	case n < 9:
		i := s.rnd.IntN(len(s.bed.shards))
		for tries := 0; tries < 4 && s.bed.shards[i].idle(); tries++ {
			i = s.rnd.IntN(len(s.bed.shards))
		}
		s.moveShard(i)
	case n == 9:
		s.pass(time.Duration(s.rnd.Int64N(int64(time.Second))))
	case s.rnd.IntN(200) == 0 && s.most != (queue.Amount{}):
		s.limit()
	case s.crew != nil && n < 15:
		s.crew.act()
	default:
		s.movePlayer(s.rnd.IntN(len(s.players)))
	}
	if s.step%400 == 0 {
		s.check()
	}
}

// pass lets time pass, by the bubble's clock.
func (s *simulation) pass(d time.Duration) { time.Sleep(d) }

func (s *simulation) moveShard(i int) {
	p := s.bed.shards[i]
	s.seen.moves++
	switch {
	case p.unanswered() && s.rnd.IntN(3) == 0:
		p.answer()
		return
	case len(p.mail) > 0:
		p.step()
	default:
		p.endTurn()
	}
	if err := p.state.Check(); err != nil {
		s.fatalf("shard %d: %v", i, err)
	}
	s.checkLimits()
}

func (s *simulation) movePlayer(i int) {
	p := s.players[i]
	switch {
	case p.busy():
		p.resume() // also when there is nothing to resume
	case p.closed:
		s.players[i] = s.join()
	case p.Waiting() && p.Delivered() && s.rnd.IntN(4) > 0:
		p.endWait()
	case s.rnd.IntN(40) == 0:
		s.note("%s leaves", p.name)
		if p.Waiting() && !p.gateOpen() {
			s.unheard++
		}
		p.close()
	case p.Waiting():
		s.inWait(p)
	default:
		s.act(p, s.choose(p), nil)
	}
}

func (s *simulation) inWait(p *player) {
	switch s.rnd.IntN(12) {
	case 0:
		s.note("%s gives up waiting", p.name)
		p.cancel(queue.TimedOut)
	case 1, 2:
		p.alarm()
	}
}

// check holds at any time.
func (s *simulation) check() {
	last := s.bed.r.ids.last.Load()
	for id := uint64(1); id <= last; id++ {
		if err := s.bed.agree(id, s.under[id] || s.crew != nil && s.crew.l.passed(id)); err != nil {
			s.fatalf("%v", err)
		}
	}
	for i, p := range s.bed.shards {
		if err := p.state.Check(); err != nil {
			s.fatalf("shard %d: %v", i, err)
		}
	}
}

// settle lets everything that is under way come to its end.
func (s *simulation) settle() {
	for _, p := range s.bed.shards {
		p.inPlace, p.late = always, false
	}
	for again := true; again; {
		again = false
		for _, p := range s.bed.shards {
			p.endTurn()
			for len(p.mail) > 0 {
				p.step()
				again = true
			}
		}
		for _, p := range s.players {
			switch {
			case p.canResume():
				p.resume()
				again = true
			case !p.busy() && p.Waiting() && p.Delivered():
				p.endWait()
				again = true
			}
		}
		if s.crew != nil {
			again = s.crew.goOn() || again
		}
	}
}

// end checks what holds when nothing is under way, then closes everything.
func (s *simulation) end() {
	s.settle()
	s.check()
	if s.crew != nil {
		if err := s.crew.checkGets(); err != nil {
			s.fatalf("%v", err)
		}
		s.crew.retire()
	}
	nobody := func(*stepped) int { return 0 }
	// A client that has watched many tubes may take one place for all.
	if err := s.bed.checkWaits(s.players, nobody, func(n int) int { return min(n, 1) }); err != nil {
		s.fatalf("%v", err)
	}
	s.checkHolders()
	s.closeAll()
}

// checkHolders compares what the shards say of jobs and holders with what the
// sessions have been told (R1).
func (s *simulation) checkHolders() {
	held := 0
	for _, q := range s.players {
		for id := range q.held {
			if s.bed.holds(q, id) {
				held++
			}
		}
	}
	want := len(s.jobs)
	pushes := map[uint64]int{}
	if s.crew != nil {
		consumers, shown := s.crew.l.held()
		held += consumers
		want = shown
		clear(s.jobs) // the ledger knows which ones are left
		for id, e := range s.crew.l.items {
			s.jobs[id], pushes[id] = true, e.pushes
		}
	}
	all, reserved := s.bed.jobs()
	if all != want || reserved != held {
		s.fatalf("R1: there are %d jobs, %d of them reserved; want %d and %d", all, reserved, want, held)
	}
	unheard := 0
	for id := range s.jobs {
		info, ok := s.bed.shards[s.mustOwn(id)].job(id)
		if !ok {
			continue // it is passed
		}
		heard := s.given[id] + pushes[id]
		if int(info.Reserves) < heard {
			s.fatalf("R1: job %d was handed out %d times, and heard of %d times", id, info.Reserves, heard)
		}
		unheard += int(info.Reserves) - heard
	}
	if unheard > s.unheard {
		s.fatalf("R1: %d deliveries were never heard of, want at most %d", unheard, s.unheard)
	}
}

func (s *simulation) closeAll() {
	for _, q := range s.players {
		if !q.closed {
			q.close()
		}
	}
	s.settle()
	if s.crew != nil {
		s.crew.drain()
		clear(s.jobs)
	}
	if all, reserved := s.bed.jobs(); all != len(s.jobs) || reserved != 0 {
		s.fatalf("%d jobs, %d of them reserved, when all have left; want %d and none", all, reserved, len(s.jobs))
	}
	for id := range s.jobs {
		if op, _ := s.bed.shards[s.mustOwn(id)].ask(queue.Op{Kind: queue.Delete, ID: id}); op.Status != queue.OK {
			s.fatalf("job %d cannot be deleted", id)
		}
		s.seen.ended++
	}
	if err := s.bed.r.empty(0); err != nil {
		s.fatalf("%v", err)
	}
}
