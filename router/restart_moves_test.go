package router

import (
	"fmt"
	"runtime"
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
		if to := run.plainTube(); run.model.shardOf(to) == i && to != a.Tube {
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
	m, to := run.model, run.plainTube()
	plain := m.jobs(func(j *naive.Job) bool { return !hasGroups(j.Tube) && m.shardOf(j.Tube) != m.shardOf(to) })
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
	for _, log := range logs {
		if run.synced() || want.count+want.full > 0 { // both logs have been made sure of what each job's move needs
			log.safe = log.turns
		}
	}
	if l.Status != queue.OK || l.Altered != (Altered{Done: int(want.count), Full: int(want.full), Not: len(ids) - int(want.count+want.full)}) {
		run.fatalf("a move is answered %d, %+v, want %d, and no room for %d", l.Status, l.Altered, want.count, want.full)
	}
}

// mayInterrupt says that a power cut may come in the middle of a move now.
func (run *restartRun) mayInterrupt() bool {
	if len(run.policies) > 0 || run.holding && run.budget > 0 {
		return false
	}
	if !run.holding {
		run.settleAll()
	}
	return true
}

// beginMove begins a move to another shard, which a power cut is about to interrupt. It returns what waits for its end
// on the old disk.
func (run *restartRun) beginMove() (finish func()) {
	m := run.model
	l, ids := run.drawMove()
	n := slices.IndexFunc(run.clients, (*restartClient).idle)
	if l == nil || n < 0 {
		return func() {}
	}
	c := run.clients[n]
	buried := 0
	for _, id := range ids {
		if as := l.Alter.As; as == queue.Buried || as == 0 && m.Job(id).State == naive.Buried {
			buried++
		}
	}
	if buried > 1 { // a start does not know their order
		return func() {}
	}
	m.trail = append(m.trail, c.name+": begins to move "+describeMove(l, ids))
	before, turns := run.now(), run.turns.Load()
	done := c.Alter(l, ids)
	for far := run.dice.Int64N(6); !run.holding && !done && run.turns.Load() < turns+far; {
		select {
		case <-c.bell:
			done = c.Resume()
		default:
			runtime.Gosched()
		}
	}
	m.at(before, before)
	run.travelling = map[uint64]restartRecord{}
	for _, id := range ids {
		if m.alter(l.Alter, listOf([]uint64{id})).count > 0 {
			run.travelling[id] = m.latest[id]
		}
	}
	return func() {
		c.Finish(done)
		run.rest()
	}
}

// arrived are the jobs that were on their way when the power was cut, and that are where they were to go.
func (run *restartRun) arrived(found map[uint64]restartFound, window [2]int64, seen *restartSeen) map[uint64]restartRecord {
	there := map[uint64]restartRecord{}
	for id, v := range run.travelling {
		o, ok := found[id]
		if !ok || o.info.Tube != v.tube {
			seen.stayed.Add(1)
			continue
		}
		if err := o.is(&v, window); err != nil {
			run.fatalf("after a move: %v", err)
		}
		seen.arrived.Add(1)
		there[id] = v
	}
	run.travelling = nil
	return there
}

// leave removes jobs that have arrived elsewhere from what the log says.
func (l *restartLog) leave(arrived map[uint64]restartRecord) {
	for id := range arrived {
		delete(l.base, id)
	}
	l.changes = slices.DeleteFunc(slices.Clone(l.changes), func(v restartRecord) bool { return arrived[v.id].job != nil })
}

// arrive adds them to what all logs say. They have given up their keys.
func arrive(all, arrived map[uint64]restartRecord) {
	for id, v := range arrived {
		all[id] = v
	}
	for id, v := range all {
		if v.key == nil || arrived[v.key.ID].job == nil || v.key.Spent {
			continue
		}
		if v.key.Until == 0 {
			delete(all, id)
			continue
		}
		k := *v.key
		k.Spent, v.key = true, &k
		all[id] = v
	}
}
