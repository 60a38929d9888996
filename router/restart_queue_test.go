package router

import (
	"slices"
	"strings"

	"beanfield/shard/queue"
)

// restartQueues are the tubes that have groups. What is done to their jobs is one
// operation a turn, because who gets a job is observed after each turn.
var restartQueues = []string{"S", "S;rear", "T", "T;rear"}

// restartGroups are the names of all groups. A consumer of the last one has auto-commit.
var restartGroups = [...]string{"a", "b", "c", "auto"}

const autoGroup = len(restartGroups) - 1

// restartStake is a job as a view has it.
type restartStake struct {
	view      int // the number of the view; what is said of another counts for nothing
	has, done bool
	returns   int
	user      string // at whom it is pending
}

type restartView struct {
	group, number int
	start         uint64
	tags          queue.Tags
}

// restartQueue is what is known of a queue besides its jobs. Its users do not outlive
// a restart.
type restartQueue struct {
	tube  string
	ended bool
	first int // the group that is the tube itself; -1 if there is none
	views []restartView
	users map[string]*restartUser // by GROUP.USER
}

type restartUser struct {
	group         int
	window        int
	auto, stopped bool
	box           *inbox // nil if it has left
}

func (m *restartModel) queue(tube string) *restartQueue {
	q := m.queues[tube]
	if q == nil {
		q = &restartQueue{tube: tube, first: -1, users: map[string]*restartUser{}}
		m.queues[tube] = q
	}
	return q
}

// view finds the view of a group; nil if there is none.
func (q *restartQueue) view(group int) *restartView {
	for i := range q.views {
		if q.views[i].group == group {
			return &q.views[i]
		}
	}
	return nil
}

func (q *restartQueue) has(group int) bool { return q.first == group || q.view(group) != nil }

// names lists the groups as attributes do.
func (q *restartQueue) names() (list []string) {
	if q.first >= 0 {
		list = append(list, restartGroups[q.first])
	}
	for _, v := range q.views {
		list = append(list, restartGroups[v.group])
	}
	return list
}

func (q *restartQueue) kept() bool { return q.ended || q.first >= 0 || len(q.views) > 0 }

// writeQueue notes that the log has been told what a queue is like.
func (m *restartModel) writeQueue(q *restartQueue) {
	record := *q
	record.views, record.users = slices.Clone(q.views), nil
	m.write(&restartJob{
		id: restartEnds + uint64(slices.Index(restartTubes, q.tube)), tube: q.tube, queue: &record, gone: !q.kept(),
	})
}

// stake is a job as a view has it.
func (j *restartJob) stake(v *restartView) *restartStake {
	s := &j.stakes[v.group]
	if s.view != v.number {
		*s = restartStake{view: v.number}
	}
	return s
}

func (v *restartView) gets(j *restartJob) bool { return j.id >= v.start && j.tags.Has(v.tags) }

// undelivered says that a view is yet to send a job.
func (j *restartJob) undelivered(v *restartView) bool {
	s := j.stake(v)
	return s.has && !s.done && s.user == ""
}

// join shows a job that is ready to the views.
func (m *restartModel) join(j *restartJob) {
	q := m.queue(j.tube)
	for i := range q.views {
		if v := &q.views[i]; v.gets(j) {
			j.stake(v).has = true
		}
	}
}

// wanted says that a view is not done with a job.
func (m *restartModel) wanted(j *restartJob) bool {
	q := m.queue(j.tube)
	return slices.ContainsFunc(q.views, func(v restartView) bool {
		s := j.stake(&v)
		return s.has && !s.done
	})
}

// finish is the end of a job for the first group.
func (m *restartModel) finish(j *restartJob) {
	j.holder, j.user = nil, ""
	if m.wanted(j) {
		j.state = queue.Passed
		m.write(j)
		return
	}
	m.settle(j)
}

// settle is the end of a job for its last group.
func (m *restartModel) settle(j *restartJob) {
	if j.fated {
		m.die(j, j.fate)
		return
	}
	m.remove(j)
}

func (m *restartModel) remove(j *restartJob) {
	delete(m.jobs, j.id)
	j.gone = true
	m.write(j)
}

// die is what becomes of a dead letter, which waits for the views.
func (m *restartModel) die(j *restartJob, f queue.Fate) {
	j.holder, j.user = nil, ""
	rear := strings.HasSuffix(j.tube, queue.RearSuffix)
	j.fated = m.wanted(j)
	switch {
	case j.fated:
		j.fate, j.state = f, queue.Passed
		m.write(j)
	case f == queue.FateDrop:
		m.remove(j)
	case f == queue.FateRear && !rear:
		j.tube += queue.RearSuffix
		j.rebalances, j.stakes = 0, [len(restartGroups)]restartStake{}
		j.state = queue.Ready
		m.write(j)
		m.makeReady(j)
	default:
		m.order++
		j.state, j.rank = queue.Buried, m.order
		j.buries++
		m.write(j)
	}
}

// viewEnds is the end of a job for a view.
func (m *restartModel) viewEnds(j *restartJob, v *restartView) {
	s := j.stake(v)
	s.done, s.returns, s.user = true, 0, ""
	if j.state == queue.Passed && !m.wanted(j) {
		m.settle(j)
		return
	}
	m.write(j)
}

// refuse is a negative of the consumer that has a job.
func (m *restartModel) refuse(j *restartJob, user string, a *queue.Ask) {
	q := m.queue(j.tube)
	v := q.view(q.users[user].group)
	switch {
	case v == nil && j.user == user:
		j.code, j.reason = a.Code, a.Reason
		j.user = ""
		j.rebalances++
		if j.rebalances >= a.Limits.MaxDelivery {
			m.die(j, a.Limits.DeadLetter)
			return
		}
		j.state = queue.Ready
		m.write(j)
		m.makeReady(j)
	case v != nil && j.stake(v).user == user:
		j.code, j.reason = a.Code, a.Reason
		s := j.stake(v)
		s.user = ""
		s.returns++
		if s.returns >= a.Limits.MaxDelivery {
			j.fated, j.fate = true, a.Limits.DeadLetter
			m.viewEnds(j, v)
			return
		}
		m.write(j)
	}
}

// in lists the jobs of a tube by id.
func (m *restartModel) in(tube string) []*restartJob {
	return m.sorted(func(j *restartJob) bool { return j.tube == tube })
}

// pushAuto ends, for its group, the jobs that a consumer with auto-commit is sent.
func (m *restartModel) pushAuto(q *restartQueue) {
	v := q.view(autoGroup)
	for _, j := range m.in(q.tube) {
		switch {
		case v == nil && j.state == queue.Ready:
			m.finish(j)
		case v != nil && j.undelivered(v):
			m.viewEnds(j, v)
		}
	}
}

// autoPush says that a consumer with auto-commit takes all that there is.
func (q *restartQueue) autoPush() bool {
	for _, u := range q.users {
		if u.auto && !u.stopped && u.box != nil {
			return true
		}
	}
	return false
}
