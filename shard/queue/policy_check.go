package queue

import (
	"fmt"

	"beanfield/shard/queue/cells"
	"beanfield/shard/queue/policy"
)

// checkPolicy looks at what a tube has for its policy (M2).
func (s *State) checkPolicy(t *tube) error {
	p := t.policy
	if (p.victims != nil) != (p.Full != policy.FullRefuse) || (p.ages != nil) != (p.Expire > 0) {
		return fmt.Errorf("M2: tube %q has the wrong rankings", t.name)
	}
	if !p.rate.Sound(p.Policy) {
		return fmt.Errorf("M4: tube %q has %+v", t.name, p.rate)
	}
	if p.ages != nil {
		var at int64
		if h := p.ages; h.N > 0 {
			at = s.expires(p.Policy, int64(h.Top().Major)*millisecond)
		}
		all := &s.policies
		if pos := all.expiringAt.Get(t.slot); (pos != cells.Nowhere) != (at != 0) || at != 0 &&
			(pos >= all.expiring.N || int64(all.expiring.At(pos).Major) != at) {
			return fmt.Errorf("M3: tube %q has jobs that are too old at %d, which is in no timeline", t.name, at)
		}
		want := t.ready.N
		if !p.ExpireReady {
			want += t.delayed.N + uint32(t.buried.N)
		}
		err := s.checkRanking(p.ages, all.ages, s.ranked(t), want, func(j *job, slot uint32) (cells.Entry, bool) {
			return s.ageKey(p.Policy, slot), j.tube() == t.slot && p.countsAge(j.state())
		})
		if err != nil {
			return err
		}
	}
	if p.victims != nil {
		return s.checkRanking(p.victims, s.policies.victims, s.ranked(t), t.ready.N,
			func(j *job, slot uint32) (cells.Entry, bool) {
				return victimKey(p.Full, j, slot), j.tube() == t.slot && j.state() == Ready
			})
	}
	return nil
}

// checkSizes counts the jobs of all tubes and their bytes (M1). seen are all jobs.
func (s *State) checkSizes(seen map[uint32]string) error {
	count, bytes := map[uint32]int{}, map[uint32]int64{}
	for slot := range seen {
		j := s.job(slot)
		if j.state() == Leaving || s.interred(slot) {
			continue
		}
		count[j.tube()]++
		bytes[j.tube()] += int64(j.size)
	}
	for name, t := range s.tubes {
		if t.count != count[t.slot] || t.bytes != bytes[t.slot] {
			return fmt.Errorf("M1: tube %q counts %d jobs of %d bytes, has %d of %d", name, t.count, t.bytes,
				count[t.slot], bytes[t.slot])
		}
	}
	return nil
}
