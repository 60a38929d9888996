package queue

import (
	"slices"
	"testing"

	"beanfield/shard/queue/policy"
)

// What changes while a turn's share is used up is looked at afterwards: a group that has been
// passed by may be over by then.
func TestAGroupThatIsOverMeanwhile(t *testing.T) {
	w := newWorld(t)
	w.run(`
		g.a sub 0
		h.x sub 1
		w put 0 0 60 -> 1 => h.x:1
		g.a end`)
	v := w.s.tubes["default"].service
	v.ending, v.visited = true, len(v.views)+1 // as if both groups had just been looked at
	w.s.ending = append(w.s.ending, v)
	limits := policy.Limits{}
	op := Op{Kind: Service, Ask: &Ask{What: AskDelete, Queue: "default", Limits: &limits, Indexes: []uint64{1}}}
	w.s.Apply(w.now, &Batch{Ops: []Op{op}}, &op)
	w.pushed = nil
	w.feed()
	if want := []string{"h.x:over", "g.a:over"}; !slices.Equal(w.pushed, want) {
		t.Errorf("told are %v, want %v", w.pushed, want)
	}
}
