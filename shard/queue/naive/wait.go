package naive

import "slices"

// place takes a job to a place where nobody holds it.
func (j *Job) place(s State) { j.State, j.Deadline, j.Holder = s, 0, Nobody }

func (m *Queue) take(client int, j *Job) {
	j.State, j.Holder, j.taken = Reserved, client, m.next()
	j.Deadline = 0
	if j.TTR > 0 {
		j.Deadline = m.Now + j.ttr()
	}
	j.Reserves++
	m.handOut(j.Tube)
}

// ready makes a job ready, wherever it was, and gives it away: to those who wait in line, then
// to gets, then to filtered consumers.
func (m *Queue) ready(j *Job) {
	j.place(Ready)
	m.beginsWaiting(j)
	m.join(j)
	m.match()
	if m.Job(j.ID) == j {
		m.offer(j, j.State == Ready)
		m.show(j.ID)
	}
}

// match gives jobs to waiters until no tube has a job and a waiter for it. The tube with the best job of all
// comes first, and there who has waited longest. Who is found not to wait any more leaves.
func (m *Queue) match() {
	for {
		j := m.bestOf(func(tube string) bool { return !m.shut(tube) && m.firstWaiter(tube) != Nobody })
		if j == nil {
			return
		}
		m.serveFirst(j.Tube)
	}
}

// serveFirst gives the client that has waited longest for a tube its best job there.
func (m *Queue) serveFirst(tube string) {
	c := m.firstWaiter(tube)
	m.serve(c, m.firstFor(c, tube))
}

// firstWaiter is the client that has waited longest for a tube, or for certain of its jobs if there are such.
func (m *Queue) firstWaiter(tube string) int {
	first := Nobody
	for i, c := range m.Clients {
		if c.Waiting > 0 && slices.Contains(c.Watched, tube) && (len(c.Wants) == 0 || m.firstFor(i, tube) != nil) &&
			(first == Nobody || c.Waiting < m.Clients[first].Waiting) {
			first = i
		}
	}
	return first
}

// serve gives a job to a client that has waited for one.
func (m *Queue) serve(client int, j *Job) {
	c, tube := m.Clients[client], j.Tube
	c.Waiting = 0
	if m.opening {
		m.opened(tube)
	}
	switch {
	case c.Consumer != nil:
		m.push(client, j)
	case c.Open:
		c.Open = false
		m.charge(client, j.Tube)
		m.take(client, j)
		m.Given = append(m.Given, Gift{client, j.ID})
	}
	if m.opening {
		m.opened(tube)
	}
	if c.Consumer != nil {
		m.stand(client)
	}
}

// Leave takes those out of the lines whose wait has ended elsewhere.
func (m *Queue) Leave() {
	for _, c := range m.Clients {
		if !c.Open {
			c.Waiting = 0
		}
	}
}
