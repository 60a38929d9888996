package router

import (
	"fmt"

	"beanfield/shard"
)

// restartAnswer is what an operation must be answered with.
type restartAnswer struct {
	status shard.Status
	id     uint64
	count  uint32
	job    *restartJob // whose body is shown, or, by value then, whose figures
	shot   restartJob
}

// apply does to the model what the shard does when op is applied.
func (m *restartModel) apply(c *restartClient, op *shard.Op) restartAnswer {
	switch op.Kind {
	case shard.Put:
		id := op.ID
		if id == 0 {
			m.last++
			id = m.last
		}
		j := &restartJob{id: id, tube: c.session.Used(), body: string(op.Data), pri: op.Pri, delay: op.Delay, ttr: op.TTR, born: m.window}
		m.jobs[j.id] = j
		j.state = shard.Ready
		if op.Delay > 0 {
			m.makeDelayed(j, op.Delay)
			m.write(j)
		} else {
			m.write(j)
			m.makeReady(j)
		}
		return restartAnswer{id: j.id}
	case shard.Reserve:
		return m.applyReserve(c, op)
	case shard.PeekReady, shard.PeekDelayed, shard.PeekBuried:
		state := map[shard.Kind]shard.JobState{shard.PeekReady: shard.Ready, shard.PeekDelayed: shard.Delayed, shard.PeekBuried: shard.Buried}[op.Kind]
		return m.show(m.first(state, c.session.Used()))
	case shard.Kick:
		return m.applyKick(c, op.Count)
	}
	return m.applyByID(c, op)
}

func (m *restartModel) show(j *restartJob) restartAnswer {
	if j == nil {
		return restartAnswer{status: shard.NotFound}
	}
	return restartAnswer{id: j.id, job: j}
}

func (m *restartModel) applyReserve(c *restartClient, op *shard.Op) restartAnswer {
	if j := m.best(c); j != nil {
		m.hold(j, c)
		return m.show(j)
	}
	if op.Poll {
		return restartAnswer{status: shard.TimedOut}
	}
	m.waiting = append(m.waiting, c)
	return restartAnswer{status: shard.Waiting}
}

func (m *restartModel) applyKick(c *restartClient, bound uint32) restartAnswer {
	state := shard.Delayed
	if m.first(shard.Buried, c.session.Used()) != nil {
		state = shard.Buried
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
func (m *restartModel) applyByID(c *restartClient, op *shard.Op) restartAnswer {
	refused := restartAnswer{status: shard.NotFound}
	j := m.jobs[op.ID]
	if j == nil {
		return refused
	}
	mine, reserved := j.holder == c, j.state == shard.Reserved
	switch op.Kind {
	case shard.Peek:
		return m.show(j)
	case shard.StatsJob:
		return restartAnswer{id: j.id, shot: *j}
	case shard.Delete:
		if reserved && !mine {
			return refused
		}
		delete(m.jobs, j.id)
		j.gone = true
		m.write(j)
	case shard.ReserveJob:
		if reserved {
			return refused
		}
		m.hold(j, c)
		return m.show(j)
	case shard.KickJob:
		if j.state != shard.Buried && j.state != shard.Delayed {
			return refused
		}
		m.kick(j)
	case shard.Touch:
		if !mine {
			return refused
		}
	case shard.Release, shard.Bury:
		if !mine {
			return refused
		}
		m.giveBack(j, op)
	default:
		panic(fmt.Sprint("the model does not know operation ", op.Kind))
	}
	return restartAnswer{id: op.ID}
}

func (m *restartModel) giveBack(j *restartJob, op *shard.Op) {
	j.pri = op.Pri
	if op.Kind == shard.Bury {
		m.order++
		j.state, j.holder, j.rank = shard.Buried, nil, m.order
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
	j.state, j.holder = shard.Ready, nil
	m.write(j)
	m.makeReady(j)
}
