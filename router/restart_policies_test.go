package router

import "beanfield/shard/queue/policy"

// rule covers some tubes by policies, in every second run: what becomes of jobs that come back,
// and of puts into full tubes, is found again after a cut like all else.
func (run *restartRun) rule() {
	run.policies = map[string]*policy.Policy{}
	if run.dice.IntN(2) == 0 {
		return
	}
	for _, tube := range []string{"default", "a", "b", "c", "d", "e"} {
		run.policies[tube] = &policy.Policy{
			Most: policy.Amount{run.dice.Int64N(8)}, Full: policy.FullLeast,
			MaxDeliveries: run.dice.IntN(3), DeadLetter: []policy.Fate{policy.FateBury,
				policy.FateDrop}[run.dice.IntN(2)],
			Retry:  policy.Retry{First: int64(run.dice.IntN(2)) * 5000 * 1e9},
			Expire: max(0, run.dice.Int64N(10)-5) * 3000 * 1e9,
		}
	}
}
