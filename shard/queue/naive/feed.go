package naive

import "slices"

// wake lets a consumer be fed at the end of the turn.
func (m *Queue) wake(client int) {
	if !slices.Contains(m.withRoom, client) {
		m.withRoom = append(m.withRoom, client)
	}
}

// room says that a consumer may be sent another item.
func (m *Queue) room(client int) bool {
	c := m.Clients[client].Consumer
	return c.Connected && !c.Stopped && len(c.again) == 0 && (c.Auto || len(m.Pending(client)) < c.Window)
}

// push sends a job to a consumer of the first group.
func (m *Queue) push(client int, j *Job) {
	m.send(client, j, j.Returns)
	if m.Clients[client].Consumer.Auto {
		m.finish(j)
		return
	}
	m.take(client, j)
}

func (m *Queue) send(client int, j *Job, returns int) {
	m.Pushed = append(m.Pushed, Push{client, j.ID, returns + 1})
	j.avoid = 0
}

// stand lets a consumer that was served in its line wait again, if it has room.
func (m *Queue) stand(client int) {
	c := m.Clients[client].Consumer
	opening := m.opening && m.firstWaiter(c.Queue) != Nobody
	switch {
	case !m.room(client):
	case !opening && m.Best([]string{c.Queue}) != nil:
		m.wake(client)
	default:
		m.stayInLine(client)
	}
}

func (m *Queue) stayInLine(client int) {
	m.Clients[client].Waiting, m.Clients[client].Open = m.next(), true
}

// feed serves those who may have room by turns.
func (m *Queue) feed() {
	for len(m.withRoom) > 0 {
		i := m.withRoom[0]
		m.withRoom = m.withRoom[1:]
		c := m.Clients[i].Consumer
		v := m.view(c)
		switch {
		case !c.Connected:
			m.departIdle(i)
		case c.Stopped:
		case len(c.again) > 0:
			m.resend(i, v)
			m.wake(i)
		case !m.room(i):
		case v != nil:
			m.feedView(i, v)
		default:
			m.feedFirst(i)
		}
		if v != nil {
			m.callLine(c.Queue, v) // whatever has become of this consumer
		}
	}
}

func (m *Queue) feedFirst(client int) {
	me := m.Clients[client]
	switch best := m.pick(client); {
	case me.Waiting > 0:
	case me.Consumer.filtered():
		if m.seek(client) {
			m.wake(client)
		}
	case best != nil:
		m.push(client, best)
		m.wake(client)
	default:
		m.stayInLine(client)
	}
}

// pick is the job that a consumer is fed: not one that it refused, if the next will do.
func (m *Queue) pick(client int) *Job {
	c := m.Clients[client].Consumer
	best := m.Best([]string{c.Queue})
	if best == nil || best.avoid != 1+client || m.mates(c.Queue) < 2 {
		return best
	}
	second := m.Least(m.byKey, func(j *Job) bool { return j.State == Ready && j.Tube == c.Queue && j != best })
	if second == nil || second.avoid == 1+client {
		return best
	}
	return second
}

// mates counts the consumers of a queue's first group.
func (m *Queue) mates(queue string) (n int) {
	for _, o := range m.Clients {
		if c := o.Consumer; c != nil && c.Known && c.Queue == queue && m.view(c) == nil {
			n++
		}
	}
	return n
}

// resend sends the next pending item again, or gives back what the consumer no longer wants
// or has room for.
func (m *Queue) resend(client int, v *View) {
	c := m.Clients[client].Consumer
	j := m.Job(c.again[0])
	sent := len(m.Pending(client)) - len(c.again)
	c.again = c.again[1:]
	full := !c.Auto && sent >= c.Window
	switch {
	case v != nil && full:
		m.lose(j, v)
		m.callLine(c.Queue, v)
	case v != nil:
		m.sendPart(client, j, v)
	case j.ID < c.Start:
		m.takeBack(j, nil)
	case full:
		m.lose(j, nil)
		m.ready(j)
	default:
		m.send(client, j, j.Returns)
		if c.Auto {
			m.finish(j)
		}
	}
}
