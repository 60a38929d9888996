package router

import (
	"beanfield/shard/queue"
	"beanfield/shard/queue/naive"
)

// rule gives tubes weights, and limits on what is handed out, in two of three games.
func (s *simulation) rule() {
	if s.rnd.IntN(3) == 0 {
		return
	}
	for _, tube := range s.tubes {
		p := &queue.Policy{Weight: s.rnd.IntN(6), Aging: int64(s.rnd.IntN(3)) * 5e8}
		if s.rnd.IntN(3) == 0 {
			p.MaxReserved = 1 + s.rnd.IntN(3)
		}
		if s.rnd.IntN(4) > 0 {
			s.policies[tube] = p
		}
	}
}

// ruled are the same in the model's words.
func (s *simulation) ruled() map[string]*naive.Policy {
	all := map[string]*naive.Policy{}
	for tube, p := range s.policies {
		all[tube] = &naive.Policy{Weight: p.Weight, MaxReserved: p.MaxReserved, Aging: p.Aging}
	}
	return all
}

// checkLimits looks for tubes of which more is reserved than may be. Nobody takes jobs by their ids where
// there are limits: these are not held back.
func (s *simulation) checkLimits() {
	for tube, p := range s.policies {
		st, _ := s.bed.stats(tube)
		if p.MaxReserved > 0 && st.Reserved > p.MaxReserved {
			s.fatalf("M4: %d jobs of %s are reserved, of which there may be %d", st.Reserved, tube, p.MaxReserved)
		}
	}
}
