package queue

import "testing"

func TestEndings(t *testing.T) {
	runScripts(t, []script{
		{"delete: any of the queue's, also one that somebody holds", `
			q put t -> 1
			q put t -> 2
			q put u -> 3
			a watch t
			a poll -> 1
			q delete t 1 3 99 0
			a delete 1 -> no
			q get t len=9 -> 2
			q get u -> 3
			q delete u 3
			q delete u 3
			a stats-tube u -> no`},
		{"truncate: all before an index", `
			q put t -> 1
			a use t
			a put 0 9 60 -> 2
			q put t -> 3
			q put t -> 4
			a watch t
			a poll -> 1
			a poll -> 3
			a bury 3 0
			q trunc t 4
			q get t len=9 -> 4
			q trunc t 5
			q count t -> 0
			q trunc t 99
			q trunc v 9`},
	})
}

func TestEndOfQueue(t *testing.T) {
	runScripts(t, []script{
		{"a queue that has ended takes nothing and gives what it has", `
			q put t -> 1
			q end t
			q put t -> ended
			a use t
			a put 0 0 60 -> 2
			a watch t
			a poll -> 1
			q get t take -> 2`},
		{"and after a restart, too", `
			q put t -> 1
			q end t
			restart
			q put t -> ended
			q get t -> 1`},
		{"with force it keeps what somebody has", `
			q put t -> 1
			a watch t
			a poll -> 1
			q put t -> 2
			q put t -> 3
			q end t force
			q get t len=9 -> 1
			a delete 1
			q count t -> 0
			a stats-tube t -> total=3`},
		{"also what a view's consumer has", `
			g.a sub 0
			h.x sub 1
			g.a item 5 -> 1 => h.x:1
			g.a item 5 -> 2
			q end default force
			g.a attrs -> length=1 ended=true
			h.x commit 1 => h.x:over
			q get default -> 1`},
	})
}

func TestSearchAndCount(t *testing.T) {
	runScripts(t, []script{
		{"how many come before", `
			q put t pri=9 -> 1
			q put t pri=5 -> 2
			q put t pri=9 -> 3
			q put t pri=9 -> 4
			q search t 4 -> pending=false before=3
			q search t 2 -> before=0
			q search t 3 -> before=2
			a watch t
			a poll -> 2
			q search t 2 -> pending=false before=0
			q search t 3 -> before=1
			q search t 9 -> no
			q search u 1 -> no`},
		{"by tags and priority", `
			q put t pri=9 k=v -> 1
			q put t pri=5 k=v -> 2
			q put t pri=9 -> 3
			q count t -> 3
			q count t k=v -> 2
			q count t pri=9 -> 2
			q count t pri=9 k=v -> 1
			q count t pri=8 -> 0
			q count u k=v -> 0`},
	})
}

// A put that is refused for another reason drops nothing.
func TestEvictForARefusedPut(t *testing.T) {
	runScripts(t, []script{
		{"the log is full, or the directory closed", `
			limits length=1 evict=1
			g.a item 0 -> 1
			log full
			g.a item 0 -> noroom
			g.a attrs -> length=1 first=1
			log room
			drain
			g.a item 0 -> refused
			g.a attrs -> length=1 first=1`},
		{"one in, one out", `
			limits length=1 evict=1
			g.a item 0 -> 1
			g.a item 0 -> 2
			g.a attrs -> length=1 first=2`},
	})
}
