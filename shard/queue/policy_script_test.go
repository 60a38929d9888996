package queue

import (
	"testing"

	"beanfield/shard/queue/policy"
)

// What clients see of the bounds of a tube.
func TestFullTubes(t *testing.T) {
	runScripts(t, []script{
		{"a full tube refuses, and takes jobs again when one has gone", `
			policy default jobs=2
			a put 1 0 60 -> 1
			a put 1 5 60 -> 2        # delayed ones count
			a put 1 0 60 -> noroom
			a poll -> 1
			a put 1 0 60 -> noroom   # reserved ones too
			a delete 1
			a put 1 0 60 -> 3
			a use other
			a put 1 0 60 -> 4        # a tube without a policy`},
		{"bytes count, and one that is too large never fits", `
			policy default bytes=100 full=oldest
			a put 1 0 60 60 -> 1
			a put 1 0 60 101 -> noroom
			a put 1 0 60 41 -> 2     # in place of the first
			a peek 1 -> no
			a put 1 0 60 59 -> 3
			a stats-tube default -> ready=2 deletes=0`},
		{"the oldest ready one goes, and no other", `
			policy default jobs=3 full=oldest
			a put 9 0 60 -> 1
			b poll -> 1
			a put 1 0 60 -> 2
			a put 9 0 60 -> 3
			a put 9 0 60 -> 4
			a peek 2 -> no
			a peek 1 -> 1
			b poll -> 3
			b poll -> 4
			a put 9 0 60 -> noroom   # all are reserved`},
		{"the least urgent goes, the youngest of them", `
			policy default jobs=3 full=least
			a put 5 0 60 -> 1
			a put 9 0 60 -> 2
			a put 9 0 60 -> 3
			a put 1 0 60 -> 4
			a peek 3 -> no
			a put 9 0 60 -> 5
			a peek 2 -> no`},
	})
}

// What they see of jobs that come back.
func TestDeliveriesAreCounted(t *testing.T) {
	runScripts(t, []script{
		{"deliveries are counted, and the last is followed by a burial", `
			policy default deliveries=2 dead=bury
			a put 5 0 1 -> 1
			a poll -> 1
			+1s
			a stats-job 1 -> state=ready reserves=1 timeouts=1
			a poll -> 1
			a release 1 5 0
			a stats-job 1 -> state=buried reserves=2 buries=1
			a kick 1 -> 1
			a poll -> 1
			a detach                  # it was delivered twice before the kick, too
			b stats-job 1 -> state=buried reserves=3`},
		{"only what is to be counted is", `
			policy default deliveries=1 count=timeouts dead=delete
			a put 5 0 1 -> 1
			a poll -> 1
			a release 1 5 0
			a poll -> 1
			a detach
			b poll -> 1
			+1s
			b peek 1 -> no
			policy default deliveries=2 count=releases dead=delete
			b put 5 0 1 -> 2
			b poll -> 2
			b release 2 5 9
			b stats-job 2 -> state=delayed releases=1
			b reserve-job 2 -> 2
			b release 2 5 9          # a delay does not save it
			b peek 2 -> no`},
		{"deliveries that have come back outlive a restart", `
			policy default deliveries=3 dead=bury
			a put 5 0 1 -> 1
			a poll -> 1
			+1s
			a poll -> 1
			a detach
			b poll -> 1              # nobody knows of this one afterwards
			restart
			a stats-job 1 -> state=ready reserves=2 timeouts=1
			a poll -> 1
			a detach
			b stats-job 1 -> state=buried`},
		{"without a policy a hang-up is not logged", `
			a put 5 0 60 -> 1
			a poll -> 1
			a detach
			restart
			a stats-job 1 -> state=ready reserves=0`},
	})
}

