package queue

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// mConsumer is what the model knows of a consumer. It is one of the model's clients, so
// that it watches, waits and holds jobs like any; but it waits only while it has room.
type mConsumer struct {
	queue, user string
	known       bool // it has watched, and is not forgotten
	connected   bool
	stopped     bool
	auto        bool
	window      int
	tags        Tags
	start       uint64   // it is sent no item before this one
	looking     bool     // there may be an item for it; only of a choosy one
	again       []uint64 // what a new connection is still to be sent
	leaveAt     int64    // when its items go to others; 0 if it has not left, or has none
	forgetAt    int64
}

// mService is what the model knows of the queue service.
type mService struct {
	limits Limits
	first  map[string]bool // queues whose first group has its name
	hungry []int           // consumers that may have got room, by turns
	choosy []int           // consumers that want not just any item; first the one that has waited longest
	gets   []*mGet         // that wait, or were called; in the order in which they came
	pushed []string
	called []string
	found  []uint64                // by the last get
	slot   func(client int) uint32 // what breaks ties between holders
}

// wake lets a consumer be fed at the end of the turn.
func (m *model) wake(i int) {
	if !slices.Contains(m.service.hungry, i) {
		m.service.hungry = append(m.service.hungry, i)
	}
}

// unpend is told of a job that its holder has lost.
func (m *model) unpend(j *mJob) {
	if c := m.clients[j.holder].consumer; c != nil {
		c.again = slices.DeleteFunc(c.again, func(id uint64) bool { return id == j.id })
		m.wake(j.holder)
	}
}

func (m *model) heldBy(i int) (jobs []*mJob) {
	for k := range m.jobs {
		if j := &m.jobs[k]; j.state == Reserved && j.holder == i {
			jobs = append(jobs, j)
		}
	}
	slices.SortFunc(jobs, bySeq)
	return jobs
}

func (m *model) room(i int) bool {
	c := m.clients[i].consumer
	return c.connected && !c.stopped && len(c.again) == 0 && (c.auto || len(m.heldBy(i)) < c.window)
}

// push sends a job to a consumer.
func (m *model) push(now int64, i int, j *mJob) {
	m.send(i, j)
	if m.clients[i].consumer.auto {
		m.done(j)
		return
	}
	m.take(now, i, j)
}

func (m *model) send(i int, j *mJob) {
	c := m.clients[i].consumer
	text := fmt.Sprintf("g.%s@%s:%d", c.user, c.queue, j.id)
	if j.rebalances > 0 {
		text += fmt.Sprintf("/%d", j.rebalances+1)
	}
	m.service.pushed = append(m.service.pushed, text)
	j.avoid = 0
}

// done ends a job that the first group has finished.
func (m *model) done(j *mJob) {
	m.tube(j.tube).deletes++
	m.end(j.id)
}

func (m *model) end(id uint64) {
	m.jobs = slices.DeleteFunc(m.jobs, func(k mJob) bool { return k.id == id })
}

// stand lets a consumer that was served in its line wait again, if it has room.
func (m *model) stand(i int) {
	c := m.clients[i].consumer
	opening := m.opening && slices.ContainsFunc(m.clients, func(o mClient) bool {
		return o.waiting > 0 && slices.Contains(o.watched, c.queue)
	})
	switch {
	case !m.room(i):
	case !opening && m.bestFor([]string{c.queue}) != nil:
		m.wake(i)
	default:
		m.clients[i].waiting, m.clients[i].open = m.next(), true
	}
}

// feed serves the hungry by turns.
func (m *model) feed(now int64, roomy bool) {
	for len(m.service.hungry) > 0 {
		i := m.service.hungry[0]
		m.service.hungry = m.service.hungry[1:]
		me := &m.clients[i]
		c := me.consumer
		best := m.pick(i)
		switch {
		case !c.connected:
			if c.known && c.leaveAt != 0 && len(m.heldBy(i)) == 0 {
				m.depart(now, c)
			}
			continue
		case c.stopped:
			continue
		case len(c.again) > 0:
			m.resend(now, i, roomy)
		case !m.room(i) || me.waiting > 0:
			continue
		case c.choosy():
			if !m.seek(now, i) {
				continue
			}
		case best != nil:
			m.push(now, i, best)
		default:
			me.waiting, me.open = m.next(), true
			continue
		}
		m.wake(i)
	}
}

