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

// limit gives the server limits, in one of three games, or other ones.
func (s *simulation) limit() {
	if !s.limited && s.rnd.IntN(3) > 0 {
		return
	}
	s.limited = true
	s.most = queue.Amount{queue.BoundJobs: int64(s.rnd.IntN(20)), queue.BoundBytes: int64(s.rnd.IntN(3) * 40)}
	s.bed.r.SetLimits(s.most)
	s.before = s.bed.r.Quota().Used()
}

// checkQuota compares what counts for the server's limits with what shards have. All jobs come by puts here, so there is
// never more than the limits allow, or than there was when they were set.
func (s *simulation) checkQuota() {
	if s.most == (queue.Amount{}) {
		return
	}
	used := s.bed.r.Quota().Used()
	for b, n := range used {
		if most := s.most[b]; most > 0 && n > max(most, s.before[b]) {
			s.fatalf("QT1: %v of %s are used, of which there may be %d", n, queue.Bound(b), most)
		}
	}
	jobs, bytes := int64(0), int64(0)
	for _, p := range s.bed.shards {
		f := p.state.Figures()
		jobs, bytes = jobs+int64(f.Jobs), bytes+f.Inside+f.Outside
	}
	if used[queue.BoundJobs] != jobs || used[queue.BoundBytes] != bytes {
		s.fatalf("QT1: %v are counted; there are %d jobs of %d bytes", used, jobs, bytes)
	}
}

// checkLimits looks for tubes of which more is reserved than may be. Nobody takes jobs by their ids where
// there are limits: these are not held back.
func (s *simulation) checkLimits() {
	s.checkQuota()
	for tube, p := range s.policies {
		st, _ := s.bed.stats(tube)
		if p.MaxReserved > 0 && st.Reserved > p.MaxReserved {
			s.fatalf("M4: %d jobs of %s are reserved, of which there may be %d", st.Reserved, tube, p.MaxReserved)
		}
	}
}
