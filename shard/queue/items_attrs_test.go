package queue

import (
	"slices"
	"testing"
)

// Whoever only looks at a tube of beanstalk clients changes nothing there.
func TestLookingMakesNoService(t *testing.T) {
	w := newWorld(t)
	w.run(`
		w put 0 0 60 -> 1
		w put 0 9 60 -> 2
		w put 0 0 60 -> 3
		w put 0 0 60 -> 4
		g.a attrs -> length=4 first=0 last=4 consumers=0 groups=0
		w poll -> 1
		w delete 4
		g.a attrs -> length=3 last=4     # so a truncate before 5 empties the tube
		g.a commit 3
		g.a negative No why 1
		g.a leave
		g.a drop -> no
		q count default -> 3
		restart
		g.a attrs -> length=3 last=3
		w delete 1
		w delete 2
		w delete 3
		g.a attrs -> length=0 last=0`)
	if w.s.tubes["default"].service != nil {
		t.Error("the tube has a service now")
	}
	w.run(`
		w put 0 0 60 -> 5
		w put 0 0 60 -> 6
		g.a sub 1 => g.a:5
		g.a attrs -> length=2 first=5 last=6
		w delete 6
		g.a attrs -> length=1 first=5 last=5`)
}

// What a group was sent is counted since the process began: sending is not logged.
func TestGroupsCountSinceTheStart(t *testing.T) {
	w := newWorld(t)
	groups := func() (list []GroupInfo) {
		op := Op{Kind: Service, Ask: &Ask{What: AskAttrs, Queue: "default", Limits: testLimits}}
		w.service(&op)
		return op.Ask.Attrs.Groups
	}
	expect := func(want ...GroupInfo) {
		t.Helper()
		if got := groups(); !slices.Equal(got, want) {
			t.Errorf("the groups are %+v, want %+v", got, want)
		}
	}
	w.run(`
		g.a sub 2
		h.x sub 2
		g.a item 1024 -> 1 => g.a:1 h.x:1
		g.a item 1024 -> 2 => g.a:2 h.x:2
		g.a commit 2`)
	expect(GroupInfo{"g", 2, 1, 2, 1}, GroupInfo{"h", 2, 2, 2, 1})
	w.run("restart")
	expect(GroupInfo{Group: "g"}, GroupInfo{Group: "h"})
	w.run(`
		g.a sub 2 => g.a:1
		h.x sub 1 => h.x:1`)
	expect(GroupInfo{"g", 1, 1, 1, 1}, GroupInfo{"h", 1, 1, 1, 1})
}
