package queue

import (
	"fmt"
	"strings"
	"testing"

	"beanfield/shard/queue/naive"
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
	x.w.quota.most = most
	x.m.Most = naive.Bounds{MaxJobs: int(most[policy.BoundJobs]), MaxBytes: int(most[policy.BoundBytes])}
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

// What clients see of a server's limits. After each step the quota is what the shard has (QT1).
func TestServerLimits(t *testing.T) {
	runScripts(t, []script{
		{"jobs of all tubes count, in whatever state", `
			server jobs=3
			a put 1 0 60 -> 1
			a put 1 5 60 -> 2
			b use other
			b put 1 0 60 -> 3
			b put 1 0 60 -> noroom
			a poll -> 1
			b put 1 0 60 -> noroom
			a bury 1 1
			b put 1 0 60 -> noroom
			a delete 1
			b put 1 0 60 -> 4
			b put 1 0 60 -> noroom`},
		{"bytes of bodies", `
			server bytes=100
			a put 1 0 60 60 -> 1
			a put 1 0 60 41 -> noroom
			a put 1 0 60 40 -> 2
			a put 1 0 60 1 -> noroom
			a delete 1
			a put 1 0 60 60 -> 3`},
		{"memory is bodies, and something for each job", `
			server memory=500
			a put 1 0 60 200 -> 1
			a put 1 0 60 101 -> noroom
			a put 1 0 60 100 -> 2
			a put 1 0 60 0 -> noroom
			a delete 2
			a put 1 0 60 0 -> 3`},
	})
}

// What else makes room, and what does not.
func TestRoomInTheServer(t *testing.T) {
	runScripts(t, []script{
		{"what a policy ends makes room", `
			policy default deliveries=1 dead=delete expire=10s
			server jobs=1
			a put 1 0 1 -> 1
			a poll -> 1
			+1s
			a put 1 0 60 -> 2
			a put 1 0 60 -> noroom
			+10s
			a put 1 0 60 -> 3`},
		{"a tube drops no job of its own for one that the server refuses", `
			policy default jobs=2 full=oldest
			server jobs=3
			a put 1 0 60 -> 1
			a put 1 0 60 -> 2
			a put 1 0 60 -> 3        # in place of the first
			a peek 1 -> no
			b use other
			b put 1 0 60 -> 4
			a put 1 0 60 -> noroom
			a peek 2 -> 2`},
		{"more jobs than the limit outlive a restart, and lowering it ends none", `
			a put 1 0 60 -> 1
			a put 1 0 60 -> 2
			a put 1 0 60 -> 3
			server jobs=2
			restart
			a put 1 0 60 -> noroom
			a delete 1
			a put 1 0 60 -> noroom
			a delete 2
			a put 1 0 60 -> 4
			server
			a put 1 0 60 -> 5`},
	})
}

// A truncate makes room for jobs and bytes at once, and for memory when that has been given back.
func TestLimitsAndPurges(t *testing.T) {
	w := newWorld(t)
	w.leastPurge, w.purgeShare = 1, -1
	w.s.LeastPurge, w.s.PurgeShare = w.leastPurge, w.purgeShare
	w.run(`
		server jobs=3 bytes=27 memory=400
		a put 1 0 60 -> 1
		a put 1 0 60 -> 2
		a put 1 0 60 -> 3
		a put 1 0 60 -> noroom
		a truncate default -> 3`)
	if used := w.quota.used; used != (policy.Amount{0, 0, 327}) {
		t.Errorf("after a truncate %v are used", used)
	}
	w.run(`
		a put 1 0 60 -> noroom
		restart                  # the log still has the jobs, and bodies are not read any more
		a put 1 0 60 -> noroom
		server jobs=3 memory=409
		a put 1 0 60 -> 4`)
	w.s.PurgeShare = 0
	w.run(`
		tick
		a put 1 0 60 -> 5`)
	if used := w.quota.used; used != (policy.Amount{2, 18, 218}) {
		t.Errorf("after the graves are empty %v are used", used)
	}
}

// What a put claims that is carried out with others is given back as far as it was too much: bodies that the budget
// has no room for take no memory.
func TestLimitsAndPutsTogether(t *testing.T) {
	w := newWorld(t)
	w.s.Budget = 50
	for _, c := range []struct {
		most policy.Amount
		want Status
	}{
		{policy.Amount{policy.BoundJobs: 2}, NoRoom}, {policy.Amount{policy.BoundBytes: 119}, NoRoom},
		{policy.Amount{policy.BoundMemory: 419}, NoRoom},
		{policy.Amount{policy.BoundJobs: 3, policy.BoundBytes: 120, policy.BoundMemory: 420}, OK},
		{policy.Amount{policy.BoundJobs: 5}, NoRoom},
	} {
		w.quota.most = c.most
		before := w.quota.used
		b := w.user("a").putAll(putsOf(3, 40)...)
		if got := b.Ops[1].Status; got != c.want {
			t.Errorf("%v: %v, want %v", c.most, got, c.want)
		}
		if c.want != OK && w.quota.used != before {
			t.Errorf("%v: a put that was refused counts: %v", c.most, w.quota.used)
		}
		if err := auditQuota(w.s); err != nil {
			t.Error(err)
		}
	}
	if used := w.quota.used; used != (policy.Amount{3, 120, 340}) {
		t.Errorf("used are %v", used)
	}
}
