package queue

import (
	"fmt"
	"testing"
)

func TestGet(t *testing.T) {
	runScripts(t, []script{
		{"from an index on, up to a length, whoever has the items", `
			q put t -> 1
			q put t k=v -> 2
			a watch t
			a poll -> 1
			a use t
			a put 0 9 60 -> 3
			q put t k=v l=w -> 4
			q get t len=10 -> 1 2 4
			q get t from=1 len=2 -> 1 2
			q get t from=2 -> 2
			q get t from=3 len=3 -> 4
			q get t from=5 -> empty
			q get t len=9 k=v -> 2 4
			q get t len=9 l=w -> 4
			q get t k=w -> empty
			a bury 1 0
			q get t -> 1
			+9s
			q get t len=9 -> 1 2 3 4`},
		{"the newest", `
			q put t -> 1
			q put t k=v -> 2
			q put t -> 3
			q get t from=-1 -> 3
			q get t from=-1 len=2 -> 2 3
			q get t from=-1 len=9 -> 1 2 3
			q get t from=-1 k=v -> 2`},
		{"what is taken is gone, for everybody; what somebody holds is left", `
			q put t pri=5 -> 1
			q put t -> 2
			q put t -> 3
			a watch t
			a poll -> 2
			q get t take len=2 -> 1 3
			q get t take -> empty
			a peek 1 -> no
			q get t len=9 -> 2
			a delete 2
			q get t -> empty`},
	})
}

func TestGetFinds(t *testing.T) {
	runScripts(t, []script{
		{"no queue is made by asking", `
			q get t -> empty
			q count t -> 0
			q search t 1 -> no
			a stats-tube t -> no`},
		{"by request id, also two of the same", `
			q put t requestId=x -> 1
			q put t requestId=y k=v -> 2
			q put t requestId=x -> 3
			q put u requestId=y -> 4
			q get t requestId=y -> 2
			q get t len=5 requestId=x -> 1 3
			q get t from=2 len=5 requestId=x -> 3
			q get t requestId=y k=v -> 2
			q get t requestId=y k=w -> empty
			q get t from=-1 requestId=x -> 3
			q get t take requestId=x -> 1
			q get t take requestId=x -> 3
			q get t take requestId=x -> empty
			q get t len=5 -> 2`},
		{"large bodies", `
			q put t size=2048 requestId=a -> 1
			q put t size=2049 requestId=b -> 2
			q get t take len=2 -> 1 2`},
	})
}

func TestGetWaits(t *testing.T) {
	runScripts(t, []script{
		{"for a request id, and nothing else", `
			q get t wait=g requestId=x -> waiting
			q get t take wait=h requestId=y -> waiting
			q put t requestId=z -> 1
			q put u requestId=x -> 2
			q put t requestId=x -> 3 => g!
			q put t requestId=x -> 4
			q get t wait=g requestId=x -> 3
			q put t requestId=y -> 5 => h!
			q get t take wait=h requestId=y -> 5`},
		{"to look: all are called; to take: one for each item", `
			q get t wait=a -> waiting
			q get t wait=b take -> waiting
			q get t wait=c -> waiting
			q get t wait=d take -> waiting
			q put t -> 1 => a! c! b!
			q put t -> 2 => d!
			q put t -> 3
			q get t wait=d take -> 1
			q get t wait=b take -> 2`},
	})
}

func TestGetIsCalled(t *testing.T) {
	runScripts(t, []script{
		{"who is called and does not take passes it on", `
			q get t wait=a take -> waiting
			q get t wait=b take -> waiting
			q put t -> 1 => a!
			q unget t a => b!
			q unget t b
			q get t take -> 1`},
		{"or takes another", `
			q get t wait=a take -> waiting
			q put t -> 1 => a!
			q get t wait=b take from=2 -> waiting
			q get t wait=c take -> 1
			q put t -> 2 => b!
			q get t wait=d take from=3 -> waiting
			q get t wait=e take k=v -> waiting
			q get t wait=b take from=3 -> waiting
			q unget t d
			q unget t e`},
		{"a worker is served first, and the item is called out when it comes back", `
			q get t wait=a take -> waiting
			w watch t
			w reserve -> waiting
			q put t -> 1 => w:1
			w release 1 0 0 => a!
			q get t wait=a take -> 1
			q get t wait=a -> waiting
			w reserve -> waiting
			q put t -> 2 => w:2 a!`},
		{"delayed items show when their time has come, or when they are fetched by id", `
			a use t
			a put 0 5 60 -> 1
			a put 0 5 60 -> 2
			q get t wait=g -> waiting
			a reserve-job 1 -> 1 => g!
			q get t wait=g from=2 -> waiting
			q get t wait=h take -> waiting
			+5s => g! h!`},
		{"an empty queue is there while a get waits", `
			q get t wait=g -> waiting
			b stats-tube t -> total=0
			q unget t g
			b stats-tube t -> no
			q unget t g
			q get t wait=g take -> waiting
			q put t -> 1 => g!
			q delete t 1
			q unget t g
			b stats-tube t -> no`},
		{"one that comes from an index on", `
			q put t -> 1
			q get t wait=g from=3 -> waiting
			q put t -> 2
			q put t -> 3 => g!
			q get t wait=g from=-1 k=v -> waiting
			q put t k=v -> 4 => g!`},
	})
}

// An item costs the same whether one get or a thousand wait to take it.
func TestGetsThatTake(t *testing.T) {
	spent := func(waiting int) int {
		w := newWorld(t)
		for i := range waiting {
			w.run(fmt.Sprintf("q get t wait=g%d take -> waiting", i))
		}
		w.s.renew()
		before := w.s.share
		op := Op{Kind: Service, Ask: &Ask{What: AskPut, Queue: "t", Limits: testLimits}}
		w.s.Apply(w.now, &Batch{}, &op)
		if len(w.s.Called) != 1 {
			t.Fatalf("%d gets are called for one item", len(w.s.Called))
		}
		return before - w.s.share
	}
	if one, many := spent(1), spent(500); many != one {
		t.Errorf("a put costs %d with many waiting gets, %d with one", many, one)
	}
}

// A get that was called may come back and ask for something else. Then the item is for
// another.
func TestGetLeavesTheItem(t *testing.T) {
	newWorld(t).run(`
		q get t take wait=x -> waiting
		q get t take wait=y -> waiting
		q put t -> 1 => x!
		q get t take wait=x k=v -> waiting => y!
		q get t take wait=y -> 1
		q unget t x`)
}

// A get that was called for an item which has gone to the rear queue since does not pass
// it on to others.
func TestGetCalledForADeadLetter(t *testing.T) {
	newWorld(t).run(`
		limits delivery=1 dead=rear
		q get default take wait=x -> waiting
		q get default take wait=y -> waiting
		g.a item 1024 -> 1 => x!
		g.a sub 1 => g.a:1
		g.a negative No why 1
		q get default take wait=x -> waiting
		q unget default x
		q get default;rear take -> 1`)
}
