package queue

import (
	"cmp"
	"fmt"
	"slices"

	"beanfield/storage"
)

// model is the queue once more, written from the protocol's description and
// as simply as possible: one slice of jobs, one of clients, and everything is
// found by looking at all of them.
type model struct {
	jobs    []mJob
	clients []mClient
	tubes   []mTube
	totals  Sums // Timeouts and Total only; the rest is counted
	seq     int  // grows with every reservation, burial and wait
	given   []string
	opening bool      // pauses have ended, and those who wait are served
	service *mService // nil if the queue service is not used
}

type mJob struct {
	id                                          uint64
	tube                                        string
	body                                        string
	state                                       JobState
	pri, delay, ttr                             uint32
	created, deadline                           int64
	holder                                      int
	seq                                         int // when it was reserved
	buried                                      int // when it was last buried
	aside                                       bool
	reserves, timeouts, releases, buries, kicks uint32
	logged                                      storage.Job

	// of the queue service
	rebalances, avoid int
	moved             bool
	tags              Tags
	loggedRebalances  int
	loggedMoved       bool
}

type mClient struct {
	used    string
	watched []string
	waiting int // when it began to wait, 0 if it does not
	open    bool

	consumer *mConsumer // whose client it is, of the queue service
}

type mTube struct {
	name            string
	total           uint64
	deletes, pauses uint64
	pause           uint32
	pausedUntil     int64
}

func (m *model) clone() *model {
	c := *m
	c.jobs, c.clients, c.tubes = slices.Clone(m.jobs), slices.Clone(m.clients), slices.Clone(m.tubes)
	c.given = slices.Clone(m.given)
	return &c
}

func (m *model) next() int { m.seq++; return m.seq }

func (m *model) job(id uint64) *mJob {
	for i := range m.jobs {
		if m.jobs[i].id == id {
			return &m.jobs[i]
		}
	}
	return nil
}

func (m *model) tube(name string) *mTube {
	for i := range m.tubes {
		if m.tubes[i].name == name {
			return &m.tubes[i]
		}
	}
	return nil
}

func (m *model) need(name string) *mTube {
	if m.tube(name) == nil {
		m.tubes = append(m.tubes, mTube{name: name})
	}
	return m.tube(name)
}

// sweep ends tubes without a reason to exist.
func (m *model) sweep() {
	m.tubes = slices.DeleteFunc(m.tubes, func(t mTube) bool {
		using, watching, _ := m.members(t.name)
		held := slices.ContainsFunc(m.jobs, func(j mJob) bool { return j.tube == t.name })
		return t.name != "default" && using+watching == 0 && !held && (m.service == nil || !m.service.keeps(t.name))
	})
}

func (m *model) members(name string) (using, watching, waiting int) {
	for _, c := range m.clients {
		if c.used == name {
			using++
		}
		if slices.Contains(c.watched, name) {
			watching++
			if c.waiting > 0 && c.open {
				waiting++
			}
		}
	}
	return using, watching, waiting
}

// best finds the smallest job by order among those that fit.
func (m *model) best(fits func(*mJob) bool, order func(a, b *mJob) int) *mJob {
	var best *mJob
	for i := range m.jobs {
		if j := &m.jobs[i]; fits(j) && (best == nil || order(j, best) < 0) {
			best = j
		}
	}
	return best
}

func byRank(a, b *mJob) int { return cmp.Or(cmp.Compare(a.pri, b.pri), cmp.Compare(a.id, b.id)) }
func byDeadline(a, b *mJob) int {
	return cmp.Or(cmp.Compare(a.deadline, b.deadline), cmp.Compare(a.id, b.id))
}
func bySeq(a, b *mJob) int    { return cmp.Compare(a.seq, b.seq) }
func byBurial(a, b *mJob) int { return cmp.Compare(a.buried, b.buried) }

// in fits the jobs of one tube in one state.
func in(tube string, state JobState) func(*mJob) bool {
	return func(j *mJob) bool { return j.tube == tube && j.state == state }
}

// bestFor is the job that a reserve over the tubes would take.
func (m *model) bestFor(tubes []string) *mJob {
	return m.best(func(j *mJob) bool {
		return j.state == Ready && slices.Contains(tubes, j.tube) && m.tube(j.tube).pausedUntil == 0
	}, byRank)
}

