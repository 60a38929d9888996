package naive

import "slices"

// Filtered consumers want only items with their tags, or from an index on.

func (c *Consumer) filtered() bool { return len(c.Tags) > 0 || c.Start > 0 }

func (c *Consumer) wants(j *Job) bool {
	return j.Tube == c.Queue && j.State == Ready && j.ID >= c.Start && Has(j.Tags, c.Tags)
}

// choose takes in what a consumer asks for.
func (m *Queue) choose(client int) {
	m.unfilter(client)
	c := m.Clients[client].Consumer
	c.looking = true
	if c.filtered() {
		s := m.Service(c.Queue)
		s.filtered = append(s.filtered, client)
	}
}

// unfilter forgets a filtered consumer that leaves or watches anew.
func (m *Queue) unfilter(client int) {
	s := m.Service(m.Clients[client].Consumer.Queue)
	s.filtered = slices.DeleteFunc(s.filtered, func(i int) bool { return i == client })
}

// show offers a job that has become ready to the filtered consumers. One that waits and has
// room gets it; the others before it are to look again.
func (m *Queue) show(id uint64) {
	j := m.Job(id)
	s := m.Service(j.Tube)
	for _, i := range slices.Clone(s.filtered) {
		c := m.Clients[i].Consumer
		if !c.wants(j) {
			continue
		}
		if !c.looking && m.room(i) && !m.paused(j.Tube) {
			m.unfilter(i)
			s.filtered = append(s.filtered, i)
			m.push(i, j)
			return
		}
		c.looking = true
		m.wake(i)
	}
}

// seek sends a filtered consumer the oldest item that it wants. It reports false if there is
// none, and the consumer waits until it is shown one.
func (m *Queue) seek(client int) bool {
	c := m.Clients[client].Consumer
	if !c.looking || m.paused(c.Queue) {
		return false
	}
	j := m.Least(byID, c.wants)
	if j == nil {
		c.looking = false
		return false
	}
	m.push(client, j)
	return true
}

// opened wakes the filtered consumers of a tube for which nobody waits in line, or which has
// no job.
func (m *Queue) opened(tube string) {
	if m.Best([]string{tube}) != nil && m.firstWaiter(tube) != Nobody {
		return
	}
	for _, i := range m.Service(tube).filtered {
		m.wake(i)
	}
}
