package queue

import (
	"fmt"
	"testing"
)

// A consumer whose connection has gone, and what it had.
func TestLeave(t *testing.T) {
	runScripts(t, []script{
		{"who leaves with nothing pending is complete", `
			limits leaving=10s
			g.a sub 1
			w stats-tube default -> watching=2 waiting=1
			g.a leave
			w stats-tube default -> watching=1 waiting=0
			g.a attrs -> g.a=Complete/0/1
			g.a item 1024 -> 1
			+299s
			g.a attrs -> consumers=1
			+2s
			g.a attrs -> consumers=0 groups=1`},
		{"who leaves with items keeps them for a while", `
			limits leaving=10s
			g.a sub 2
			g.a item 1024 -> 1 => g.a:1
			g.a item 1024 -> 2 => g.a:2
			g.b sub 3
			g.a leave
			g.a attrs -> g.a=Leaving/2/0
			+9s
			g.a commit 1
			g.a attrs -> g.a=Leaving/1/1
			+1s => g.b:2/2
			g.a attrs -> g.a=Exit/0/2 g.b=Running/1/2
			g.a commit 2
			g.a attrs -> length=0`},
		{"who commits all after it left is complete", `
			limits leaving=10s
			g.a sub 2
			g.a item 1024 -> 1 => g.a:1
			g.a leave
			g.a commit 1
			g.a attrs -> g.a=Complete/0/2
			+11s
			g.a attrs -> g.a=Complete/0/2`},
		{"who comes back has its items sent again, and others get none", `
			limits leaving=10s
			g.b sub 1
			g.a sub 2
			g.b item 1024 -> 1 => g.b:1
			g.b item 1024 -> 2 => g.a:2
			g.a leave
			g.b commit 1
			g.a sub 2 => g.a:2
			+20s
			g.a attrs -> g.a=Running/1/1`},
	})
}

// Limits.Forget: a consumer that has left, with nothing pending, goes from the list.
func TestHowLongAConsumerIsShown(t *testing.T) {
	runScripts(t, []script{
		{"how long it is shown", `
			limits forget=2s leaving=3s
			g.a sub 1
			g.b sub 1
			g.b leave
			+1s
			g.a item 1024 -> 1 => g.a:1
			g.a leave
			g.c sub 0
			+1s
			g.a attrs -> consumers=2 g.a=Leaving/1/0
			+2s
			g.a attrs -> g.a=Exit/0/1
			+2s
			g.a attrs -> consumers=1`},
		{"and when that is changed, for whom it was longer", `
			limits forget=24h
			g.a sub 1
			g.a leave
			x.a@other sub 1
			x.a@other leave
			limits forget=2s
			y.a@third sub 0
			x.a@other attrs -> consumers=1
			+2s
			x.a@other attrs -> consumers=0
			g.a attrs -> consumers=0`},
	})
}

// However many consumers come and go, few are remembered.
func TestDepartedConsumersAreBounded(t *testing.T) {
	f := newPushField(0, 1)
	for i := range departedMost + 50 {
		k := &sink{f: f, user: fmt.Sprint(i)}
		f.ask(&Ask{What: AskWatch, Queue: "q", Group: "g", User: k.user, Limits: &f.limits, Receiver: k, Window: 1})
		f.endTurn()
		f.ask(&Ask{What: AskLeave, Queue: "q", Group: "g", User: k.user, Limits: &f.limits, Receiver: k})
		f.endTurn()
	}
	if err := f.s.Check(); err != nil {
		t.Error(err)
	}
	users := f.s.tubes["q"].service.first.users
	if len(users) != departedMost || users["49"] != nil || users["50"] == nil {
		t.Errorf("%d consumers are remembered, want the latest %d", len(users), departedMost)
	}
	f.now += forgetAfter
	f.endTurn()
	if len(users) != 0 {
		t.Errorf("%d consumers are remembered for ever", len(users))
	}
}
