package queue

import (
	"cmp"
	"slices"

	"beanfield/shard/queue/naive"
)

// compareLists compares what a console is shown of each tube's jobs with the model.
func (x *machine) compareLists() {
	s, now := x.w.s, x.w.now
	for _, tube := range machineTubes {
		all := ids(slices.DeleteFunc(x.m.In(tube), func(j *naive.Job) bool { return j.State == naive.Passed }))
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
			want := ids(x.m.Listed(naive.State(st.String()), tube))
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

func ids(list []*naive.Job) (ids []uint64) {
	for _, j := range list {
		ids = append(ids, j.ID)
	}
	return ids
}