func (m *model) soonest(c int) int64 {
	j := m.best(func(j *mJob) bool { return j.state == Reserved && j.holder == c && j.deadline != 0 }, byDeadline)
	if j == nil {
		return 0
	}
	return j.deadline
}

// leave takes those out of the queues whose wait has ended elsewhere.
func (m *model) leave() {
	for i := range m.clients {
		if !m.clients[i].open {
			m.clients[i].waiting = 0
		}
	}
}

func (m *model) take(now int64, c int, j *mJob) {
	j.state, j.holder, j.seq = Reserved, c, m.next()
	j.deadline = 0
	if j.ttr > 0 {
		j.deadline = now + int64(j.ttr)*second
	}
	j.reserves++
}

// match gives jobs to waiters until no tube has both: the best job of all, to
// the first waiter of its tube. Who is found not to wait any more leaves.
func (m *model) match(now int64) {
	for {
		var tubes []string
		for _, c := range m.clients {
			if c.waiting > 0 {
				tubes = append(tubes, c.watched...)
			}
		}
		j := m.bestFor(tubes)
		if j == nil {
			return
		}
		first := -1
		for i, c := range m.clients {
			if c.waiting > 0 && slices.Contains(c.watched, j.tube) && (first < 0 || c.waiting < m.clients[first].waiting) {
				first = i
			}
		}
		c := &m.clients[first]
		c.waiting = 0
		if m.opening {
			m.opened(j.tube)
		}
		tube := j.tube
		switch {
		case c.consumer != nil:
			m.push(now, first, j)
		case c.open:
			c.open = false
			m.take(now, first, j)
			m.given = append(m.given, fmt.Sprintf("%d:%d", first, j.id))
		}
		if m.opening {
			m.opened(tube)
		}
		if c.consumer != nil {
			m.stand(first)
		}
	}
}

// ready makes a job ready, whatever it was.
func (m *model) ready(now int64, j *mJob) {
	j.state, j.deadline = Ready, 0
	m.landed(now, j.id)
}

// landed gives away a job that has become ready: to those who wait in line, then to gets,
// then to choosy consumers.
func (m *model) landed(now int64, id uint64) {
	m.match(now)
	if j := m.job(id); j != nil && m.service != nil {
		m.offer(j, j.state == Ready)
		m.show(now, id)
	}
}

// log notes what the log must know of a job from now on.
func (m *model) log(j *mJob) {
	j.logged = storage.Job{
		ID: j.id, Tube: j.tube, State: storage.Ready, Pri: j.pri, Delay: j.delay, TTR: j.ttr,
		Size: uint32(len(j.body)), Created: j.created + testEpoch, Reserves: j.reserves,
		Timeouts: j.timeouts, Releases: j.releases, Buries: j.buries, Kicks: j.kicks,
	}
	j.loggedRebalances, j.loggedMoved = j.rebalances, j.moved
	switch j.state {
	case Delayed:
		j.logged.State, j.logged.Deadline = storage.Delayed, j.deadline+testEpoch
	case Buried:
		j.logged.State = storage.Buried
	}
}

// restart is what remains when all clients have gone and the log is replayed.
func (m *model) restart() {
	for i := range m.clients {
		if c := m.clients[i].consumer; c != nil {
			m.clients[i].consumer = &mConsumer{queue: c.queue, user: c.user}
		}
		m.clients[i] = mClient{consumer: m.clients[i].consumer}
	}
	m.tubes, m.totals = []mTube{{name: "default"}}, Sums{}
	if m.service != nil {
		m.service.gets, m.service.choosy = nil, nil
		for name := range m.service.first {
			m.need(name)
		}
	}
	for i := range m.jobs {
		j := &m.jobs[i]
		l := j.logged
		j.state, j.deadline, j.aside = Ready, 0, false
		switch l.State {
		case storage.Delayed:
			j.state, j.deadline = Delayed, l.Deadline-testEpoch
		case storage.Buried:
			j.state = Buried
		}
		j.pri, j.delay = l.Pri, l.Delay
		j.rebalances, j.moved, j.avoid = j.loggedRebalances, j.loggedMoved, 0
		j.reserves, j.timeouts, j.releases, j.buries, j.kicks = l.Reserves, l.Timeouts, l.Releases, l.Buries, l.Kicks
		m.need(j.tube)
	}
}
