package queue

import (
	"slices"

	"beanfield/shard/queue/cells"
)

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

// headsOf finds the smallest entries of a heap: behind each that is found, its children
// may be the next.
func (s *State) headsOf(h *cells.Heap, n int) (list []JobFigures) {
	edge := []uint32{} // positions of entries whose parents are in the list, the best last
	add := func(i uint32) {
		if i >= h.N {
			return
		}
		at, _ := slices.BinarySearchFunc(edge, h.At(i), func(p uint32, e *cells.Entry) int {
			if q := h.At(p); e.Before(*q) {
				return -1
			}
			return 1
		})
		edge = slices.Insert(edge, at, i)
	}
	for add(0); len(edge) > 0 && len(list) < n; {
		i := edge[len(edge)-1]
		edge = edge[:len(edge)-1]
		list = append(list, s.jobFigures(h.At(i).Slot))
		for child := 4*i + 1; child <= 4*i+4; child++ {
			add(child)
		}
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
