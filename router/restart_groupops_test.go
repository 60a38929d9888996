package router

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"beanfield/shard/queue"
)

// groupAct is one operation on a queue that may have groups.
func (run *restartRun) groupAct(c *restartClient) error {
	m := run.model
	tube := restartQueues[run.dice.IntN(len(restartQueues))]
	if run.dice.IntN(4) > 0 {
		tube = run.favourite
	}
	jobs, q := m.in(tube), m.queue(tube)
	op := queue.Op{Kind: queue.Service, Ask: &queue.Ask{Queue: tube, Group: run.group(tube), Limits: run.limits(tube)}}
	a := op.Ask
	a.User = fmt.Sprint("u", run.dice.IntN(2))
	switch n := run.dice.IntN(100); {
	case n < 25:
		put := run.put(c)
		op.ID, op.Data, op.Size, op.Pri = put.ID, put.Data, put.Size, put.Pri
		a.What = queue.AskPut
		a.Tags = queue.MakeTags(map[string]string{"kind": []string{"x", "y"}[run.dice.IntN(2)]})
	case n < 43:
		run.watch(q, a)
	case n < 57:
		a.What, a.Indexes = queue.AskCommit, run.some(jobs)
	case n < 70:
		run.negative(q, a)
	case n < 73:
		if u := q.users[a.Group+"."+a.User]; u != nil && u.box != nil {
			a.What, a.Receiver = queue.AskLeave, u.box
		}
	case n < 76:
		a.What = queue.AskDropGroup
	case n < 78:
		n := slices.IndexFunc(jobs, func(j *restartJob) bool { return j.holder != nil && j.holder != c })
		if n < 0 {
			n = len(jobs)
		}
		if n > 0 {
			a.What, a.Index = queue.AskTruncate, jobs[run.dice.IntN(min(3, n))].id+uint64(run.dice.IntN(2))
		}
	case n < 80:
		a.What, a.Indexes = queue.AskDelete, run.some(settled(c, jobs))
	case n == 80 && run.dice.IntN(3) == 0:
		a.What = queue.AskEnd
	case len(jobs) > 0:
		op = run.work(c, jobs)
	}
	if op.Kind == queue.Service && a.What == 0 {
		return nil
	}
	return c.begin(m.shardOf(tube), []queue.Op{op})
}

// group is the name of one that a queue has, or may have.
func (run *restartRun) group(tube string) string {
	n := autoGroup
	if tube == "T" {
		n++
	}
	return restartGroups[run.dice.IntN(n)]
}

// limits of a queue. Where consumers have auto-commit no dead letter is buried: several
// might be in one turn, and their order is not known.
func (run *restartRun) limits(tube string) *queue.Limits {
	policies := []queue.Fate{queue.FateRear, queue.FateRear, queue.FateDrop, queue.FateBury}
	if tube == "T" {
		policies = policies[:3]
	}
	return &queue.Limits{
		MaxDelivery: 1 + run.dice.IntN(4), DeadLetter: policies[run.dice.IntN(len(policies))], Leaving: int64(time.Hour),
	}
}

// some are the ids of some jobs, and one of none.
func (run *restartRun) some(jobs []*restartJob) []uint64 {
	ids := []uint64{0}
	for _, j := range jobs {
		if run.dice.IntN(4) == 0 {
			ids = append(ids, j.id)
		}
	}
	return ids
}

// settled are those jobs that no other worker has: it may be yet to be told its job's body.
func settled(c *restartClient, jobs []*restartJob) []*restartJob {
	return slices.DeleteFunc(slices.Clone(jobs), func(j *restartJob) bool { return j.holder != nil && j.holder != c })
}

// work is what a beanstalk worker does with one of the jobs.
func (run *restartRun) work(c *restartClient, jobs []*restartJob) queue.Op {
	held := slices.DeleteFunc(slices.Clone(jobs), func(j *restartJob) bool { return j.holder != c })
	if len(held) > 0 && run.dice.IntN(3) > 0 {
		return run.about(held, queue.Delete, queue.Release, queue.Release, queue.Bury, queue.Touch)
	}
	return run.about(jobs, queue.ReserveJob, queue.ReserveJob, queue.ReserveJob, queue.KickJob, queue.KickJob, queue.Delete,
		queue.StatsJob, queue.Release)
}

// watch is the first watch of a group, or one of another consumer, or a new connection.
// In the first group it has room for what the consumer has.
func (run *restartRun) watch(q *restartQueue, a *queue.Ask) {
	a.What, a.Receiver, a.IndexOnly = queue.AskWatch, newInbox(), true
	group := slices.Index(restartGroups[:], a.Group)
	a.AutoCommit = group == autoGroup
	a.Window = 1 + run.dice.IntN(3)
	if q.first == group {
		for _, j := range run.model.in(q.tube) {
			if j.user == a.Group+"."+a.User {
				a.Window++
			}
		}
		return
	}
	if q.first < 0 && q.view(group) == nil {
		return
	}
	jobs := run.model.in(q.tube)
	switch n := run.dice.IntN(4); {
	case n == 0:
		a.Index = queue.NewestIndex
	case n == 1 && len(jobs) > 0:
		a.Index = jobs[run.dice.IntN(len(jobs))].id + uint64(run.dice.IntN(2))
	}
	if run.dice.IntN(3) == 0 {
		a.Tags = queue.MakeTags(map[string]string{"kind": "x"})
	}
}

