package queue

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"beanfield/shard/queue/policy"
)

// What clients see of a tube that lets only so many jobs be reserved.
func TestMaxReserved(t *testing.T) {
	runScripts(t, []script{
		{"a job goes when another has come back or ended", `
			policy default reserved=2
			a put 1 0 60 -> 1
			a put 2 0 2 -> 2
			a put 3 0 60 -> 3
			a put 4 0 60 -> 4
			a poll -> 1
			b poll -> 2
			b poll -> timeout
			c reserve -> waiting
			d reserve -> waiting
			e peek-ready -> 3
			a delete 1
			tick => c:3              # who has waited longest
			+2s => d:2               # too slow; the best is the one that came back
			c bury 3 0
			e poll -> 4
			e poll -> timeout`},
		{"a release goes to who waits, in order of priority", `
			policy default reserved=1
			a put 5 0 60 -> 1
			a put 3 0 60 -> 2
			a poll -> 2
			b reserve -> waiting
			a release 2 9 0
			tick => b:1
			b detach
			a poll -> 1`},
		{"a hang-up frees what it held", `
			policy default reserved=2
			a put 1 0 60 -> 1
			a put 1 0 60 -> 2
			a poll -> 1
			a poll -> 2
			b reserve -> waiting
			c reserve -> waiting
			a detach => b:1 c:2`},
		{"by its id a job is taken all the same, and counts", `
			policy default reserved=1
			a put 1 0 60 -> 1
			a put 1 0 60 -> 2
			a put 1 0 60 -> 3
			a poll -> 1
			a reserve-job 2 -> 2
			b reserve -> waiting
			a delete 1
			a delete 2
			tick => b:3`},
	})
}

// The same beside pauses, other tubes, other policies and a restart.
func TestMaxReservedAndMore(t *testing.T) {
	runScripts(t, []script{
		{"a pause holds too, and other tubes do not wait", `
			policy default reserved=1
			a watch other
			b watch other
			a put 1 0 60 -> 1
			a put 1 0 60 -> 2
			a poll -> 1
			b reserve -> waiting
			c use other
			c put 1 0 60 -> 3 => b:3
			b reserve -> waiting
			c pause default 5
			a delete 1
			+5s => b:2`},
		{"other policies open and shut a tube", `
			policy default reserved=1
			a put 1 0 60 -> 1
			a put 1 0 60 -> 2
			a put 1 0 60 -> 3
			a put 1 0 60 -> 4
			a poll -> 1
			b reserve -> waiting
			policy default reserved=2
			tick => b:2
			c reserve -> waiting
			policy default reserved=1
			a delete 1
			policy default
			tick => c:3
			c poll -> 4`},
		{"a restart begins with none reserved", `
			policy default reserved=1
			a put 1 0 60 -> 1
			a poll -> 1
			restart
			a poll -> 1
			a poll -> timeout`},
	})
}

// What clients see of a tube with a rate. It is exact to the nanosecond: advance looks one before.
func TestRate(t *testing.T) {
	runScripts(t, []script{
		{"a burst, and then one after the other", `
			policy default rate=2
			a put 1 0 60 -> 1
			a put 1 0 60 -> 2
			a put 1 0 60 -> 3
			a put 1 0 60 -> 4
			a poll -> 1
			a poll -> 2
			a poll -> timeout
			b reserve -> waiting
			+499999999ns
			+1ns => b:3
			a delete 1               # what becomes of them does not matter
			a poll -> timeout
			+500ms
			a poll -> 4
			+10s                     # and no more than a burst is saved up
			a release 4 1 0
			a release 2 1 0
			b release 3 1 0
			a poll -> 2
			a poll -> 3
			a poll -> timeout`},
		{"a burst of its own", `
			policy default rate=3 burst=1
			a put 1 0 60 -> 1
			a put 1 0 60 -> 2
			a put 1 0 60 -> 3
			a put 1 0 60 -> 4
			a poll -> 1
			b reserve -> waiting
			c reserve -> waiting
			+333333333ns
			+1ns => b:2
			+333333333ns
			+1ns => c:3
			a poll -> timeout
			+333333334ns
			a poll -> 4`},
	})
}

// What a late clock has missed while somebody waited is made up for.
func TestRateMakesUpForATenth(t *testing.T) {
	runScripts(t, []script{
		{"of a second, and no longer than a tenth", `
			policy default rate=20 burst=1
			a put 1 0 60 -> 1
			a put 1 0 60 -> 2
			a put 1 0 60 -> 3
			a put 1 0 60 -> 4
			a put 1 0 60 -> 5
			a put 1 0 60 -> 6
			a put 1 0 60 -> 7
			a put 1 0 60 -> 8
			a poll -> 1
			b reserve -> waiting
			late 5s
			tick => b:2
			a poll -> 3
			a poll -> 4
			a poll -> timeout
			b reserve -> waiting
			late 150ms               # 100 too late
			tick => b:5
			late 100ms
			a poll -> 6
			late 1ns
			a poll -> 7
			a poll -> timeout`},
		{"until that is done, and then time is lost while nobody waits", `
			policy default rate=20 burst=1
			a put 1 0 60 -> 1
			a put 1 0 60 -> 2
			a put 1 0 60 -> 3
			a put 1 0 60 -> 4
			a poll -> 1
			b reserve -> waiting
			late 80ms                # 30 too late
			tick => b:2
			+90ms
			a poll -> 3
			a poll -> timeout`},
		{"nothing if nobody waited, or the tube has become empty", `
			policy default rate=20 burst=1
			a put 1 0 60 -> 1
			a put 1 0 60 -> 2
			a put 1 0 60 -> 3
			a poll -> 1
			late 5s
			tick
			a poll -> 2
			a poll -> timeout
			b reserve -> waiting
			late 5s
			tick => b:3
			b reserve -> waiting
			c reserve -> waiting
			a put 1 0 60 -> 4 => b:4
			a put 1 0 60 -> 5`},
	})
}

