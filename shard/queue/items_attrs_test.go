package queue

import "testing"

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