// negative is one of a consumer, of what it or another one has.
func (run *restartRun) negative(q *restartQueue, a *queue.Ask) {
	var pending [][2]string
	for _, j := range run.model.in(q.tube) {
		users := []string{j.user}
		for i := range q.views {
			users = append(users, j.stake(&q.views[i]).user)
		}
		for _, user := range users {
			if user != "" {
				pending = append(pending, [2]string{user, fmt.Sprint(j.id)})
			}
		}
	}
	if len(pending) == 0 {
		return
	}
	p := pending[run.dice.IntN(len(pending))]
	id := uint64(0)
	fmt.Sscan(p[1], &id)
	a.What, a.Indexes = queue.AskNegative, []uint64{id}
	if run.dice.IntN(5) > 0 {
		a.Group, a.User, _ = strings.Cut(p[0], ".")
	}
	if run.dice.IntN(4) > 0 {
		a.Code, a.Reason = fmt.Sprint("Broken", run.dice.IntN(9)), []string{"", "no lens", "no film"}[run.dice.IntN(3)]
	}
	if run.dice.IntN(8) == 0 {
		a.Code = queue.CodeShutdown
	}
}

// applyGroups does to the model what the shard does for groups and consumers.
func (m *restartModel) applyGroups(a *queue.Ask) restartAnswer {
	q, group := m.queue(a.Queue), slices.Index(restartGroups[:], a.Group)
	u := q.users[a.Group+"."+a.User]
	switch a.What {
	case queue.AskWatch:
		m.watched(q, group, a)
	case queue.AskLeave:
		u.box = nil
	case queue.AskDropGroup:
		if !q.has(group) {
			return restartAnswer{status: queue.NotFound}
		}
		m.dropGroup(q, group)
	case queue.AskCommit:
		m.committed(q, group, a.Indexes)
	case queue.AskNegative:
		if u == nil {
			break
		}
		u.stopped = u.stopped || a.Code == queue.CodeShutdown
		for _, id := range a.Indexes {
			if j := m.jobs[id]; j != nil && j.tube == a.Queue {
				m.refuse(j, a.Group+"."+a.User, a)
			}
		}
	case queue.AskTruncate:
		for _, j := range m.in(a.Queue) {
			if j.id < a.Index {
				m.remove(j)
			}
		}
	default:
		panic(fmt.Sprint("the model does not know what to do for the queue service: ", a.What))
	}
	return restartAnswer{}
}

func (m *restartModel) watched(q *restartQueue, group int, a *queue.Ask) {
	jobs := m.in(q.tube)
	start := a.Index
	if start == queue.NewestIndex {
		start = 1
		if len(jobs) > 0 {
			start = jobs[len(jobs)-1].id + 1
		}
	}
	switch {
	case q.has(group):
	case q.first < 0:
		q.first = group
		m.writeQueue(q)
	default:
		m.views++
		q.views = append(q.views, restartView{group: group, number: m.views, start: start, tags: a.Tags})
		m.writeQueue(q)
		for _, j := range jobs {
			if v := q.view(group); j.state != queue.Delayed && v.gets(j) {
				j.stake(v).has = true
			}
		}
	}
	name := a.Group + "." + a.User
	q.users[name] = &restartUser{group: group, window: a.Window, auto: a.AutoCommit, box: a.Receiver.(*inbox)}
	if v := q.view(group); v != nil { // what it has beyond its window goes to others
		for _, j := range jobs {
			if s := j.stake(v); s.user == name {
				s.user = ""
			}
		}
	}
}

func (m *restartModel) committed(q *restartQueue, group int, ids []uint64) {
	v := q.view(group)
	for _, id := range ids {
		j := m.jobs[id]
		switch {
		case j == nil || j.tube != q.tube || !q.has(group):
		case v != nil:
			if s := j.stake(v); s.has && !s.done {
				m.viewEnds(j, v)
			}
		case j.user != "" || j.state == queue.Ready:
			m.finish(j)
		}
	}
}

func (m *restartModel) dropGroup(q *restartQueue, group int) {
	for name, u := range q.users {
		if u.group == group {
			delete(q.users, name)
		}
	}
	if q.first == group {
		q.first = -1
		m.writeQueue(q)
		for _, j := range m.in(q.tube) {
			if j.user != "" {
				j.user = ""
				m.makeReady(j)
			}
		}
		return
	}
	q.views = slices.DeleteFunc(q.views, func(v restartView) bool { return v.group == group })
	for _, j := range m.in(q.tube) {
		if j.state == queue.Passed && !m.wanted(j) {
			m.settle(j)
		}
	}
	m.writeQueue(q)
}
