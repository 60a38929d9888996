package router

import (
	"sync"
	"testing"

	"beanfield/shard/queue/policy"
)

// Those who claim side by side never get more than there is, and nobody's place is lost.
func TestQuotaIsExact(t *testing.T) {
	const most, claimers, rounds = 50, 8, 4000
	var q Quota
	q.Limit(policy.Amount{policy.BoundJobs: most, policy.BoundBytes: 10 * most})
	large := policy.Amount{1, 9 * most}
	if !q.Claim(large) || q.Claim(policy.Amount{1, most + 1}) || q.Used() != large {
		t.Errorf("%v are used", q.Used()) // a claim that is refused leaves nothing
	}
	q.Add(large.Neg())
	var all sync.WaitGroup
	for i := range claimers {
		all.Go(func() {
			had := 0
			for n := range rounds {
				a := policy.Amount{1, int64(1 + (i+n)%20), 0}
				if !q.Claim(a) {
					continue
				}
				had++
				if used := q.Used(); used[policy.BoundJobs] > most || used[policy.BoundBytes] > 10*most {
					t.Errorf("%v are used", used)
				}
				q.Add(a.Neg())
			}
			if had == 0 {
				t.Errorf("claimer %d never had a place", i)
			}
		})
	}
	all.Wait()
	if used := q.Used(); used != (policy.Amount{}) {
		t.Errorf("%v are used, and nobody has anything", used)
	}
}
