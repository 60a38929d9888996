package queue

import (
	"slices"
	"testing"
)

// What of an item's deliveries outlives the process (doc.go, Deliveries): each time that
// it was taken back, however that came about, and nothing else.
func TestDeliveriesOutliveTheProcess(t *testing.T) {
	runScripts(t, []script{
		{"refusals count on, and the last one is a dead letter", `
			limits delivery=3 dead=rear
			g.a sub 1
			g.a item 1024 -> 1 => g.a:1
			g.a negative No why 1 => g.a:1/2
			restart
			g.a sub 1 => g.a:1/2
			g.a negative No why 1 => g.a:1/3
			restart
			g.a sub 1 => g.a:1/3
			g.a negative No why 1
			restart
			g.a sub 1
			g.a attrs -> length=0 rear=1`},
		{"what is pending when the process ends is sent again, uncounted", `
			limits delivery=1 dead=drop
			g.a sub 1
			h.x sub 1
			g.a item 1024 -> 1 => g.a:1 h.x:1
			restart
			g.a sub 1 => g.a:1
			h.x sub 1 => h.x:1
			restart
			g.a sub 1 => g.a:1
			g.a negative No why 1
			h.x sub 1 => h.x:1
			h.x negative No why 1
			g.a attrs -> length=0`},
		{"a refusal of what was sent before the restart is no refusal", `
			limits delivery=2
			g.a sub 1
			h.x sub 1
			g.a item 1024 -> 1 => g.a:1 h.x:1
			restart
			g.a negative No why 1
			h.x negative No why 1
			g.a sub 1 => g.a:1
			h.x sub 1 => h.x:1`},
		{"a dead letter is counted anew in the rear queue", `
			limits delivery=2 dead=rear
			g.a sub 1
			g.a item 1024 -> 1 => g.a:1
			g.a negative No why 1 => g.a:1/2
			g.a negative No why 1
			restart
			g.r@default;rear sub 1 => g.r@default;rear:1
			g.r@default;rear negative No why 1 => g.r@default;rear:1/2
			restart
			g.r@default;rear sub 1 => g.r@default;rear:1/2`},
	})
}

// Nor is it lost that items were taken back from consumers that did not refuse them.
func TestTakenBackOutlivesTheProcess(t *testing.T) {
	runScripts(t, []script{
		{"a consumer that stays away", `
			limits leaving=1s
			g.a sub 1
			h.x sub 1
			g.a item 1024 -> 1 => g.a:1 h.x:1
			g.a leave
			h.x leave
			+1s
			restart
			g.a sub 1 => g.a:1/2
			h.x sub 1 => h.x:1/2`},
		{"an item that is held for too long", `
			limits idle=1s
			g.a sub 1
			h.x sub 1
			g.a item 1024 -> 1 => g.a:1 h.x:1
			+1s => g.a:1/2 h.x:1/2
			restart
			g.a sub 1 => g.a:1/2
			h.x sub 1 => h.x:1/2`},
		{"a TTR that passes at a consumer", `
			g.a sub 1
			w put 0 0 5 -> 1 => g.a:1
			+5s => g.a:1/2
			restart
			w poll -> 1
			+5s                  # at a worker it counts for nobody
			restart
			g.a sub 1 => g.a:1/2`},
	})
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

// While the log has no room even for updates, no item becomes a dead letter, and what is
// refused is not logged. The next record of the item has it.
func TestDeliveriesWithoutRoom(t *testing.T) {
	runScripts(t, []script{
		{"refusals are kept in memory", `
			limits delivery=2 dead=drop
			g.a sub 1
			h.x sub 1
			g.a item 1024 -> 1 => g.a:1 h.x:1
			log packed
			g.a negative No why 1 => g.a:1/2
			g.a negative No why 1 => g.a:1/3
			h.x negative No why 1 => h.x:1/2
			h.x negative No why 1 => h.x:1/3
			log room
			h.x negative No why 1
			restart
			g.a sub 1 => g.a:1/3
			h.x sub 1`},
	})
}
