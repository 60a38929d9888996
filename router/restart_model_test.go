package router

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"beanfield/shard/queue"
)

// restartJob is a job as the model knows it, or, by value, as a log does.
// Times are in nanoseconds on the test's own calendar.
type restartJob struct {
	id, rank   uint64 // rank: the order of burying
	tube, body string
	tags       queue.Tags
	pri, delay uint32
	ttr        uint32
	state      queue.JobState
	from, to   int64 // between these a delayed job becomes ready
	born       [2]int64
	reserves   uint32
	releases   uint32
	buries     uint32
	kicks      uint32
	holder     *restartClient
	reservedAs uint64
	fated      bool // it is a dead letter of a view, and others have it
	fate       queue.Fate
	rebalances int
	code       string // of the last negative
	reason     string
	user       string // the consumer of the first group at whom it is pending
	stakes     [len(restartGroups)]restartStake
	queue      *restartQueue // it is no job but what a queue is
	gone       bool          // in a log: it was deleted
	turn       int           // in a log: the turn that wrote this
}

// restartLog is what one shard must have told its log: what was there when it
// was opened, then every change. The changes of one turn stand or fall together.
type restartLog struct {
	base    map[uint64]restartJob
	changes []restartJob
	turns   int // begun so far
	safe    int // the last that was acknowledged as durable
}

// restartModel is the queue as one would explain it, with a log for each shard
// that says what a restart may find.
type restartModel struct {
	shardOf func(tube string) int
	jobs    map[uint64]*restartJob
	queues  map[string]*restartQueue
	logs    []*restartLog
	waiting []*restartClient
	views   int      // made so far
	touched bool     // a queue that may have groups
	order   uint64   // of burying, reserving
	window  [2]int64 // the moment of the operation is between these
	known   uint64   // the highest id that anybody has been told
	last    uint64   // the highest that has been allotted
	trail   []string // what was done, for a report
}

func newRestartModel(shards int) *restartModel {
	m := &restartModel{shardOf: func(tube string) int { return ShardOf(tube, shards) }, jobs: map[uint64]*restartJob{}, queues: map[string]*restartQueue{}}
	for range shards {
		m.logs = append(m.logs, &restartLog{base: map[uint64]restartJob{}})
	}
	return m
}

// born is when a job that is put now is created: shards cut that to milliseconds, and
// an age may be a second more because of it.
func (m *restartModel) born() [2]int64 {
	cut := func(t int64) int64 { return t - t%int64(time.Millisecond) }
	return [2]int64{cut(m.window[0]), cut(m.window[1])}
}

// write notes what a change must have told the log, in which a job that somebody holds is
// ready.
func (m *restartModel) write(j *restartJob) {
	l := m.logs[m.shardOf(j.tube)]
	v := *j
	v.holder, v.user, v.turn = nil, "", l.turns
	if v.state == queue.Reserved {
		v.state = queue.Ready
	}
	for i := range v.stakes {
		v.stakes[i].user = ""
	}
	l.changes = append(l.changes, v)
}

// find is the best job for which ok holds, by (pri, id).
func (m *restartModel) find(state queue.JobState, less func(a, b *restartJob) int, ok func(*restartJob) bool) *restartJob {
	var best *restartJob
	for _, j := range m.jobs {
		if j.state == state && ok(j) && (best == nil || less(j, best) < 0) {
			best = j
		}
	}
	return best
}

func byPriority(a, b *restartJob) int {
	return cmp.Or(cmp.Compare(a.pri, b.pri), cmp.Compare(a.id, b.id))
}
func byRank(a, b *restartJob) int { return cmp.Compare(a.rank, b.rank) }
func byDeadline(a, b *restartJob) int {
	return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.id, b.id))
}
func byReserving(a, b *restartJob) int {
	return cmp.Compare(a.reservedAs, b.reservedAs)
}

// first is the job that peek-ready, peek-delayed and peek-buried show.
func (m *restartModel) first(state queue.JobState, tube string) *restartJob {
	less := map[queue.JobState]func(a, b *restartJob) int{queue.Ready: byPriority, queue.Delayed: byDeadline, queue.Buried: byRank}
	return m.find(state, less[state], func(j *restartJob) bool { return j.tube == tube })
}

// best is what a reserve of this client takes.
func (m *restartModel) best(c *restartClient) *restartJob {
	return m.find(queue.Ready, byPriority, func(j *restartJob) bool { return slices.Contains(c.session.Watched().all(), j.tube) })
}

func (m *restartModel) hold(j *restartJob, c *restartClient) {
	m.order++
	j.state, j.holder, j.reservedAs = queue.Reserved, c, m.order
	j.reserves++
}

func (m *restartModel) makeReady(j *restartJob) {
	j.state, j.holder = queue.Ready, nil
	m.join(j)
	i := slices.IndexFunc(m.waiting, func(c *restartClient) bool { return slices.Contains(c.session.Watched().all(), j.tube) })
	if i < 0 {
		return
	}
	c := m.waiting[i]
	m.waiting = slices.Delete(m.waiting, i, i+1)
	best := m.first(queue.Ready, j.tube)
	m.hold(best, c)
	c.delivered = best
}

func (m *restartModel) makeDelayed(j *restartJob, delay uint32) {
	j.state, j.holder = queue.Delayed, nil
	j.from, j.to = m.window[0]+int64(delay)*1e9, m.window[1]+int64(delay)*1e9
}

func (m *restartModel) kick(j *restartJob) {
	j.kicks++
	j.state, j.holder = queue.Ready, nil
	m.write(j)
	m.makeReady(j)
}

// leave is what the end of a session does. It returns the shards whose queues it changes.
func (m *restartModel) leave(c *restartClient) (shards []int) {
	m.waiting = slices.DeleteFunc(m.waiting, func(w *restartClient) bool { return w == c })
	held := slices.DeleteFunc(slices.Collect(maps.Values(m.jobs)), func(j *restartJob) bool { return j.holder != c })
	slices.SortFunc(held, byReserving)
	for _, j := range held {
		if hasGroups(j.tube) {
			shards = append(shards, m.shardOf(j.tube))
		}
		m.makeReady(j)
	}
	slices.Sort(shards)
	return slices.Compact(shards)
}

// sorted lists jobs by id: what is drawn from it is repeatable.
func (m *restartModel) sorted(ok func(*restartJob) bool) (list []*restartJob) {
	for _, id := range slices.Sorted(maps.Keys(m.jobs)) {
		if j := m.jobs[id]; ok(j) {
			list = append(list, j)
		}
	}
	return list
}

// after says what a log holds after one of its turns.
func (l *restartLog) after(turn int) map[uint64]restartJob {
	state := maps.Clone(l.base)
	for _, v := range l.changes {
		switch {
		case v.turn > turn:
			return state
		case v.gone:
			delete(state, v.id)
		default:
			state[v.id] = v
		}
	}
	return state
}