// What they see of retries, and of a log without room.
func TestRetries(t *testing.T) {
	runScripts(t, []script{
		{"a log without room lets no job die, and delays none", `
			policy default deliveries=1 dead=delete retry=5s
			a put 5 0 1 -> 1
			a poll -> 1
			log packed
			+1s
			a stats-job 1 -> state=ready timeouts=1`},
		{"who fails waits before the next try", `
			policy default retry=10s
			a put 5 0 1 -> 1
			a poll -> 1
			a release 1 5 0
			a stats-job 1 -> state=delayed left=10 delay=0
			+9s
			a poll -> timeout
			+1s
			a poll -> 1
			+1s                      # too slow
			a stats-job 1 -> state=delayed left=10 timeouts=1
			a kick 1 -> 1
			a poll -> 1
			a release 1 5 2          # who says how long is heard
			a stats-job 1 -> state=delayed left=2 delay=2
			+2s
			a poll -> 1
			a detach
			restart
			a stats-job 1 -> state=delayed left=10`},
	})
}

// What they see of jobs that get too old.
func TestJobsGetTooOld(t *testing.T) {
	runScripts(t, []script{
		{"ready, delayed and buried ones end, and others do not", `
			policy default expire=10s
			a put 1 0 60 -> 1
			a put 2 60 60 -> 2
			a put 0 0 60 -> 3
			a poll -> 3
			a bury 3 0
			a put 0 0 60 -> 4
			a poll -> 4
			a use other
			a put 0 0 60 -> 5
			+9998ms
			a stats-tube default -> ready=1 delayed=1 buried=1 reserved=1
			+2ms
			a stats-tube default -> ready=0 delayed=0 buried=0 reserved=1 deletes=0
			a peek 5 -> 5`},
		{"one that is too old when it comes back goes to nobody", `
			policy default expire=10s
			a put 1 0 60 -> 1
			a poll -> 1
			b reserve -> waiting
			+11s
			a release 1 0 0
			a peek 1 -> no`},
		{"nor when its holder hangs up or is too slow", `
			policy default expire=10s
			a put 1 0 60 -> 1
			a put 1 0 60 -> 2
			a put 1 0 12 -> 3
			a poll -> 1
			c poll -> 2
			c poll -> 3
			b reserve -> waiting
			+11s
			a detach
			+1s
			b peek 3 -> no
			c peek 1 -> no
			c bury 2 0                # nor is it kept
			tick
			c peek 2 -> no`},
	})
}

// The same when policies change, and over a restart (M3).
func TestOtherAges(t *testing.T) {
	runScripts(t, []script{
		{"a reload brings an age, changes it, and takes it away", `
			a put 1 0 60 -> 1
			+20s
			a put 1 0 60 -> 2
			policy default expire=30s
			policy default expire=15s
			tick
			a peek 1 -> no
			policy default
			+20s
			a peek 2 -> 2`},
		{"a restart finds what has got too old meanwhile", `
			policy default expire=10s
			a put 1 0 60 -> 1
			+5s
			a put 1 0 60 -> 2
			restart
			late 5s
			tick
			a peek 1 -> no
			a peek 2 -> 2`},
	})
}

// With from = ready only the time counts that a job has been ready, and after a restart, or with a new policy, nothing
// that is not known.
func TestAgesFromReady(t *testing.T) {
	runScripts(t, []script{
		{"who is delayed, held or buried gets no older", `
			policy default expire=10s from=ready
			a put 1 0 60 -> 1
			a put 2 15 60 -> 2
			a put 3 0 60 -> 3
			a put 0 0 60 -> 4
			a poll -> 4
			a bury 4 0
			a poll -> 1
			+9s
			a release 1 0 0
			+1s
			a peek 3 -> no
			a peek 1 -> 1
			+8999ms
			a peek 1 -> 1
			+1ms
			a peek 1 -> no
			a stats-tube default -> ready=1 delayed=0 buried=1
			+6s
			a peek 2 -> no
			a peek 4 -> 4`},
		{"a restart begins the time of a job that was delayed", `
			policy default expire=10s from=ready
			a put 1 0 60 -> 1
			a put 1 5 60 -> 2
			+8s
			restart
			+2s
			tick
			a peek 1 -> no
			+7999ms
			a peek 2 -> 2
			+1ms
			a peek 2 -> no`},
		{"so does a reload, which may also change what counts", `
			a put 1 0 60 -> 1
			a put 1 5 60 -> 2
			a put 1 60 60 -> 3
			+20s
			policy default expire=10s from=ready
			tick
			a peek 1 -> no
			+9999ms
			a peek 2 -> 2
			+1ms
			a peek 2 -> no
			policy default expire=40s
			+9s
			a peek 3 -> 3
			+1s
			a peek 3 -> no`},
	})
}

