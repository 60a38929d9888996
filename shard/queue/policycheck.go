package queue

import (
	"fmt"

	"beanfield/shard/queue/cells"
)

// checkPolicy looks at what a tube has for its policy (M2).
func (s *State) checkPolicy(t *tube) error {
	p := t.policy
	if (p.victims != nil) != (p.Full != FullRefuse) {
		return fmt.Errorf("M2: tube %q has the wrong rankings", t.name)
	}
	if p.victims != nil {
		return s.checkRanking(p.victims, s.policies.victims, s.ranked(t), t.ready.N, func(j *job, slot uint32) (cells.Entry, bool) {
			return p.Full.victimKey(j, slot), j.tube() == t.slot && j.state() == Ready
		})
	}
	return nil
}

// checkSizes counts the jobs of all tubes and their bytes (M1). seen are all jobs.
func (s *State) checkSizes(seen map[uint32]string) error {
	count, bytes := map[uint32]int{}, map[uint32]int64{}
	for slot := range seen {
		j := s.jobs.At(slot)
		count[j.tube()]++
		bytes[j.tube()] += int64(j.size)
	}
	for name, t := range s.tubes {
		if t.count != count[t.slot] || t.bytes != bytes[t.slot] {
			return fmt.Errorf("M1: tube %q counts %d jobs of %d bytes, has %d of %d", name, t.count, t.bytes, count[t.slot], bytes[t.slot])
		}
	}
	return nil
}
