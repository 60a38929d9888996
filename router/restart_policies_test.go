package router

import (
	"beanfield/shard/queue"
	"beanfield/shard/queue/naive"
)

// rule covers some tubes by policies, in every second run: what becomes of jobs that come back,
// and of puts into full tubes, is found again after a cut like all else.
func (run *restartRun) rule() {
	run.policies = map[string]*queue.Policy{}
	if run.dice.IntN(2) == 0 {
		return
	}
	for _, tube := range []string{"default", "a", "b", "c", "d", "e"} {
		run.policies[tube] = &queue.Policy{
			MaxJobs: run.dice.IntN(8), Full: queue.FullLeast,
			MaxDeliveries: run.dice.IntN(3), DeadLetter: []queue.Fate{queue.FateBury, queue.FateDrop}[run.dice.IntN(2)],
			Retry:  queue.Retry{First: int64(run.dice.IntN(2)) * 5000 * 1e9},
			Expire: max(0, run.dice.Int64N(10)-5) * 3000 * 1e9,
		}
	}
}

// ruled are the same in the model's words.
func (run *restartRun) ruled() map[string]*naive.Policy {
	all := map[string]*naive.Policy{}
	for tube, p := range run.policies {
		all[tube] = &naive.Policy{
			Bounds: naive.Bounds{MaxJobs: p.MaxJobs}, Drop: naive.ByLeast,
			MaxDeliveries: p.MaxDeliveries,
			Fate:          map[queue.Fate]naive.Fate{queue.FateBury: naive.FateBury, queue.FateDrop: naive.FateDrop}[p.DeadLetter],
			Retry:         p.Retry.First, Expire: p.Expire,
		}
	}
	return all
}
