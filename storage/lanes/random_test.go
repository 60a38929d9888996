package lanes

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// schedule is a random order of events.
type schedule struct {
	*world
	r *rand.Rand
}

// node picks one that is up, or -1.
func (s *schedule) node() int {
	i := s.r.IntN(len(s.nodes))
	if s.nodes[i].log == nil {
		return -1
	}
	return i
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
	switch s.r.IntN(20) {
	case 0:
		s.messages = append(s.messages[:k:k], s.messages[k+1:]...)
	case 1:
		if m := s.messages[k]; m.answer || m.Data == nil { // the engine takes no append twice
			s.messages = append(s.messages, m)
		}
		fallthrough
	default:
		miss := 0
		if s.r.IntN(4) == 0 {
			miss = s.r.IntN(3)
		}
		s.deliver(k, miss)
	}
}

// step is one event.
func (s *schedule) step() {
	what := s.r.IntN(100)
	if what < 55 {
		s.message()
		return
	}
	i := s.node()
	if i < 0 {
		i = s.r.IntN(len(s.nodes))
		switch n := s.nodes[i]; {
		case n.log != nil || s.r.IntN(3) > 0:
		case n.copying == nil:
			s.start(i)
		case s.r.IntN(4) == 0:
			s.crash(i)
		default:
			s.copied(i)
		}
		return
	}
	n, l := s.nodes[i], s.r.IntN(2)
	switch {
	case what < 70:
		if n.log.Ready() {
			s.write(i)
		}
	case what < 80:
		n.log.Follow(l)
		s.settle(i, nil)
	case what < 85:
		if n.lane[l] != 0 {
			s.timeout(i, l)
		}
	case what < 87:
		if n.log.role == Follower {
			s.stand(i)
		}
	case what < 93:
		s.sync(i)
	case what < 96:
		if n.counts != nil {
			s.purge(i, l)
		}
	case what < 97:
		s.crash(i)
	case what < 98:
		if n.log.Ready() {
			n.log.Use(l)
		}
	default:
		s.renew(i)
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
	s := &schedule{w, rand.New(rand.NewPCG(seed, 1))}
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
	seeds := 20_000
	if testing.Short() {
		seeds = 1000
	}
	var acked, purged, epochs, gaps int
	for seed := range seeds {
		w, err := play(uint64(seed), 400, nil)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		acked += int(w.acked)
		epochs += len(w.owners)
		purged += w.engine[0].purged + w.engine[1].purged
		gaps += int(w.nonces)
	}
	if acked < seeds || epochs < seeds || purged < seeds {
		t.Errorf("only %d acknowledged, %d purged, %d epochs", acked, purged, epochs)
	}
	t.Log(fmt.Sprintf("%d acknowledged, %d purged, %d epochs, %d candidates", acked, purged, epochs, gaps))
}
