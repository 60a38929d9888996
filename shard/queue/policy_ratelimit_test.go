package queue

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"beanfield/shard/queue/policy"
)

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
