package queue

import "slices"

// Choosy consumers in the model: they want only items with their tags, or from an index on.

func (c *mConsumer) choosy() bool { return len(c.tags) > 0 || c.start > 0 }

func (c *mConsumer) wants(j *mJob) bool {
	return j.tube == c.queue && j.state == Ready && j.id >= c.start && j.tags.Has(c.tags)
}

// choose takes in what a watch asks for.
func (m *model) choose(i int, a *Ask) {
	m.unchoose(i)
	c := m.clients[i].consumer
	c.tags, c.start, c.looking = a.Tags, a.Index, true
	if a.Index == NewestIndex {
		c.start = 1
		for _, j := range m.jobs {
			if j.tube == c.queue {
				c.start = max(c.start, j.id+1)
			}
		}
	}
	if c.choosy() {
		m.service.choosy = append(m.service.choosy, i)
	}
}

// unchoose forgets a choosy consumer that leaves or watches anew.
func (m *model) unchoose(i int) {
	m.service.choosy = slices.DeleteFunc(m.service.choosy, func(k int) bool { return k == i })
}

// choosyOf lists the choosy consumers of a queue.
func (m *model) choosyOf(queue string) (list []int) {
	for _, i := range m.service.choosy {
		if m.clients[i].consumer.queue == queue {
			list = append(list, i)
		}
	}
	return list
}

// show offers a job that has become ready to the choosy consumers. One that waits and has
// room gets it; the others before it are to look again.
func (m *model) show(now int64, id uint64) {
	j := m.job(id)
	for _, i := range m.choosyOf(j.tube) {
		c := m.clients[i].consumer
		if !c.wants(j) {
			continue
		}
		if !c.looking && m.room(i) && m.tube(j.tube).pausedUntil == 0 {
			m.unchoose(i)
			m.service.choosy = append(m.service.choosy, i)
			m.push(now, i, j)
			return
		}
		c.looking = true
		m.wake(i)
	}
}

// seek sends a choosy consumer the oldest item that it wants. It reports false if there is
// none, and the consumer waits until it is shown one.
func (m *model) seek(now int64, i int) bool {
	c := m.clients[i].consumer
	if !c.looking || m.tube(c.queue).pausedUntil != 0 {
		return false
	}
	j := m.best(c.wants, func(a, b *mJob) int { return int(a.id) - int(b.id) })
	if j == nil {
		c.looking = false
		return false
	}
	m.push(now, i, j)
	return true
}

// open serves those who waited for the ends of pauses.
func (m *model) open(now int64, tubes ...string) {
	for _, name := range tubes {
		m.opened(name)
	}
	m.opening = true
	m.match(now)
	m.opening = false
}

// opened wakes the choosy consumers of a tube for which nobody waits in line, or which has
// no job.
func (m *model) opened(name string) {
	if m.service == nil || m.bestFor([]string{name}) != nil && slices.ContainsFunc(m.clients, func(c mClient) bool {
		return c.waiting > 0 && slices.Contains(c.watched, name)
	}) {
		return
	}
	for _, i := range m.choosyOf(name) {
		m.wake(i)
	}
}
