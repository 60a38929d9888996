package router

import (
	"slices"

	"beanfield/shard/queue"
)

// model is the queue as one would explain it: jobs in a bag, players in a
// row, no shards. It is slow and short, and shares no code with the queue.
type model struct {
	now     int64
	jobs    []*modelJob // in the order of their ids
	paused  map[string]int64
	players []*modelPlayer
	waiting []*modelPlayer // in the order in which they began to wait
	buried  int            // for the order of burying
}

type modelJob struct {
	id         uint64
	tube       string
	pri        uint32
	ttr        int64
	state      queue.JobState
	deadline   int64
	buriedAs   int
	reservedAs int
	holder     *modelPlayer
}

type modelPlayer struct {
	used    string
	watched []string
	result  queue.Status
	got     uint64 // of the last reserve, if result is OK
	taken   int    // how many jobs it has ever been given
}

const modelSecond = int64(1e9)

func newModel() *model { return &model{paused: map[string]int64{}} }

func (m *model) join() *modelPlayer {
	p := &modelPlayer{used: DefaultTube, watched: []string{DefaultTube}}
	m.players = append(m.players, p)
	return p
}

func (p *modelPlayer) watches(tube string) bool { return slices.Contains(p.watched, tube) }

func (m *model) isWaiting(p *modelPlayer) bool { return slices.Contains(m.waiting, p) }

// best is the smallest (priority, id) of the ready jobs in tubes that are not
// paused and that the player watches.
func (m *model) best(watches func(tube string) bool) *modelJob {
	var best *modelJob
	for _, j := range m.jobs {
		if j.state == queue.Ready && m.paused[j.tube] == 0 && watches(j.tube) && (best == nil || j.pri < best.pri) {
			best = j
		}
	}
	return best
}

func (m *model) give(p *modelPlayer, j *modelJob) {
	p.taken++
	j.state, j.holder, j.deadline, j.reservedAs = queue.Reserved, p, m.now+j.ttr, p.taken
	p.result, p.got = queue.OK, j.id
}

// match serves the waiters of one tube.
func (m *model) match(tube string) {
	for {
		j := m.best(func(name string) bool { return name == tube })
		i := slices.IndexFunc(m.waiting, func(p *modelPlayer) bool { return p.watches(tube) })
		if j == nil || i < 0 {
			return
		}
		p := m.waiting[i]
		m.waiting = slices.Delete(m.waiting, i, i+1)
		m.give(p, j)
	}
}

func (m *model) makeReady(j *modelJob) {
	j.state, j.holder = queue.Ready, nil
	m.match(j.tube)
}

func (m *model) makeDelayed(j *modelJob, delay int64) {
	j.state, j.holder, j.deadline = queue.Delayed, nil, m.now+delay*modelSecond
}

func (m *model) put(p *modelPlayer, id uint64, pri uint32, delay, ttr int64) {
	j := &modelJob{id: id, tube: p.used, pri: pri, ttr: ttr * modelSecond}
	m.jobs = append(m.jobs, j)
	if delay > 0 {
		m.makeDelayed(j, delay)
	} else {
		m.makeReady(j)
	}
}

func (m *model) soon(p *modelPlayer) bool {
	return slices.ContainsFunc(m.jobs, func(j *modelJob) bool {
		return j.holder == p && j.deadline-modelSecond <= m.now
	})
}

func (m *model) reserve(p *modelPlayer, poll bool) {
	if j := m.best(p.watches); j != nil {
		m.give(p, j)
	} else if m.soon(p) {
		p.result = queue.DeadlineSoon
	} else if poll {
		p.result = queue.TimedOut
	} else {
		p.result = queue.Waiting
		m.waiting = append(m.waiting, p)
	}
}

func (m *model) endWait(p *modelPlayer, status queue.Status) {
	if i := slices.Index(m.waiting, p); i >= 0 {
		m.waiting = slices.Delete(m.waiting, i, i+1)
		p.result = status
	}
}

