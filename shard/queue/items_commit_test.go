package queue

import (
	"strings"
	"testing"
)

// Items that a consumer cannot process: others get them.
func TestNegative(t *testing.T) {
	runScripts(t, []script{
		{"a negative gives the item to another one", `
			g.a sub 2
			g.b sub 1
			g.a item 1024 -> 1 => g.a:1
			g.a negative NoMemory try 1 => g.b:1/2
			g.b negative NoMemory try 1 => g.a:1/3
			g.b commit 1
			g.a attrs -> length=0`},
		{"nobody else has room, so it comes back", `
			g.a sub 1
			g.a item 1024 -> 1 => g.a:1
			g.a negative Later why 1 => g.a:1/2`},
		{"a farewell ends pushes until the next watch", `
			g.a sub 1
			g.a item 1024 -> 1 => g.a:1
			g.a negative Shutdown bye
			g.a commit 1
			g.a item 1024 -> 2
			g.a negative Shutdown bye 2
			g.a sub 1 => g.a:replaced g.a:2`},
		{"a negative of what another one has says nothing", `
			g.a sub 1
			g.b sub 1
			g.a item 1024 -> 1 => g.a:1
			g.b negative No why 1 5 0`},
		{"what is given back may still be committed", `
			limits leaving=1s
			g.a sub 1
			g.a item 1024 -> 1 => g.a:1
			g.a leave
			+1s
			g.a commit 1
			g.a attrs -> length=0`},
		{"a commit counts after a restart", `
			g.a sub 1
			h.x sub 1
			g.a item 1024 -> 1 => g.a:1 h.x:1
			restart
			g.a commit 1
			w stats-job 1 -> no
			g.a attrs -> length=1
			h.x commit 1
			g.a attrs -> length=0`},
		{"a commit leaves alone what is the workers'", `
			g.a sub 1
			g.a leave
			w put 0 0 60 -> 1
			w put 0 9 60 -> 2
			w put 0 0 60 -> 3
			w poll -> 1
			w bury 1 0
			w poll -> 3
			g.a commit 1 2 3
			w stats-tube default -> buried=1 delayed=1 reserved=1`},
	})
}

// Items that were sent too often.
func TestDeadLetters(t *testing.T) {
	runScripts(t, []script{
		{"a dead letter goes to the rear queue, with its id and body", `
			limits delivery=2 dead=rear
			g.a sub 1
			g.a item 1024 k=v -> 1 => g.a:1
			g.a negative No why 1 => g.a:1/2
			g.a negative No why 1
			g.a attrs -> length=0 rear=1
			g.a@default;rear attrs -> length=1 rear=0 last=1
			w stats-job 1 -> tube=default;rear state=ready
			restart
			g.a@default;rear attrs -> length=1
			g.r@default;rear sub 1 => g.r@default;rear:1
			g.r@default;rear negative No why 1 => g.r@default;rear:1/2
			g.r@default;rear negative No why 1
			w stats-job 1 -> tube=default;rear state=buried
			w delete 1`},
		{"or is dropped", `
			limits delivery=1 dead=drop
			g.a sub 1
			g.a item 1024 -> 1 => g.a:1
			g.a negative No why 1
			g.a attrs -> length=0 rear=0`},
		{"or is buried", `
			limits delivery=1 dead=bury
			g.a sub 1
			g.a item 1024 -> 1 => g.a:1
			g.a negative No why 1
			w stats-job 1 -> state=buried buries=1
			w kick 1 -> 1 => g.a:1/2`},
	})
}

// Deadlines of items.
func TestDeadlinesOfItems(t *testing.T) {
	runScripts(t, []script{
		{"a deadline that passes at a consumer is a rebalance", `
			limits idle=1500ms delivery=3
			g.a sub 1
			g.b sub 1
			g.a item 1024 -> 1 => g.a:1
			w stats-job 1 -> ttr=2 left=2
			+2s => g.b:1/2
			+1s
			g.a sub 1 => g.a:replaced
			+1s => g.a:1/3
			w stats-job 1 -> timeouts=2
			restart
			g.a sub 1 => g.a:1/3`},
		{"another one gets it, even if the first has room and came first", `
			limits idle=1s
			g.a sub 3
			g.a item 1024 -> 1 => g.a:1
			g.b sub 3
			+1s => g.b:1/2
			g.c sub 3
			+1s => g.a:1/3
			g.b leave
			g.c leave
			+1s => g.a:1/4`},
		{"if no other one has room, the first gets the next item, and that one waits", `
			limits idle=1s
			g.a sub 1
			g.a item 1024 -> 1 => g.a:1
			g.b sub 0
			g.p item 1024 -> 2
			+1s => g.a:2
			g.a commit 2 => g.a:1/2`},
		{"without one nothing passes", `
			g.a sub 1
			g.a item 1024 -> 1 => g.a:1
			+1000h
			w stats-job 1 -> left=0 ttr=0
			g.a commit 1
			g.p item 1024 -> 2 => g.a:2
			g.a leave
			+1s
			w poll -> 2
			w touch 2
			+1000h
			w delete 2`},
	})
}

// A queue whose name is so long that its rear queue can have none buries its dead letters.
func TestDeadLetterOfLongName(t *testing.T) {
	steps := `
		limits delivery=1
		g.a@NAME item 0 -> 1
		g.a@NAME sub 1 => g.a@NAME:1
		g.a@NAME negative No why 1
		w use NAME
		w peek-buried -> 1`
	runScripts(t, []script{{"buried", strings.ReplaceAll(steps, "NAME", strings.Repeat("t", MaxName-4))}})
}
