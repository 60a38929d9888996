package router

import (
	"cmp"
	"fmt"

	"beanfield/shard/queue"
	"beanfield/shard/queue/naive"
)

// restartAnswer is what an operation must be answered with.
type restartAnswer struct {
	status naive.Status
	id     uint64
	count  uint32
	full   int        // jobs that stay where they are for lack of room
	job    *naive.Job // whose body is shown, or, by value then, whose figures
	shot   naive.Job
}

// shows is the answer of an operation that may have found a job.
func shows(j *naive.Job, status naive.Status) restartAnswer {
	if j == nil {
		return restartAnswer{status: status}
	}
	return restartAnswer{status: naive.OK, id: j.ID, job: j}
}

// apply does to the model what the shard does when op is applied.
func (m *restartModel) apply(c *restartClient, op *queue.Op) restartAnswer {
	me := m.Clients[c.number]
	me.Used, me.Watched = c.Used(), c.Watched().all()
	switch op.Kind {
	case queue.Put:
		return m.put(op, cmp.Or(op.Tube, me.Used), m.Put)
	case queue.AlterSeveral:
		return m.alter(c.altering, op.Several.IDs)
	}
	return modelled(m.Queue, c.number, op)
}

// truncated are the states whose jobs a truncate ends.
var truncated = map[queue.States][]naive.State{
	queue.States(0).With(queue.Ready):                      {naive.Ready},
	queue.States(0).With(queue.Delayed).With(queue.Buried): {naive.Delayed, naive.Buried},
}

// modelled runs an operation of a beanstalk client in the model.
func modelled(m *naive.Queue, client int, op *queue.Op) restartAnswer {
	used := m.Clients[client].Used
	switch op.Kind {
	case queue.Reserve:
		return shows(m.Reserve(client, op.Poll))
	case queue.ReserveSeveral:
		return shows(m.ReserveSeveral(client, int(op.Limit), op.Poll))
	case queue.PeekReady:
		return shows(m.First(naive.Ready, used), naive.NotFound)
	case queue.PeekDelayed:
		return shows(m.First(naive.Delayed, used), naive.NotFound)
	case queue.PeekBuried:
		return shows(m.First(naive.Buried, used), naive.NotFound)
	case queue.Kick:
		return restartAnswer{status: naive.OK, count: m.Kick(used, op.Limit)}
	case queue.Truncate:
		// the model may not know of a tube that is only used
		n, _ := m.Truncate(string(op.Data), truncated[op.States]...)
		return restartAnswer{status: naive.OK, count: n}
	case queue.Pause:
		return restartAnswer{status: m.Pause(string(op.Data), op.Delay)}
	case queue.Peek:
		return shows(m.Peek(op.ID))
	case queue.ReserveJob:
		return shows(m.ReserveJob(client, op.ID))
	case queue.StatsJob:
		j, status := m.Peek(op.ID)
		if j == nil {
			return restartAnswer{status: status}
		}
		return restartAnswer{status: status, id: op.ID, shot: *j}
	}
	if onSeveral(op) {
		return modelledSeveral(m, client, op)
	}
	a := restartAnswer{id: op.ID}
	switch op.Kind {
	case queue.Delete:
		a.status = m.Delete(client, op.ID)
	case queue.KickJob:
		a.status = m.KickJob(op.ID)
	case queue.Touch:
		a.status = m.Touch(client, op.ID, 0)
	case queue.Release:
		a.status = m.Release(client, op.ID, op.Pri, int64(op.Delay)*1e9)
	case queue.Bury:
		a.status = m.Bury(client, op.ID, op.Pri)
	default:
		panic(fmt.Sprint("the model does not know operation ", op.Kind))
	}
	return a
}

// onSeveral says that an operation names several jobs.
func onSeveral(op *queue.Op) bool {
	return op.Kind >= queue.DeleteSeveral && op.Kind <= queue.TouchSeveral
}

// modelledSeveral runs an operation on several jobs: one after the other.
func modelledSeveral(m *naive.Queue, client int, op *queue.Op) restartAnswer {
	a := restartAnswer{status: naive.OK}
	one := *op
	one.Kind = map[queue.Kind]queue.Kind{
		queue.DeleteSeveral: queue.Delete, queue.ReleaseSeveral: queue.Release, queue.BurySeveral: queue.Bury,
		queue.TouchSeveral: queue.Touch,
	}[op.Kind]
	for _, one.ID = range op.Several.IDs {
		switch got := modelled(m, client, &one); got.status {
		case naive.OK:
			a.count++
		case naive.NotFound:
		default:
			return got
		}
	}
	return a
}

func (m *restartModel) put(op *queue.Op, tube string, put func(*naive.Job) naive.Status) restartAnswer {
	j := jobOf(op, tube)
	if j.ID == 0 {
		j.ID = m.last + 1
	}
	a := restartAnswer{status: put(j)}
	if a.status == naive.OK || a.status == naive.Exists {
		a.id = j.ID
		m.last = max(m.last, j.ID)
	}
	return a
}

// tagWords are tags as the model has them.
func tagWords(tags queue.Tags) (words []string) {
	for k, v := range tags.All() {
		words = append(words, string(k)+"="+string(v))
	}
	return words
}
