package router

import (
	"fmt"
	"slices"

	"beanfield/shard/queue"
	"beanfield/shard/queue/naive"
	"beanfield/storage"
)

// rest waits until no job is on its way, and nothing is due any more.
func (run *restartRun) rest() {
	for range 3 { // jobs may go on from where they came
		for i := range run.router.Shards() {
			run.ask(i, queue.Op{Kind: queue.Totals})
			run.router.movers[i].Rest()
		}
	}
}

// alterSome moves or changes some jobs of a shard, which stay there.
func (run *restartRun) alterSome(c *restartClient, i int, jobs []*naive.Job) []queue.Op {
	if c.altering == nil {
		a := &queue.Altering{Filter: queue.Filter{Tube: jobs[run.dice.IntN(len(jobs))].Tube}}
		if to := run.tube(); run.model.shardOf(to) == i && to != a.Tube {
			a.To, a.As = to, []queue.JobState{0, 0, queue.Ready, queue.Buried}[run.dice.IntN(4)]
		} else {
			a.Set = queue.Fields(1 + run.dice.IntN(7))
			a.Pri, a.Delay, a.TTR = uint32(run.dice.IntN(4)), int64(run.delay())*second, (2e6+run.dice.Int64N(100))*second-run.dice.Int64N(2)*250e6
		}
		c.altering = a
	}
	op := queue.Op{Kind: queue.AlterSeveral}
	for range 1 + run.dice.IntN(4) {
		op.Data = queue.AppendID(op.Data, jobs[run.dice.IntN(len(jobs))].ID)
	}
	return []queue.Op{op}
}

// alter does that in the model.
func (m *restartModel) alter(a *queue.Altering, list []byte) restartAnswer {
	with := naive.Alter{From: a.Tube, To: a.To, As: map[queue.JobState]naive.State{queue.Ready: naive.Ready, queue.Buried: naive.Buried}[a.As]}
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
	for _, id := range idsIn(list) {
		switch m.Alter(id, with) {
		case naive.OK:
			answer.count++
		case naive.NoRoom:
			answer.full++
		}
	}
	return answer
}

// drawMove draws a tube, another one in another shard, and jobs of the first. It draws none if a power cut may take
// what one shard has told another.
func (run *restartRun) drawMove() (l *Listing, ids []uint64) {
	m, to := run.model, run.tube()
	plain := m.jobs(func(j *naive.Job) bool { return m.shardOf(j.Tube) != m.shardOf(to) })
	if run.mode == storage.Never || len(plain) == 0 {
		return nil, nil
	}
	from := plain[run.dice.IntN(len(plain))].Tube
	jobs := m.In(from)
	most := 4
	if len(run.policies) > 0 {
		most = 1 // of several, one that is on its way cannot be dropped for the next one
	}
	for range 1 + run.dice.IntN(most) {
		if id := jobs[run.dice.IntN(len(jobs))].ID; !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	a := &queue.Altering{To: to, As: []queue.JobState{0, 0, queue.Ready, queue.Buried}[run.dice.IntN(4)]}
	return &Listing{Filter: queue.Filter{Tube: from}, Most: len(ids), Alter: a}, ids
}

func describeMove(l *Listing, ids []uint64) string {
	return fmt.Sprintf("%d from %s: %+v", ids, l.Tube, *l.Alter)
}

// listOf names jobs as operations do.
func listOf(ids []uint64) (list []byte) {
	for _, id := range ids {
		list = queue.AppendID(list, id)
	}
	return list
}

// settleAll waits for all that is due: a body that is being read must not move.
func (run *restartRun) settleAll() {
	for _, c := range run.clients {
		c.settle()
	}
}

// moveAway moves jobs to another shard.
func (run *restartRun) moveAway(c *restartClient) {
	m := run.model
	run.settleAll()
	l, ids := run.drawMove()
	if l == nil || !c.idle() {
		return
	}
	before := run.now()
	c.Finish(c.Alter(l, ids))
	run.rest()
	m.at(before, run.now())
	logs := []*restartLog{m.logs[m.shardOf(l.Tube)], m.logs[m.shardOf(l.Alter.To)]}
	for _, log := range logs {
		log.turns++
	}
	m.trail = append(m.trail, c.name+": moves "+describeMove(l, ids))
	want := m.alter(l.Alter, listOf(ids))
	m.endTurn(run)
	run.seen.add("moved", int(want.count))
	for _, log := range logs {
		if run.synced() || want.count+want.full > 0 { // both logs have been made sure of what each job's move needs
			log.safe = log.turns
		}
	}
	if l.Status != queue.OK || l.Altered != (Altered{Done: int(want.count), Full: int(want.full), Not: len(ids) - int(want.count+want.full)}) {
		run.fatalf("a move is answered %d, %+v, want %d, and no room for %d", l.Status, l.Altered, want.count, want.full)
	}
}
