package queue

import "beanfield/shard/queue/cells"

// A console shows jobs that it does not take. It asks in looks, not in operations, so
// what it is shown changes nothing and does not wait for the log.

// JobFigures are what there is to tell of a job.
type JobFigures struct {
	JobInfo
	Size uint32
	Been []Trace // in other tubes, the oldest first; nil for most jobs
}

// Heads tells of the first jobs of a tube in one state, at most n, in the order in which
// they leave it: ready jobs by priority, delayed jobs by time, buried jobs as kick takes
// them. Reserved jobs have no such order.
func (s *State) Heads(now int64, tube string, st JobState, n int) (list []JobFigures) {
	s.now = now
	t := s.tubes[tube]
	if t == nil {
		return nil
	}
	switch st {
	case Ready:
		list = s.headsOf(&t.ready, n)
	case Delayed:
		list = s.headsOf(&t.delayed, n)
	case Buried:
		for slot := t.buried.Head; slot != 0 && len(list) < n; slot = s.linksOf(slot).Next {
			list = append(list, s.jobFigures(slot))
		}
	}
	return list
}

// headsOf finds the smallest entries of a heap.
func (s *State) headsOf(h *cells.Heap, n int) (list []JobFigures) {
	var f frontier
	for f.add(h, 0); len(f.best) > 0 && len(list) < n; {
		list = append(list, s.jobFigures(f.next(h).Slot))
	}
	return list
}

func (s *State) jobFigures(slot uint32) JobFigures {
	return JobFigures{JobInfo: s.jobInfo(slot), Size: s.job(slot).size, Been: s.TracesOf(slot)}
}

// Been says where a job has been a dead letter, or was moved from; nil also if there is no such job.
func (s *State) Been(id uint64) []Trace {
	slot := s.slotOf(id)
	if slot == 0 || s.job(slot).onItsWay() {
		return nil
	}
	return s.TracesOf(slot)
}
