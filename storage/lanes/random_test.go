package lanes

import (
	"math/rand/v2"
	"testing"
)

// schedule is a random order of events.
type schedule struct {
	*world
	r   *rand.Rand
	mix []int // events, as often as they may happen
}

// message delivers one that is under way. Most come in order; some are lost, some come twice.
func (s *schedule) message() {
	if len(s.messages) == 0 {
		return
	}
	k := 0
	if s.r.IntN(3) == 0 {
		k = s.r.IntN(len(s.messages))
	}
	if m := &s.messages[k]; m.answer && s.on.still != nil && s.on.still(m.from) {
		return
	}
	switch s.r.IntN(20) {
	case 0:
		s.messages = append(s.messages[:k:k], s.messages[k+1:]...)
	case 1:
		s.messages = append(s.messages, s.messages[k])
		fallthrough
	default:
		miss := 0
		if s.r.IntN(4) == 0 {
			miss = []int{1, 2, 100}[s.r.IntN(3)]
		}
		s.deliver(k, miss)
	}
}

// events are what may happen to a node that is up, and how often beside the others.
var events = []struct {
	weight int
	what   func(s *schedule, i, lane int)
}{
	{15, func(s *schedule, i, lane int) {
		if top := s.contents(i).top; s.nodes[i].log.Ready() && top < mostIDs {
			s.begin(i, put, top+1, max(1, s.r.IntN(6)-2))
		}
	}},
	{10, func(s *schedule, i, lane int) {
		s.nodes[i].log.Follow(lane)
		s.settle(i, nil)
	}},
	{5, func(s *schedule, i, lane int) {
		if s.nodes[i].lane[lane] != 0 {
			s.timeout(i, lane)
		}
	}},
	{2, func(s *schedule, i, lane int) {
		if s.nodes[i].log.role == Follower {
			s.stand(i)
		}
	}},
	{6, func(s *schedule, i, lane int) { s.sync(i) }},
	{3, func(s *schedule, i, lane int) {
		if s.nodes[i].counts != nil {
			s.purge(i, lane)
		}
	}},
	{1, func(s *schedule, i, lane int) { s.crash(i) }},
	{1, func(s *schedule, i, lane int) {
		if s.nodes[i].log.Ready() {
			s.nodes[i].log.Use(lane)
		}
	}},
	{2, func(s *schedule, i, lane int) { s.renew(i) }},
	{2, func(s *schedule, i, lane int) { s.giveUp(i, s.r.IntN(len(s.nodes))) }},
}

// weigh has some events come more often than others, in each schedule other ones: what is rare in
// all of them would hardly meet.
func (s *schedule) weigh(weights ...int) {
	for k, weight := range weights {
		for range weight * []int{0, 1, 1, 1, 5}[s.r.IntN(5)] {
			s.mix = append(s.mix, k)
		}
	}
}

// step is one event.
func (s *schedule) step() {
	if len(s.mix) == 0 || s.r.IntN(100) < 55 {
		s.message()
		return
	}
	i := s.r.IntN(len(s.nodes))
	switch n := s.nodes[i]; {
	case n.log != nil:
		events[s.mix[s.r.IntN(len(s.mix))]].what(s, i, s.r.IntN(2))
	case s.r.IntN(3) > 0:
	case n.copying == nil:
		s.start(i)
	case s.r.IntN(4) == 0:
		s.crash(i)
	default:
		s.copied(i)
	}
}

// renew gives a node that lacks records another's store.
func (s *schedule) renew(i int) {
	from := s.r.IntN(len(s.nodes))
	if s.nodes[i].log.Gap() && s.nodes[from].store.durable.Number > s.nodes[i].store.durable.Number {
		s.copies(i, from)
	}
}

// play runs a schedule, and then lets everything calm down: somebody must own the shard, and all
// must get what it writes.
func play(seed uint64, steps int, set func(*world)) (*world, error) {
	w := newWorld(3)
	if set != nil {
		set(w)
		for _, n := range w.nodes {
			n.log.without = w.without
		}
	}
	s := &schedule{world: w, r: rand.New(rand.NewPCG(seed, 1))}
	var weights []int
	for _, e := range events {
		weights = append(weights, e.weight)
	}
	s.weigh(weights...)
	for range steps {
		if s.step(); w.wrong != nil {
			return w, w.wrong
		}
	}
	if set == nil {
		s.calm()
	}
	return w, w.wrong
}

// calm has everybody up and every message delivered, until a new owner has written and all have it.
func (s *schedule) calm() {
	for i, n := range s.nodes {
		if n.copying != nil {
			s.copied(i)
		} else if n.log == nil {
			s.start(i)
		}
	}
	before := s.acked
	for range 200 {
		owner := -1
		for i, n := range s.nodes {
			if n.log.role == Owner && (owner < 0 || n.log.epoch > s.nodes[owner].log.epoch) {
				owner = i
			}
		}
		if owner < 0 {
			s.stand(s.r.IntN(len(s.nodes)))
		} else if s.nodes[owner].log.Ready() && s.acked < before+2 {
			s.write(owner)
		}
		done := s.acked >= before+2
		for i, n := range s.nodes {
			for l := range n.lane {
				n.log.Follow(l)
				s.settle(i, nil)
			}
			for len(s.messages) > 0 && s.wrong == nil {
				s.deliver(0, 0)
			}
			for l := range n.lane {
				if n.lane[l] != 0 {
					s.timeout(i, l)
				}
			}
			s.sync(i)
			if s.renew(i); n.log == nil {
				s.copied(i)
			}
			done = done && n.store.now.Number == uint64(len(s.content))
		}
		if done || s.wrong != nil {
			return
		}
	}
	s.fail("it does not calm down: %d acknowledged, %d before", s.acked, before)
}

// P1 to P9, K1 to K6 and K8: whatever is late, lost or doubled, whoever crashes or stands, and
// whatever is purged and copied meanwhile.
func TestRandomSchedules(t *testing.T) {
	seeds := 10_000
	if brief() {
		seeds = 1000
	}
	var acked, purged, epochs, candidates int
	for seed := range seeds {
		w, err := play(uint64(seed), 400, nil)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		acked += int(w.acked)
		epochs += len(w.owners)
		purged += w.engine[0].purged + w.engine[1].purged
		candidates += int(w.nonces)
	}
	if acked < seeds || epochs < seeds || purged < seeds/2 {
		t.Errorf("only %d acknowledged, %d purged, %d epochs", acked, purged, epochs)
	}
	t.Logf("%d acknowledged, %d purged, %d epochs, %d candidates", acked, purged, epochs, candidates)
}
