package naive

import "slices"

// Choosy consumers want only items with their tags, or from an index on.

func (c *Consumer) choosy() bool { return len(c.Tags) > 0 || c.Start > 0 }

func (c *Consumer) wants(j *Job) bool {
	return j.Tube == c.Queue && j.State == Ready && j.ID >= c.Start && Has(j.Tags, c.Tags)
}

// choose takes in what a consumer asks for.
func (m *Queue) choose(client int) {
	m.unchoose(client)
	c := m.Clients[client].Consumer
	c.looking = true
	if c.choosy() {
		s := m.Service(c.Queue)
		s.choosy = append(s.choosy, client)
	}
}

// unchoose forgets a choosy consumer that leaves or watches anew.
func (m *Queue) unchoose(client int) {
	s := m.Service(m.Clients[client].Consumer.Queue)
	s.choosy = slices.DeleteFunc(s.choosy, func(i int) bool { return i == client })
}

// show offers a job that has become ready to the choosy consumers. One that waits and has
// room gets it; the others before it are to look again.
func (m *Queue) show(id uint64) {
	j := m.Job(id)
	s := m.Service(j.Tube)
	for _, i := range slices.Clone(s.choosy) {
		c := m.Clients[i].Consumer
		if !c.wants(j) {
			continue
		}
		if !c.looking && m.room(i) && !m.paused(j.Tube) {
			m.unchoose(i)
			s.choosy = append(s.choosy, i)
			m.push(i, j)
			return
		}
		c.looking = true
		m.wake(i)
	}
}

// seek sends a choosy consumer the oldest item that it wants. It reports false if there is
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

// opened wakes the choosy consumers of a tube for which nobody waits in line, or which has
// no job.
func (m *Queue) opened(tube string) {
	if m.Best([]string{tube}) != nil && slices.ContainsFunc(m.Clients, func(c *Client) bool {
		return c.Waiting > 0 && slices.Contains(c.Watched, tube)
	}) {
		return
	}
	for _, i := range m.Service(tube).choosy {
		m.wake(i)
	}
}
