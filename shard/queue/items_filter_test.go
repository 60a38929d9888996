package queue

import "testing"

// Consumers that want only some of the items.
func TestFiltered(t *testing.T) {
	runScripts(t, []script{
		{"items with the tags, in the order of their ids", `
			g.p item 1024 k=v -> 1
			g.p item 1024 k=w -> 2
			g.p item 1024 k=v x=y -> 3
			g.p item 1024 k=v -> 4
			g.a sub 2 k=v => g.a:1 g.a:3
			g.a commit 1 => g.a:4
			g.p item 1024 k=v -> 5
			g.p item 1024 k=w -> 6
			g.a commit 3 4 => g.a:5
			w poll -> 2
			g.p item 1024 k=v -> 7 => g.a:7
			g.a attrs -> first=2 last=7 length=4`},
		{"from an index on; the others' items stay", `
			g.p item 1024 -> 1
			g.p item 1024 -> 2
			g.a sub 5 index=2 => g.a:2
			g.b sub 1 => g.b:1
			g.p item 1024 -> 3 => g.a:3`},
		{"only new ones", `
			g.p item 1024 -> 1
			g.a sub 5 index=new
			g.p item 1024 -> 2 => g.a:2
			g.a sub 5 index=new => g.a:replaced
			g.a attrs -> g.a=Running/0/5 length=2
			g.b sub 5 => g.b:1 g.b:2/2`},
		{"they take turns", `
			g.a sub 5 k=v
			g.b sub 5 k=v
			g.c sub 5
			g.p item 1024 k=v -> 1 => g.c:1
			g.c commit 1
			g.c leave
			g.p item 1024 k=v -> 2 => g.a:2
			g.p item 1024 k=v -> 3 => g.b:3
			g.p item 1024 k=v -> 4 => g.a:4`},
	})
}

// Jobs that become ready in other ways than a put.
func TestFilteredAreShownWhatComesBack(t *testing.T) {
	runScripts(t, []script{
		{"a pause holds them, too", `
			g.a sub 5 k=v
			w pause default 5
			g.p item 1024 k=v -> 1
			g.p item 1024 -> 2
			+5s => g.a:1
			w pause default 5
			g.p item 1024 k=v -> 3
			w pause default 0 => g.a:3`},
		{"what comes back is shown again, first to others", `
			g.a sub 1 k=v
			g.p item 1024 k=v -> 1 => g.a:1
			g.p item 1024 k=v -> 2
			g.b sub 1 k=v => g.b:2
			g.b commit 2
			g.a negative No why 1 => g.b:1/2
			g.b negative No why 1 => g.a:1/3
			g.b leave
			g.a negative No why 1 => g.a:1/4`},
		{"a kicked job is shown", `
			g.a sub 1 k=v
			g.p item 1024 k=v -> 1 => g.a:1
			g.a leave
			+1s
			w poll -> 1
			w bury 1 1024
			g.a sub 1 k=v
			w kick 1 -> 1 => g.a:1/2`},
	})
}

// A consumer is not sent what it has just refused, if there is something else.
func TestAvoid(t *testing.T) {
	runScripts(t, []script{
		{"the next best instead", `
			g.p item 1024 -> 1
			g.p item 1024 -> 2
			g.p item 1024 -> 3
			g.a sub 1 => g.a:1
			g.b sub 1 => g.b:2
			g.a negative No why 1 => g.a:3
			g.a negative No why 3 => g.a:1/2
			g.b commit 2 => g.b:3/2`},
		{"an only consumer has no choice", `
			g.p item 1024 -> 1
			g.p item 1024 -> 2
			g.a sub 1 => g.a:1
			g.a negative No why 1 => g.a:1/2`},
	})
}

// Groups that are removed, and queues that are full.
func TestDropGroupAndLimits(t *testing.T) {
	runScripts(t, []script{
		{"its items are free again, and the next watch names the group", `
			g.a sub 2
			g.b sub 1
			g.p item 1024 -> 1 => g.a:1
			g.b leave
			g.x drop => g.a:removed
			g.x drop -> no
			g.a attrs -> consumers=0 groups=0 length=1
			w poll -> 1
			w delete 1
			h.a sub 1
			restart
			h.a drop
			restart
			g.a sub 1
			g.a attrs -> groups=1`},
		{"a queue and its rear queue share a length", `
			limits length=3 delivery=1
			g.a sub 1
			g.p item 1024 -> 1 => g.a:1
			g.a negative No why 1
			g.p item 1024 -> 2 => g.a:2
			g.p@default;rear item 1024 -> 3
			g.p item 1024 -> toolong
			g.p@default;rear item 1024 -> toolong
			g.a commit 2
			g.p item 1024 -> 4 => g.a:4`},
		{"or the oldest that nobody has goes", `
			limits length=3 evict=1
			g.a sub 1
			g.p item 1024 -> 1 => g.a:1
			g.p item 1024 -> 2
			g.p item 1024 -> 3
			g.p item 1024 -> 4
			g.a attrs -> length=3 first=1 last=4
			g.a commit 1 => g.a:3`},
	})
}
