package router

import (
	"fmt"
	"slices"
	"time"

	"beanfield/shard/queue"
	"beanfield/shard/queue/naive"
)

// restartQueues are the tubes that have groups. What is done to their jobs is one
// operation a turn, because who has a job is looked at after each turn.
var restartQueues = []string{"S", "S;rear", "T", "T;rear"}

// restartGroups are the names of all groups. A consumer of the last one has auto-commit; only
// the queues T have one.
var restartGroups = []string{"a", "b", "c", "auto"}

// groupAct is one operation on a queue that may have groups.
func (run *restartRun) groupAct(c *restartClient) {
	m := run.model
	tube := restartQueues[run.dice.IntN(len(restartQueues))]
	if run.dice.IntN(4) > 0 {
		tube = run.favourite
	}
	jobs := m.In(tube)
	op := queue.Op{Kind: queue.Service, Ask: &queue.Ask{Queue: tube, Group: run.group(tube), Limits: run.limits()}}
	a := op.Ask
	a.User = fmt.Sprint("u", run.dice.IntN(2))
	switch n := run.dice.IntN(100); {
	case n < 25:
		put := run.put(c)
		op.ID, op.Data, op.Size, op.Pri = put.ID, put.Data, put.Size, put.Pri
		a.What = queue.AskPut
		a.Tags = queue.MakeTags(map[string]string{"kind": []string{"x", "y"}[run.dice.IntN(2)]})
	case n < 43:
		run.watch(a)
	case n < 57:
		a.What, a.Indexes = queue.AskCommit, run.some(jobs)
	case n < 70:
		run.negative(a)
	case n < 73:
		if i := m.User(tube, a.Group, a.User); m.Clients[i].Consumer.Connected {
			a.What, a.Receiver = queue.AskLeave, run.boxes[i]
		}
	case n < 76:
		a.What = queue.AskDropGroup
	case n < 78:
		n := slices.IndexFunc(jobs, func(j *naive.Job) bool { return m.busy(j, c) })
		if n < 0 {
			n = len(jobs)
		}
		if n > 0 {
			a.What, a.Index = queue.AskTruncate, jobs[run.dice.IntN(min(3, n))].ID+uint64(run.dice.IntN(2))
		}
	case n < 80:
		a.What, a.Indexes = queue.AskDelete, run.some(m.settled(c, jobs))
	case n == 80 && run.dice.IntN(3) == 0:
		a.What = queue.AskEnd
	case len(jobs) > 0:
		op = run.work(c, jobs)
	}
	if op.Kind != queue.Service || a.What != 0 {
		c.begin(m.shardOf(tube), op)
	}
}

// group is the name of one that a queue has, or may have.
func (run *restartRun) group(tube string) string {
	n := len(restartGroups)
	if tube != "T" {
		n--
	}
	return restartGroups[run.dice.IntN(n)]
}

// limits of a queue.
func (run *restartRun) limits() *queue.Limits {
	policies := []queue.Fate{queue.FateRear, queue.FateRear, queue.FateDrop, queue.FateBury}
	return &queue.Limits{
		MaxDelivery: 1 + run.dice.IntN(4), DeadLetter: policies[run.dice.IntN(len(policies))], Leaving: int64(time.Hour),
	}
}

// some are the ids of some jobs, and one of none.
func (run *restartRun) some(jobs []*naive.Job) []uint64 {
	ids := []uint64{0}
	for _, j := range jobs {
		if run.dice.IntN(4) == 0 {
			ids = append(ids, j.ID)
		}
	}
	return ids
}

// busy says that another worker has a job: it may be yet to be told its job's body.
func (m *restartModel) busy(j *naive.Job, c *restartClient) bool {
	return j.State == naive.Reserved && j.Holder != c.number && m.Clients[j.Holder].Consumer == nil
}

// settled are those jobs that are not busy.
func (m *restartModel) settled(c *restartClient, jobs []*naive.Job) []*naive.Job {
	return slices.DeleteFunc(slices.Clone(jobs), func(j *naive.Job) bool { return m.busy(j, c) })
}

// work is what a beanstalk worker does with one of the jobs.
func (run *restartRun) work(c *restartClient, jobs []*naive.Job) queue.Op {
	held := slices.DeleteFunc(slices.Clone(jobs), func(j *naive.Job) bool { return j.Holder != c.number })
	if len(held) > 0 && run.dice.IntN(3) > 0 {
		return run.about(held, queue.Delete, queue.Release, queue.Release, queue.Bury, queue.Touch)
	}
	return run.about(jobs, queue.ReserveJob, queue.ReserveJob, queue.ReserveJob, queue.KickJob, queue.KickJob, queue.Delete,
		queue.StatsJob, queue.Release)
}

// watch is the first watch of a group, or one of another consumer, or a new connection.
func (run *restartRun) watch(a *queue.Ask) {
	m := run.model
	q, jobs := m.Service(a.Queue), m.In(a.Queue)
	box := newInbox()
	run.boxes[m.User(a.Queue, a.Group, a.User)] = box
	a.What, a.Receiver, a.IndexOnly = queue.AskWatch, box, true
	a.AutoCommit = a.Group == restartGroups[len(restartGroups)-1]
	a.Window = 1 + run.dice.IntN(3)
	if q.First == a.Group || q.First == "" && q.View(a.Group) == nil {
		return
	}
	switch n := run.dice.IntN(4); {
	case n == 0:
		a.Index = queue.NewestIndex
	case n == 1 && len(jobs) > 0:
		a.Index = jobs[run.dice.IntN(len(jobs))].ID + uint64(run.dice.IntN(2))
	}
	if run.dice.IntN(3) == 0 {
		a.Tags = queue.MakeTags(map[string]string{"kind": "x"})
	}
}

// negative is one of a consumer, of what it or another one has.
func (run *restartRun) negative(a *queue.Ask) {
	var users []*naive.Consumer
	var pending []uint64
	for i, o := range run.model.Clients {
		if u := o.Consumer; u != nil && u.Queue == a.Queue {
			for _, id := range run.model.Pending(i) {
				users, pending = append(users, u), append(pending, id)
			}
		}
	}
	if len(pending) == 0 {
		return
	}
	n := run.dice.IntN(len(pending))
	a.What, a.Indexes = queue.AskNegative, []uint64{pending[n]}
	if run.dice.IntN(5) > 0 {
		a.Group, a.User = users[n].Group, users[n].User
	}
	if run.dice.IntN(4) > 0 {
		a.Code, a.Reason = fmt.Sprint("Broken", run.dice.IntN(9)), []string{"", "no lens", "no film"}[run.dice.IntN(3)]
	}
	if run.dice.IntN(8) == 0 {
		a.Code = queue.CodeShutdown
	}
}
