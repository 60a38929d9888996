package router

import (
	"fmt"

	"beanfield/shard/queue"
)

// restartAnswer is what an operation must be answered with.
type restartAnswer struct {
	status queue.Status
	id     uint64
	count  uint32
	job    *restartJob // whose body is shown, or, by value then, whose figures
	shot   restartJob
}

// apply does to the model what the shard does when op is applied.
func (m *restartModel) apply(c *restartClient, op *queue.Op) restartAnswer {
	m.touched = m.touched || m.touches(c, op)
	switch op.Kind {
	case queue.Put:
		return m.put(op, c.session.Used(), nil)
	case queue.Service:
		return m.applyService(op)
	case queue.Reserve:
		return m.applyReserve(c, op)
	case queue.PeekReady, queue.PeekDelayed, queue.PeekBuried:
		state := map[queue.Kind]queue.JobState{queue.PeekReady: queue.Ready, queue.PeekDelayed: queue.Delayed, queue.PeekBuried: queue.Buried}[op.Kind]
		return m.show(m.first(state, c.session.Used()))
	case queue.Kick:
		return m.applyKick(c, op.Limit)
	}
	return m.applyByID(c, op)
}

func (m *restartModel) put(op *queue.Op, tube string, tags queue.Tags) restartAnswer {
	id := op.ID
	if id == 0 {
		m.last++
		id = m.last
	}
	j := &restartJob{id: id, tube: tube, tags: tags, body: string(op.Data), pri: op.Pri, delay: op.Delay, ttr: op.TTR, born: m.born()}
	m.jobs[j.id] = j
	j.state = queue.Ready
	if op.Delay > 0 {
		m.makeDelayed(j, op.Delay)
		m.write(j)
	} else {
		m.write(j)
		m.makeReady(j)
	}
	return restartAnswer{id: j.id}
}

func (m *restartModel) show(j *restartJob) restartAnswer {
	if j == nil {
		return restartAnswer{status: queue.NotFound}
	}
	return restartAnswer{id: j.id, job: j}
}

func (m *restartModel) applyReserve(c *restartClient, op *queue.Op) restartAnswer {
	if j := m.best(c); j != nil {
		m.hold(j, c)
		return m.show(j)
	}
	if op.Poll {
		return restartAnswer{status: queue.TimedOut}
	}
	m.waiting = append(m.waiting, c)
	return restartAnswer{status: queue.Waiting}
}

func (m *restartModel) applyKick(c *restartClient, bound uint32) restartAnswer {
	state := queue.Delayed
	if m.first(queue.Buried, c.session.Used()) != nil {
		state = queue.Buried
	}
	n := uint32(0)
	for ; n < bound; n++ {
		j := m.first(state, c.session.Used())
		if j == nil {
			break
		}
		m.kick(j)
	}
	return restartAnswer{count: n}
}

// applyByID runs the operations that name a job.
func (m *restartModel) applyByID(c *restartClient, op *queue.Op) restartAnswer {
	refused := restartAnswer{status: queue.NotFound}
	j := m.jobs[op.ID]
	if j == nil || j.state == queue.Passed {
		return refused
	}
	mine, reserved := j.holder == c, j.state == queue.Reserved
	switch op.Kind {
	case queue.Peek:
		return m.show(j)
	case queue.StatsJob:
		return restartAnswer{id: j.id, shot: *j}
	case queue.Delete:
		if reserved && !mine {
			return refused
		}
		if reserved {
			m.finish(j)
		} else {
			m.remove(j)
		}
	case queue.ReserveJob:
		if reserved {
			return refused
		}
		m.hold(j, c)
		return m.show(j)
	case queue.KickJob:
		if j.state != queue.Buried && j.state != queue.Delayed {
			return refused
		}
		m.kick(j)
	case queue.Touch:
		if !mine {
			return refused
		}
	case queue.Release, queue.Bury:
		if !mine {
			return refused
		}
		m.giveBack(j, op)
	default:
		panic(fmt.Sprint("the model does not know operation ", op.Kind))
	}
	return restartAnswer{id: op.ID}
}

func (m *restartModel) giveBack(j *restartJob, op *queue.Op) {
	j.pri = op.Pri
	if op.Kind == queue.Bury {
		m.order++
		j.state, j.holder, j.rank = queue.Buried, nil, m.order
		j.buries++
		m.write(j)
		return
	}
	j.delay = op.Delay
	j.releases++
	if op.Delay > 0 {
		m.makeDelayed(j, op.Delay)
		m.write(j)
		return
	}
	j.state, j.holder = queue.Ready, nil
	m.write(j)
	m.makeReady(j)
}
