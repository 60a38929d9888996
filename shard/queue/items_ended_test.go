package queue

import (
	"fmt"
	"slices"
	"testing"

	"beanfield/shard/queue/policy"
)

// Q7: consumers learn that their queue has ended, when nothing is left for them.
func TestConsumersLearnOfTheEnd(t *testing.T) {
	runScripts(t, []script{
		{"at once if there is nothing", `
			g.a sub 1
			g.b sub 1 k=v
			h.x sub 1
			w poll -> timeout
			g.a end => h.x:over g.b:over g.a:over
			g.a end
			g.a item 0 -> ended`},
		{"each group when it is done with everything", `
			g.a sub 1
			h.x sub 9
			g.a item 0 -> 1 => g.a:1 h.x:1
			g.a item 0 -> 2 => h.x:2
			g.a end
			g.a commit 1 => g.a:2
			h.x commit 1
			h.x commit 2 => h.x:over
			g.b sub 1
			g.a negative No why 2 => g.b:2/2
			g.b commit 2 => g.b:over g.a:over`},
		{"not before what is delayed, and what workers hold", `
			g.a sub 1
			w put 0 9 60 -> 1
			g.a end
			w put 0 0 60 -> 2 => g.a:2
			w put 0 0 60 -> 3
			w poll -> 3
			g.a commit 2
			w delete 3
			+9s => g.a:1
			g.a commit 1 => g.a:over`},
		{"who watches a queue that has ended", `
			g.a end
			g.a sub 1 => g.a:over
			h.x sub 1 => h.x:over
			restart
			g.a sub 1 => g.a:over
			h.x sub 1 => h.x:over`},
		{"behind what is done as soon as it is sent", `
			g.p sub 0
			g.a item 0 -> 1
			g.a item 0 -> 2
			g.a end
			g.a sub 0 auto => g.a:1 g.a:2 g.a:over g.p:over
			h.x sub 0 auto index=1 => h.x:over`},
		{"whoever has room only later", `
			limits unsent=1
			g.a sub 9
			g.a item 0 -> 1 => g.a:1
			g.a commit 1
			g.a end
			g.a sent => g.a:over`},
	})
}

// What ends the last item does not matter.
func TestWhatMakesAGroupOver(t *testing.T) {
	for name, last := range map[string]string{
		"a delete over HTTP": "q delete default 1 => h.x:over g.a:over",
		"truncate":           "q trunc default 9 => h.x:over g.a:over",
		"a get":              "q get default take -> 1 => h.x:over g.a:over",
		"a worker's delete":  "w delete 1 => h.x:over g.a:over",
		"a forced end":       "g.a end force => h.x:over g.a:over",
		"a bury, and a commit": "w poll -> 1\nw bury 1 0 => g.a:over\nh.x sub 1 => h.x:replaced h.x:1\nh.x commit " +
			"1 => h.x:over",
		"a worker, and a view": "w poll -> 1\nw delete 1 => g.a:over\nh.x sub 1 => h.x:replaced h.x:1\nh.x commit " +
			"1 => h.x:over",
		"the rear queue": "limits delivery=1\nh.x sub 1 => h.x:replaced h.x:1\nh.x commit 1 => " +
			"h.x:over\ng.a sub 1 => g.a:replaced g.a:1\ng.a negative No why 1 => g.a:over",
		"the end of other group": "i.y sub 1 => i.y:1\ni.y drop => i.y:removed\nw delete 1 => h.x:over g.a:over",
	} {
		t.Run(name, func(t *testing.T) {
			newWorld(t).run("g.a sub 0\nh.x sub 0\nw put 0 0 60 -> 1\ng.a end\n" + last)
		})
	}
}

// A connection that ends with the queue is told once, so that a client that always
// connects again does so once.
func TestTheEndIsToldOnce(t *testing.T) {
	runScripts(t, []script{
		{"who comes back waits, and gets what workers put", `
			g.a sub 1 closes
			g.b sub 1
			g.a end => g.b:over g.a:over
			w put 0 0 60 -> 1 => g.b:1
			w put 0 0 60 -> 2       # not to a connection that is about to end
			g.a leave
			g.b leave
			g.a sub 9 closes => g.a:1/2 g.a:2
			g.a commit 1 2
			g.b sub 1 => g.b:over
			g.a leave
			g.a sub 1 closes
			g.a leave
			+300s
			g.a sub 1 closes => g.a:over`},
		{"a view's", `
			g.p sub 0
			h.a sub 1 closes
			g.a end => h.a:over g.p:over
			h.a leave
			w put 0 0 60 -> 1
			h.a sub 1 closes => h.a:1
			h.a commit 1
			h.a leave
			h.a sub 1 closes`},
	})
}

// The consumers of a large group are told in shares, also if some are forgotten meanwhile.
func TestTheEndIsToldInShares(t *testing.T) {
	w := newManyWorld(t, 0, 4*moving)
	const n = 300
	told := ""
	for i := range n {
		w.run(fmt.Sprintf("g.c%03d sub 1", i))
		told += fmt.Sprintf(" g.c%03d:over", n-1-i)
	}
	w.run("g.c000 end =>" + told)
	if w.slices != 1 {
		t.Errorf("the end itself takes %d turns", w.slices)
	}
}

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