// pick is the job that a consumer is fed: not one that it refused, if the next will do.
func (m *model) pick(i int) *mJob {
	c := m.clients[i].consumer
	best := m.bestFor([]string{c.queue})
	if best == nil || best.avoid != i || m.mates(c.queue) < 2 {
		return best
	}
	second := m.best(func(j *mJob) bool { return j.state == Ready && j.tube == c.queue && j != best }, byRank)
	if second == nil || second.avoid == i {
		return best
	}
	return second
}

// mates counts the consumers of a queue.
func (m *model) mates(queue string) (n int) {
	for _, c := range m.clients {
		if c.consumer != nil && c.consumer.known && c.consumer.queue == queue {
			n++
		}
	}
	return n
}

// resend sends the next pending item again, or gives back what the window has no room for.
func (m *model) resend(now int64, i int, roomy bool) {
	c := m.clients[i].consumer
	j := m.job(c.again[0])
	sent := len(m.heldBy(i)) - len(c.again)
	c.again = c.again[1:]
	switch {
	case j.id < c.start:
		m.rebalance(now, j, roomy)
	case c.auto:
		m.send(i, j)
		m.done(j)
	case sent >= c.window:
		m.unpend(j)
		m.ready(now, j)
	default:
		m.send(i, j)
	}
}

// rebalance takes a job from a consumer that has not dealt with it.
func (m *model) rebalance(now int64, j *mJob, roomy bool) {
	m.unpend(j)
	j.rebalances++
	l := &m.service.limits
	rear := strings.HasSuffix(j.tube, RearSuffix)
	if !roomy || l.MaxDelivery == 0 || j.rebalances < l.MaxDelivery {
		j.state, j.deadline = Ready, 0
		if roomy {
			m.log(j)
		}
		m.landed(now, j.id)
		return
	}
	switch {
	case l.DeadLetter == FateDrop:
		m.end(j.id)
	case l.DeadLetter == FateRear && !rear:
		j.tube += RearSuffix
		m.need(j.tube).total++
		j.rebalances, j.moved, j.state, j.deadline = 0, true, Ready, 0
		m.log(j)
		m.landed(now, j.id)
	default:
		j.buries++
		j.state, j.deadline, j.buried = Buried, 0, m.next()
		m.log(j)
	}
}

func (m *model) depart(now int64, c *mConsumer) {
	c.leaveAt, c.forgetAt = 0, now+forgetAfter
}

// tickLeavers lets the time of those pass who have left.
func (m *model) tickLeavers(now int64, roomy bool) {
	for {
		first := -1
		for i := range m.clients {
			c := m.clients[i].consumer
			if c == nil || c.leaveAt == 0 || c.leaveAt > now {
				continue
			}
			if first < 0 || cmp.Or(cmp.Compare(c.leaveAt, m.clients[first].consumer.leaveAt), cmp.Compare(m.service.slot(i), m.service.slot(first))) < 0 {
				first = i
			}
		}
		if first < 0 {
			break
		}
		if held := m.heldBy(first); len(held) > 0 {
			m.rebalance(now, held[0], roomy)
		}
		if len(m.heldBy(first)) == 0 {
			m.depart(now, m.clients[first].consumer)
		}
	}
	for i := range m.clients {
		if c := m.clients[i].consumer; c != nil && c.forgetAt != 0 && c.forgetAt <= now {
			*c = mConsumer{queue: c.queue, user: c.user}
			for k := range m.jobs {
				if m.jobs[k].avoid == i {
					m.jobs[k].avoid = 0
				}
			}
		}
	}
}

// tickService ends a turn of one that has consumers. There the order of holders that
// expire at the same moment is known.
func (m *model) tickService(now int64, roomy bool) {
	for {
		j := m.best(func(j *mJob) bool { return j.state == Reserved && j.deadline != 0 && j.deadline <= now }, func(a, b *mJob) int {
			return cmp.Or(cmp.Compare(a.deadline, b.deadline), cmp.Compare(m.service.slot(a.holder), m.service.slot(b.holder)), byDeadline(a, b))
		})
		if j == nil {
			break
		}
		j.timeouts++
		m.totals.Timeouts++
		if holder := &m.clients[j.holder]; holder.consumer != nil {
			holder.waiting, holder.consumer.looking = 0, true // others come first
			j.avoid = j.holder
			m.rebalance(now, j, roomy)
		} else {
			m.ready(now, j)
		}
	}
	m.tickLeavers(now, roomy)
	m.feed(now, roomy)
}
