package queue

import (
	"slices"
	"strings"

	"beanfield/shard/queue/queuetest"
)

// ask runs an operation of the queue service; consumer is whose it is, among the
// model's clients.
func (m *model) ask(now int64, i int, op *Op, body string, log queuetest.Fullness) {
	a := op.Ask
	me := &m.clients[i]
	c := me.consumer
	roomy := log < queuetest.Packed
	op.Status = OK
	switch a.What {
	case AskPut:
		m.putItem(now, op, body, log)
	case AskGet:
		m.get(op)
	case AskUnget:
		m.unget(a.Getter)
	case AskTruncate:
		m.endAll(a.Queue, func(j *mJob) bool { return j.id < a.Index })
	case AskDelete:
		m.endAll(a.Queue, func(j *mJob) bool { return slices.Contains(a.Indexes, j.id) })
	case AskWatch:
		m.need(c.queue)
		m.service.first[c.queue] = true
		if c.connected && me.waiting > 0 {
			me.waiting = 0
		}
		again := []uint64{}
		for _, j := range m.heldBy(i) {
			again = append(again, j.id)
		}
		*c = mConsumer{queue: c.queue, user: c.user, known: true, connected: true, auto: a.AutoCommit, window: a.Window, again: again}
		me.watched = []string{c.queue}
		m.choose(i, a)
		m.wake(i)
	case AskLeave:
		if !c.connected {
			break
		}
		me.waiting, me.watched = 0, nil
		c.connected, c.again = false, nil
		m.unchoose(i)
		c.leaveAt = now + m.service.limits.Leaving
		if len(m.heldBy(i)) == 0 {
			m.depart(now, c)
		}
	case AskCommit:
		if m.service.first[c.queue] {
			m.commit(c.queue, a.Indexes)
		}
	case AskNegative:
		m.negative(now, i, a, roomy)
	}
	m.sweep()
}

func (m *model) putItem(now int64, op *Op, body string, log queuetest.Fullness) {
	a := op.Ask
	l := &m.service.limits
	n := 0
	for _, j := range m.jobs {
		if j.tube == a.Queue || j.tube == pairOf(a.Queue) {
			n++
		}
	}
	full, victim := l.MaxLength > 0 && n >= l.MaxLength, m.victim(a.Queue)
	switch {
	case full && victim == nil:
		op.Status = TooLong
		return
	case log >= queuetest.Full:
		op.Status = NoRoom
		return
	case full:
		m.done(victim)
	}
	m.need(a.Queue).total++
	m.totals.Total++
	j := mJob{
		id: op.ID, tube: a.Queue, body: body, state: Ready, pri: op.Pri, ttr: uint32(l.MaxIdle / second), tags: a.Tags,
		created: (now+testEpoch)/millisecond*millisecond - testEpoch,
	}
	m.log(&j)
	m.jobs = append(m.jobs, j)
	m.landed(now, j.id)
}

// victim is the oldest item that nobody has, if a full queue drops that for another.
func (m *model) victim(queue string) *mJob {
	if !m.service.limits.AutoEvict {
		return nil
	}
	return m.best(func(j *mJob) bool { return j.tube == queue && j.state != Reserved }, func(a, b *mJob) int { return int(a.id) - int(b.id) })
}

func (m *model) commit(queue string, ids []uint64) {
	for _, id := range ids {
		j := m.job(id)
		switch {
		case j == nil || j.tube != queue:
		case j.state == Reserved && m.clients[j.holder].consumer != nil:
			m.unpend(j)
			m.done(j)
		case j.state == Ready:
			m.done(j)
		}
	}
}

func (m *model) negative(now int64, i int, a *Ask, roomy bool) {
	me := &m.clients[i]
	if !me.consumer.known {
		return
	}
	me.waiting, me.consumer.looking = 0, true
	me.consumer.stopped = me.consumer.stopped || a.Code == CodeShutdown
	m.wake(i)
	for _, id := range a.Indexes {
		if j := m.job(id); j != nil && j.tube == me.consumer.queue && j.state == Reserved && j.holder == i {
			j.avoid = i
			m.rebalance(now, j, roomy)
		}
	}
}

// consumersDue is when time does something to a consumer, or 0.
func (m *model) consumersDue(soon func(int64)) {
	for _, c := range m.clients {
		if c.consumer != nil {
			soon(c.consumer.leaveAt)
			soon(c.consumer.forgetAt)
		}
	}
}

// byConsumer sorts what was pushed by whom it was pushed to, each in its order.
func byConsumer(list []string) []string {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b string) int {
		a, _, _ = strings.Cut(a, ":")
		b, _, _ = strings.Cut(b, ":")
		return strings.Compare(a, b)
	})
	return list
}