// A tube that ends and begins anew has the same rate.
func TestRateOutlivesATube(t *testing.T) {
	runScripts(t, []script{
		{"a tube that ends takes its debt along", `
			policy other rate=1
			a use other
			a put 1 0 60 -> 1
			b watch other
			b poll -> 1
			b delete 1
			b ignore other
			a use default
			a stats-tube other -> ready=0   # it lingers
			a use other
			a put 1 0 60 -> 2
			b watch other
			b poll -> timeout
			+1s
			b poll -> 2
			b delete 2
			b ignore other
			a use default
			+1s
			a stats-tube other -> no`},
		{"without the policy it does not linger", `
			policy other rate=1
			a use other
			a put 1 0 60 -> 1
			b watch other
			b poll -> 1
			b delete 1
			b ignore other
			a use default
			policy other
			a stats-tube other -> no`},
	})
}

// A tube that is about to serve those who wait, and is shut before that, serves nobody.
func TestThrottledTubeThatOpensAndShuts(t *testing.T) {
	w := newWorld(t)
	w.run(`
		policy default reserved=1
		a put 1 0 60 -> 1
		a put 1 0 60 -> 2
		a put 1 0 60 -> 3
		a poll -> 1
		b reserve -> waiting`)
	batch := &Batch{Client: &w.user("a").client, Ops: []Op{{Kind: Delete, ID: 1}, {Kind: ReserveJob, ID: 3}}}
	w.s.Run(w.now, batch)
	if err := w.s.Check(); err != nil {
		t.Error(err)
	}
	for w.s.Tick(w.now) {
	}
	if len(w.given) > 0 {
		t.Errorf("given are %v while as many are reserved as may be", w.given)
	}
	w.run("a delete 3\ntick => b:2")
}

// A client of many tubes, whose search goes on over several turns, misses no tube that opens
// meanwhile.
func TestSearchSeesThrottledTubesOpen(t *testing.T) {
	w := newManyWorld(t, 1, 1)
	w.run(`
		policy one reserved=1
		a use one
		a put 1 0 60 -> 1
		a put 1 0 60 -> 2
		a watch one
		a ignore default
		a poll -> 1
		b watch one
		b watch two
		b watch three`)
	b := &Batch{Client: &w.user("b").client, Ops: []Op{{Kind: Reserve}}}
	for done := false; !done; { // it looks at a tube in each turn
		w.s.renew()
		if done = w.s.Run(w.now, b); !done && w.user("b").client.many.seen == 2 {
			w.run("a delete 1")
		}
		if err := w.s.Check(); err != nil {
			t.Fatal(err)
		}
		w.s.Tick(w.now)
	}
	if op := b.Ops[0]; op.Status == Waiting && len(w.given) == 0 || op.Status == OK && op.ID != 2 {
		t.Errorf("the search ends with %+v, given are %v", op, w.given)
	}
}

// A rate is kept by a clock that wakes late, also over a few clients that always come back, and never exceeded
// from a moment at which one of them begins to wait.
func TestRateWithALateClock(t *testing.T) {
	for _, p := range []policy.Policy{{Rate: 3, Burst: 1}, {Rate: 15, Burst: 1}, {Rate: 100, Burst: 2},
		{Rate: 400, Burst: 9}, {Rate: 1000, Burst: 1}, {Rate: 1000}} {
		w, rnd := newWorld(t), rand.New(rand.NewPCG(1, uint64(p.Rate)))
		w.run(fmt.Sprintf("policy default rate=%d burst=%d", p.Rate, p.Burst))
		for range 11*p.Rate + int(p.MostAtOnce()) {
			w.user("p").apply(Op{Kind: Put, TTR: 60})
		}
		got := int64(0)
		ahead := func() int64 { return got*second - w.now*int64(p.Rate) } // of the rate
		least := ahead()                                                  // when somebody began to wait
		take := func() {
			if got++; ahead() > least+p.MostAtOnce()*second {
				t.Fatalf("rate %d, burst %d: %d jobs were handed out by %d", p.Rate, p.Burst, got, w.now)
			}
		}
		clients := []*user{w.user("a"), w.user("b"), w.user("c"), w.user("d")}
		for w.now < 10*second {
			for _, u := range clients {
				for !u.open {
					if op, _ := u.apply(Op{Kind: Reserve}); op.Status == OK {
						take()
					} else {
						least = min(least, ahead())
					}
				}
			}
			w.now = w.s.Next() + rnd.Int64N(50*millisecond)
			for w.s.Tick(w.now) {
			}
			for range w.given {
				take()
			}
			w.given, w.s.Woken = nil, nil
		}
		if behind := -ahead(); behind > w.now/100*int64(p.Rate) {
			t.Errorf("rate %d, burst %d: %d jobs were handed out in ten seconds", p.Rate, p.Burst, got)
		}
	}
}

// No more jobs are offered than may go, also while a part of one has been paid off.
func TestOffersWithinTheRate(t *testing.T) {
	w := newWorld(t)
	w.run(`
		policy default rate=2
		a put 1 0 60 -> 1
		a put 1 0 60 -> 2
		a put 1 0 60 -> 3
		a poll -> 1
		+250ms`)
	if op, _ := w.user("b").apply(Op{Kind: OfferSeveral, Limit: 9}); op.To-op.From != 1 {
		t.Errorf("%d jobs are offered", op.To-op.From)
	}
}