// The time of a job that a move has buried begins with its kick, although the log knows of nothing else.
func TestAgesFromReadyAfterAKick(t *testing.T) {
	runScripts(t, []script{
		{"and not with its put", `
			policy default expire=10s from=ready
			a use other
			a put 1 0 60 -> 1
			a move other default buried 1 -> 1
			a use default
			+20s
			a kick-job 1
			+9999ms
			a peek 1 -> 1
			+1ms
			a peek 1 -> no`},
	})
}

// However many jobs get too old at once, a turn ends a share of them.
func TestOldJobsEndInShares(t *testing.T) {
	const jobs = 3000
	w := newWorld(t)
	w.run("policy default expire=10s\na watch other\na ignore default")
	for range jobs {
		w.lastID++
		w.bodies[w.lastID] = "x"
		w.user("a").apply(Op{Kind: Put, Pri: 1, TTR: 1, Data: []byte("x"), Size: 1})
	}
	w.now += 10 * second
	for left, turns := jobs, 1; left > 0; turns++ {
		more := w.s.Tick(w.now)
		now := w.s.totals.Ready
		if left-now > Slice || now == left || more != (now > 0) {
			t.Fatalf("turn %d ends %d of %d jobs, and says that there is more: %t", turns, left-now, left, more)
		}
		left = now
	}
	// Between a replay and the first turn nothing can be committed.
	w.run("b put 1 1 60 -> 3001\nb put 1 0 60 -> 3002")
	w.replay()
	w.now += 10 * second
	for w.s.Settle(w.now) {
	}
	if w.s.totals.Ready != 2 || len(w.log.Jobs) != 2 || w.s.Next() > w.now {
		t.Errorf("after a replay there are %+v; next is %d, now %d", w.s.totals, w.s.Next(), w.now)
	}
}

// A policy that a reload brings is taken in in shares, however many jobs there are: a put that
// needs to know all of them waits, and others do not.
func TestPoliciesAreTakenInInShares(t *testing.T) {
	const jobs = 10 * Slice * moving
	w := newWorld(t)
	for range jobs {
		w.lastID++
		op := Op{Kind: Put, Pri: 1, TTR: 1, Data: []byte("x"), Size: 1}
		w.bodies[w.lastID] = "x"
		w.user("a").apply(op)
	}
	w.setPolicies(map[string]*policy.Policy{"default": {Most: policy.Amount{int64(jobs)}, Full: policy.FullOldest}})
	w.s.Tick(w.now)
	b := &Batch{Client: &w.user("a").client, Ops: []Op{{Kind: Put, Pri: 1, TTR: 1, Data: []byte("x"), Size: 1}}}
	w.bodies[jobs+1] = "x"
	turns := 0
	for ; !w.s.Run(w.now, b); turns++ {
		if w.s.Tick(w.now); turns > 1000 {
			t.Fatal("the put waits for ever")
		}
		o := &Batch{Client: &w.user("b").client, Ops: []Op{{Kind: Peek, ID: jobs}}}
		if !w.s.Run(w.now, o) || o.Ops[0].Status != OK {
			t.Fatal("another client has to wait")
		}
	}
	if turns < 10 {
		t.Errorf("%d jobs are ranked in %d turns", jobs, turns)
	}
	w.lastID++
	if w.run("a peek 1 -> no\na peek 2 -> 2"); b.Ops[0].ID != jobs+1 {
		t.Errorf("the put is answered %+v", b.Ops[0])
	}
}

// A policy costs a job nothing unless it ranks jobs.
func TestMemoryOfPolicies(t *testing.T) {
	w := newWorld(t)
	w.run("policy default jobs=9 deliveries=9 retry=1s\na put 1 0 60 -> 1\na poll -> 1\na release 1 1 0\na kick 1 -> 1")
	if len(w.s.policies.victims) > 0 {
		t.Error("jobs are ranked without need")
	}
}
