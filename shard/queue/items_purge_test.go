package queue

import (
	"fmt"
	"testing"
)

// A queue is purged as other tubes are: from the answer on, nothing that the queue service asks for
// finds an item that has ended, also after a restart. What consumers hold ends too, and what workers hold stays.
func TestPurgeOfAQueue(t *testing.T) {
	w := newPurgeWorld(t)
	w.run(`
		g.c@mail sub 2
		g.c@mail item 1024 k=v -> 1 => g.c@mail:1
		g.c@mail item 1024 requestId=r -> 2 => g.c@mail:2
		g.c@mail item 1024 requestId=r -> 3
		g.c@mail item 1024 k=v -> 4
		g.c@mail item 1024 requestId=r -> 5
		g.c@mail item 1024 k=v -> 6
		b watch mail
		b reserve-job 5        -> 5
		c truncate mail        -> 5`)
	if w.s.yard.jobs != 3 {
		t.Errorf("%d jobs lie in graves", w.s.yard.jobs)
	}
	look := `
		q get mail len=9       -> 5
		q get mail len=9 k=v   -> empty
		q get mail len=9 requestId=r -> 5
		q count mail           -> 1
		g.c@mail attrs         -> length=1 first=5 last=5
		c peek 4               -> no
		g.c@mail commit 1 2 4`
	w.run(look)
	w.run(`
		g.c@mail item 1024 requestId=r -> 7 => g.c@mail:7
		g.c@mail commit 7
		b release 5 5 0        => g.c@mail:5
		restart` + look + `
		g.c@mail sub 2         => g.c@mail:5
		q trunc mail 9
		g.c@mail attrs         -> length=0
		g.c@mail item 1024 k=v -> 8 => g.c@mail:8
		g.c@mail drop          => g.c@mail:removed
		c truncate mail        -> 1`)
	w.empty()
}

// So does a truncate of the queue service that means all items, and an end by force.
func TestQueueServicePurges(t *testing.T) {
	for _, c := range []struct {
		steps string
		lie   int // jobs in graves
	}{
		{"q trunc mail 9 \n q get mail -> empty \n q get mail wait=x -> waiting \n q put mail -> 4 => x!", 3},
		{"q trunc mail 3 \n q get mail -> 3", 0},
		{"q end mail force \n q get mail -> empty \n q put mail -> ended", 3},
		{"h.c@mail sub 1 => h.c@mail:1 \n g.c@mail sub 2 => g.c@mail:1 g.c@mail:2 \n c truncate mail -> 3 \n " +
			"g.c@mail item 1 -> 4 => h.c@mail:4 g.c@mail:4", 2},
		{"h.c@mail sub 1 => h.c@mail:1 \n g.c@mail sub 1 => g.c@mail:1 \n q trunc mail 9", 2},
		{"h.c@mail sub 1 => h.c@mail:1 \n g.c@mail sub 1 => g.c@mail:1 \n q end mail force \n g.c@mail attrs -> " +
			"length=1", 0},
		// 1 is passed
		{"h.c@mail sub 1 => h.c@mail:1 \n g.c@mail sub 1 => g.c@mail:1 \n h.c@mail commit 1 => h.c@mail:2 \n c " +
			"truncate mail -> 3", 0},
	} {
		w := newPurgeWorld(t)
		w.run("g.c@mail item 1 k=v -> 1\n g.c@mail item 1 requestId=r -> 2\n g.c@mail item 1 -> 3\n" + c.steps)
		if w.s.yard.jobs != c.lie {
			t.Errorf("%s: %d jobs lie in graves, want %d", c.steps, w.s.yard.jobs, c.lie)
		}
		w.run("restart\n c peek 2 -> no")
	}
}

// What a group knows of an item that stays, it knows after a purge: here, how often it was refused.
func TestPurgeLeavesCounts(t *testing.T) {
	w := newPurgeWorld(t)
	w.run(`
		limits delivery=2 dead=bury
		h.c@mail sub 0
		g.c@mail item 1 -> 1
		g.c@mail item 1 -> 2
		g.c@mail item 1 -> 3
		b watch mail
		b reserve-job 1 -> 1
		g.c@mail sub 1 => g.c@mail:1
		g.c@mail negative No why 1 => g.c@mail:1/2
		c truncate mail -> 2
		g.c@mail negative No why 1
		b delete 1
		c use mail
		c peek-buried -> 1`)
	if w.s.yard.jobs != 2 {
		t.Errorf("%d jobs lie in graves", w.s.yard.jobs)
	}
}

// A truncate of few jobs is one turn, so that no crash leaves some of them, however little is left of the turn's share.
func TestTruncateOfFewIsOneTurn(t *testing.T) {
	for _, c := range []struct {
		n     int
		queue bool
	}{{usualPurge - 1, false}, {usualPurge - 1, true}, {2 * usualPurge, false}} {
		w := newWorld(t)
		w.s.LeastPurge = 1 << 30
		a := w.user("a")
		w.furnish(a, c.n)
		if c.queue {
			w.run("q count default -> " + fmt.Sprint(c.n))
		}
		w.s.share = 1
		done := w.s.Run(w.now, batchOf(nil, Op{Kind: Truncate, Data: []byte("default")}))
		if few := c.n < usualPurge; done != few {
			t.Errorf("a truncate of %d jobs ends in its first turn: %t", c.n, done)
		}
		if left := len(w.log.Jobs); c.n < usualPurge && left > 0 {
			t.Errorf("the log has %d jobs left of %d", left, c.n)
		}
		if w.s.spent() == false {
			t.Error("others of the turn have a share left")
		}
	}
}
