package queue

import "testing"

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
