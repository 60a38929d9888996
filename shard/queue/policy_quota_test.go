package queue

import (
	"fmt"
	"strings"
	"testing"

	"beanfield/shard/queue/policy"
)

// quota is one for a single shard.
type quota struct {
	most, used policy.Amount
	refused    int
	waits      int // of puts
	asked      int // how often whether something fits
}

func (q *quota) Refuse(policy.Amount) { q.refused++ }
func (q *quota) Wait(more int)        { q.waits += more }

func (q *quota) Fits(a policy.Amount) bool {
	q.asked++
	for b, n := range a {
		if q.most[b] > 0 && q.used[b]+n > q.most[b] {
			return false
		}
	}
	return true
}

func (q *quota) Claim(a policy.Amount) bool {
	if !q.Fits(a) {
		return false
	}
	q.Add(a)
	return true
}

func (q *quota) Add(a policy.Amount) {
	for b, n := range a {
		q.used[b] += n
	}
}

// auditQuota counts the jobs that there are (QT1).
func auditQuota(s *State) error {
	var all policy.Amount
	for slot := range s.jobs.All() {
		j := s.job(slot)
		if !s.interred(slot) {
			all[policy.BoundJobs], all[policy.BoundBytes] = all[policy.BoundJobs]+1,
				all[policy.BoundBytes]+int64(j.size)
		}
		if all[policy.BoundMemory] += policy.JobMemory; !j.away() {
			all[policy.BoundMemory] += int64(j.size)
		}
	}
	if q, is := s.quota.(*quota); s.amount() != all || is && q.used != all {
		return fmt.Errorf("QT1: jobs count as %v, and for the limits as %+v; there are %v", s.amount(), q, all)
	}
	return nil
}

// amountIn reads the words of a script.
func amountIn(words []string) (a policy.Amount) {
	for _, word := range words {
		key, value, _ := strings.Cut(word, "=")
		a[map[string]policy.Bound{"jobs": policy.BoundJobs, "bytes": policy.BoundBytes,
			"memory": policy.BoundMemory}[key]] = int64(number(value))
	}
	return a
}

// limit gives both servers other limits. Memory is not among them: what a purge has ended still takes some, and
// the model does not know how long.
func (x *machine) limit() {
	most := policy.Amount{policy.BoundJobs: choose[int64](x, "jobs", 0, 0, 0, 3, 9), policy.BoundBytes: choose[int64](x,
		"bytes", 0, 0, 0, 40, 5000)}
	x.w.quota.most, x.m.Most = most, most
}

// A shard counts for a new quota, and for the old one no more, also those who wait for room.
func TestAnotherQuota(t *testing.T) {
	w := newWorld(t)
	w.run(`
		server jobs=1
		a put-with wait=9s -> 1
		b put-with wait=9s -> waiting`)
	w.s.SetQuota(nil)
	if q := w.quota; q.waits != 0 || q.used != (policy.Amount{}) {
		t.Errorf("the old quota has %+v", q)
	}
	w.s.SetQuota(&w.quota)
	w.run("a delete 1 => b:+2")
}
