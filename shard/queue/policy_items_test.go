package queue

import (
	"testing"

	"beanfield/shard/queue/policy"
)

// What a policy means for a queue of the queue service.
func TestPoliciesOfQueues(t *testing.T) {
	runScripts(t, []script{
		{"a full tube takes no item, or drops one", `
			policy default jobs=2
			g.a item 1024 -> 1
			g.a item 1024 -> 2
			g.a item 1024 -> toolong
			policy default jobs=2 full=oldest
			g.a item 1024 -> 3
			a peek 1 -> no`},
		{"a bound holds beside that of the queue service", `
			policy default bytes=30 full=least
			limits length=3
			g.a item 1024 -> 1
			g.a item 1024 -> 2
			g.a item 1025 -> 3
			g.a item 1024 -> toolong`},
		{"what makes room for one bound makes it for the other", `
			policy default jobs=2 full=least
			limits length=2 evict=1
			g.a item 1023 -> 1
			g.a item 1024 -> 2
			g.a item 1024 -> 3    # the queue has dropped its oldest, and the tube need not drop its least urgent one
			g.a attrs -> length=2 first=2 last=3
			policy default jobs=1 full=least
			g.a item 1023 -> 4    # and now the tube drops one, too
			g.a attrs -> length=1 first=4 last=4`},
		{"what one bound refuses, the other drops nothing for", `
			policy default jobs=2
			limits length=2 evict=1
			g.a item 1024 -> 1
			g.a item 1024 -> 2
			g.a item 1024 -> toolong
			policy default jobs=2 full=oldest
			limits evict=0
			g.a item 1024 -> toolong
			g.a attrs -> length=2 first=1 last=2`},
		{"consumers wait for throttled items, in turns", `
			policy default reserved=1
			g.a item 1024 -> 1
			g.a item 1024 -> 2
			g.a item 1024 -> 3
			g.a sub 5 => g.a:1
			g.b sub 5
			g.a commit 1 => g.a:2    # it has waited for another since it got the first
			g.a commit 2 => g.b:3`},
		{"so do filtered ones", `
			policy default reserved=1
			g.a item 1024 k=v -> 1
			g.a item 1024 k=v -> 2
			g.a sub 5 k=v => g.a:1
			g.a commit 1 => g.a:2`},
	})
}

// The same for what is done at once, what is too old, and for further groups.
func TestPoliciesOfQueuesAndMore(t *testing.T) {
	runScripts(t, []script{
		{"what is done as soon as it is pushed is counted by the rate", `
			policy default rate=1
			g.a item 1024 -> 1
			g.a item 1024 -> 2
			g.a sub 5 auto => g.a:1
			+1s => g.a:2`},
		{"a rate is made up for after a late clock, also for filtered consumers", `
			policy default rate=20 burst=1
			g.a item 1024 k=v -> 1
			g.a item 1024 k=v -> 2
			g.a item 1024 k=v -> 3
			g.a item 1024 k=v -> 4
			g.a sub 3 k=v => g.a:1
			late 5s
			tick => g.a:2 g.a:3`},
		{"an item that is too old when it is refused goes to nobody", `
			policy default expire=10s
			limits idle=60s
			g.a item 1024 -> 1
			g.a sub 1 => g.a:1
			g.b sub 1
			+11s
			g.a negative No why 1
			a peek 1 -> no`},
		{"further groups do not change what the first one may do", `
			policy default reserved=1 expire=10s
			g.a sub 1
			h.a sub 1
			g.a item 1024 -> 1 => g.a:1 h.a:1
			g.a item 1024 -> 2
			h.a commit 1 => h.a:2
			g.a commit 1 => g.a:2
			g.a commit 2
			+20s
			h.a attrs -> length=1    # the first group is done with it, and h has it
			h.a commit 2
			h.a attrs -> length=0`},
	})
}

// What a queue's limits do is counted as what policies do, each once.
func TestLimitsOfQueuesAreCounted(t *testing.T) {
	for name, c := range map[string]struct {
		steps string
		want  policy.Counters
	}{
		"a full queue and its rear queue": {`
			limits length=2
			g.a item 1024 -> 1
			g.a@default;rear item 1024 -> 2
			g.a item 1024 -> toolong
			limits length=2 evict=1
			g.a item 1024 -> 3
			a stats-tube default -> deletes=0
			g.a end -> ok
			g.a item 1024 -> ended`, policy.Counters{policy.ActionRefuse: 1, policy.ActionDrop: 1}},
		"an item that is too old when it comes back": {`
			policy default expire=10s
			g.a item 1024 -> 1
			g.a sub 1 => g.a:1
			+11s
			g.a negative No why 1`, policy.Counters{policy.ActionExpire: 1}},
		"an item that is refused too often": {`
			limits delivery=1 dead=bury
			g.a item 1024 -> 1
			g.a sub 1 => g.a:1
			g.a negative No why 1`, policy.Counters{policy.ActionBury: 1}},
	} {
		w := newWorld(t)
		if w.run(c.steps); w.s.counters != c.want {
			t.Errorf("%s: done was %v, want %v", name, w.s.counters, c.want)
		}
	}
}
