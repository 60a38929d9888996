package router

import (
	"beanfield/shard/queue"
	"beanfield/shard/queue/naive"
)

// alterSome moves or changes some jobs of a shard, which stay there.
func (run *restartRun) alterSome(c *restartClient, i int, jobs []*naive.Job) []queue.Op {
	if c.altering == nil {
		a := &queue.Altering{Filter: queue.Filter{Tube: jobs[run.dice.IntN(len(jobs))].Tube}}
		if to := run.tube(); run.model.shardOf(to) == i && to != a.Tube {
			a.To, a.As = to, []queue.JobState{0, 0, queue.Ready, queue.Buried}[run.dice.IntN(4)]
		} else {
			a.Set = queue.Fields(1 + run.dice.IntN(7))
			a.Pri, a.Delay, a.TTR = uint32(run.dice.IntN(4)), int64(run.delay())*second,
				(2e6+run.dice.Int64N(100))*second-run.dice.Int64N(2)*250e6
		}
		c.altering = a
	}
	op := queue.Op{Kind: queue.AlterSeveral, Several: new(queue.Several)}
	for range 1 + run.dice.IntN(4) {
		op.Several.IDs = append(op.Several.IDs, jobs[run.dice.IntN(len(jobs))].ID)
	}
	return []queue.Op{op}
}

// alter does that in the model.
func (m *restartModel) alter(a *queue.Altering, list []uint64) restartAnswer {
	with := naive.Alter{From: a.Tube, To: a.To, As: map[queue.JobState]naive.State{queue.Ready: naive.Ready,
		queue.Buried: naive.Buried}[a.As]}
	if a.Set&queue.FieldPri != 0 {
		with.Pri = &a.Pri
	}
	if a.Set&queue.FieldDelay != 0 {
		with.Delay = &a.Delay
	}
	if a.Set&queue.FieldTTR != 0 {
		with.TTR = &a.TTR
	}
	answer := restartAnswer{status: naive.OK}
	for _, id := range list {
		switch m.Alter(id, with) {
		case naive.OK:
			answer.count++
		case naive.NoRoom:
			answer.full++
		}
	}
	return answer
}
