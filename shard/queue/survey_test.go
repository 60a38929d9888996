package queue

import (
	"cmp"
	"slices"
)

// compareLists compares what a console is shown of each tube's jobs with the model.
func (x *machine) compareLists() {
	s, now := x.w.s, x.w.now
	for _, tube := range machineTubes {
		all := x.m.listed(tube, 0)
		var list []JobFigures
		for from := uint32(1); from != 0; {
			var some []JobFigures
			if some, from = s.Survey(now, tube, from, 4, 3); len(some) > 3 {
				x.w.t.Fatalf("a survey of 3 jobs tells of %d", len(some))
			}
			list = append(list, some...)
		}
		slices.SortFunc(list, func(a, b JobFigures) int { return cmp.Compare(a.ID, b.ID) })
		if !slices.Equal(told(list), all) {
			x.w.t.Fatalf("a survey of %s tells of %v, want %v", tube, told(list), all)
		}
		for _, st := range []JobState{Ready, Delayed, Buried} {
			want := x.m.listed(tube, st)
			for _, n := range []int{1, 3, 1000} {
				if got := told(s.Heads(now, tube, st, n)); !slices.Equal(got, want[:min(n, len(want))]) {
					x.w.t.Fatalf("the first %d jobs of %s that are %v are %v, want %v", n, tube, st, got, want)
				}
			}
		}
	}
}

func told(list []JobFigures) (ids []uint64) {
	for i := range list {
		ids = append(ids, list[i].ID)
	}
	return ids
}

// listed are the ids of a tube's jobs: in one state in their order, or all by id.
func (m *model) listed(tube string, st JobState) (ids []uint64) {
	var list []*mJob
	for i := range m.jobs {
		if j := &m.jobs[i]; j.tube == tube && j.state != Passed && (st == 0 || j.state == st) {
			list = append(list, j)
		}
	}
	slices.SortFunc(list, func(a, b *mJob) int {
		first := 0
		switch st {
		case Ready:
			first = cmp.Compare(a.pri, b.pri)
		case Delayed:
			first = cmp.Compare(a.deadline, b.deadline)
		case Buried:
			return cmp.Compare(a.buried, b.buried)
		}
		return cmp.Or(first, cmp.Compare(a.id, b.id))
	})
	for _, j := range list {
		ids = append(ids, j.id)
	}
	return ids
}