func (m *model) find(id uint64) *modelJob {
	for _, j := range m.jobs {
		if j.id == id {
			return j
		}
	}
	return nil
}

func (m *model) holds(p *modelPlayer, id uint64) *modelJob {
	if j := m.find(id); j != nil && j.holder == p {
		return j
	}
	return nil
}

func (m *model) remove(p *modelPlayer, id uint64) bool {
	j := m.find(id)
	if j == nil || j.holder != nil && j.holder != p {
		return false
	}
	m.jobs = slices.DeleteFunc(m.jobs, func(other *modelJob) bool { return other == j })
	return true
}

func (m *model) bury(j *modelJob, pri uint32) {
	m.buried++
	j.state, j.holder, j.pri, j.buriedAs = queue.Buried, nil, pri, m.buried
}

// inState lists a tube's jobs in one state, the first in line at the front.
func (m *model) inState(tube string, st queue.JobState) (list []*modelJob) {
	for _, j := range m.jobs {
		if j.tube == tube && j.state == st {
			list = append(list, j)
		}
	}
	slices.SortStableFunc(list, func(x, y *modelJob) int {
		if st == queue.Buried {
			return x.buriedAs - y.buriedAs
		}
		return int(x.deadline - y.deadline)
	})
	return list
}

func (m *model) kick(tube string, bound int) int {
	list := m.inState(tube, queue.Buried)
	if len(list) == 0 {
		list = m.inState(tube, queue.Delayed)
	}
	list = list[:min(bound, len(list))]
	for _, j := range list {
		m.makeReady(j)
	}
	return len(list)
}

func (m *model) pause(tube string, seconds int64) bool {
	if !m.exists(tube) {
		return false
	}
	delete(m.paused, tube)
	if seconds > 0 {
		m.paused[tube] = m.now + seconds*modelSecond
	} else {
		m.match(tube)
	}
	return true
}

// exists says whether a tube has a reason to (S5).
func (m *model) exists(tube string) bool {
	return tube == DefaultTube ||
		slices.ContainsFunc(m.players, func(p *modelPlayer) bool { return p.used == tube || p.watches(tube) }) ||
		slices.ContainsFunc(m.jobs, func(j *modelJob) bool { return j.tube == tube })
}

// settle ends the pauses of tubes that have gone.
func (m *model) settle() {
	for tube := range m.paused {
		if !m.exists(tube) {
			delete(m.paused, tube)
		}
	}
}

// leave ends a player. Its jobs come back shard by shard, in the order given,
// and in a shard in the order in which it got them.
func (m *model) leave(p *modelPlayer, shards []int, shardOf func(tube string) int) {
	m.endWait(p, queue.TimedOut)
	for _, i := range shards {
		var list []*modelJob
		for _, j := range m.jobs {
			if j.holder == p && shardOf(j.tube) == i {
				list = append(list, j)
			}
		}
		slices.SortFunc(list, func(x, y *modelJob) int { return x.reservedAs - y.reservedAs })
		for _, j := range list {
			m.makeReady(j)
		}
	}
	m.players = slices.DeleteFunc(m.players, func(other *modelPlayer) bool { return other == p })
}

// next is when something is due, or 0, and how many things then are.
func (m *model) next() (at int64, n int) {
	note := func(when int64) {
		switch {
		case at == 0 || when < at:
			at, n = when, 1
		case when == at:
			n++
		}
	}
	for _, j := range m.jobs {
		if j.state == queue.Delayed || j.state == queue.Reserved {
			note(j.deadline)
		}
	}
	for _, until := range m.paused {
		note(until)
	}
	return at, n
}

// fire does the one thing that is due at this moment.
func (m *model) fire() {
	for _, j := range m.jobs {
		if (j.state == queue.Delayed || j.state == queue.Reserved) && j.deadline <= m.now {
			m.makeReady(j)
			return
		}
	}
	for tube, until := range m.paused {
		if until <= m.now {
			delete(m.paused, tube)
			m.match(tube)
			return
		}
	}
}
