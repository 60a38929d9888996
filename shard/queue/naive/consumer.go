package naive

import (
	"cmp"
	"slices"
)

// Consumer is a client of the queue service. One of a first group watches its tube, waits in
// the tube's line while it has room, and holds jobs like any client. One of a view has parts
// of jobs instead.
type Consumer struct {
	Queue, Group, User string
	Known              bool // it has watched, and is not forgotten
	Connected          bool
	Stopped            bool
	Auto               bool
	Window             int
	Tags               []string
	Start              uint64 // it is sent no item before this one

	looking  bool     // there may be an item for it; only of a filtered one
	again    []uint64 // what a new connection is still to be sent
	leaveAt  int64    // when its items go to others; 0 if it has not left, or has none
	forgetAt int64
}

// forgetAfter is how long a consumer that has left is remembered.
const forgetAfter = 300 * Second

// Push is an item that was sent to a consumer.
type Push struct {
	Client   int
	ID       uint64
	Delivery int
}

// User finds the client that a consumer is, or makes it.
func (m *Queue) User(queue, group, user string) int {
	i := slices.IndexFunc(m.Clients, func(c *Client) bool {
		return c.Consumer != nil && c.Consumer.Queue == queue && c.Consumer.Group == group && c.Consumer.User == user
	})
	if i >= 0 {
		return i
	}
	m.Clients = append(m.Clients, &Client{Consumer: &Consumer{Queue: queue, Group: group, User: user}})
	return len(m.Clients) - 1
}

// view is the view that a consumer belongs to; nil if it is of the first group.
func (m *Queue) view(c *Consumer) *View {
	if c == nil {
		return nil
	}
	return m.Service(c.Queue).View(c.Group)
}

// Newest is the index after the last item of a queue.
func (m *Queue) Newest(queue string) uint64 {
	start := uint64(1)
	for _, j := range m.In(queue) {
		start = j.ID + 1
	}
	return start
}

// Subscribe connects a consumer. The first one of a queue names its first group, the first
// one of a further group makes a view.
func (m *Queue) Subscribe(client, window int, auto bool, tags []string, start uint64) {
	me := m.Clients[client]
	c := me.Consumer
	m.need(c.Queue)
	s := m.Service(c.Queue)
	v := s.View(c.Group)
	switch {
	case v == nil && s.First == "":
		s.First = c.Group
		m.logQueue(s)
	case v == nil && s.First != c.Group:
		v = m.addView(s, c.Group, start, tags)
	}
	me.Waiting = 0
	*c = Consumer{Queue: c.Queue, Group: c.Group, User: c.User, Known: true, Connected: true, Auto: auto,
		Window: window, Tags: tags, Start: start}
	c.again = m.Pending(client)
	if v == nil {
		me.Watched = []string{c.Queue}
		m.choose(client)
	} else {
		v.leaveLine(client)
	}
	m.wake(client)
}

// Pending lists what is pending at a consumer, or what another client holds, in the order in
// which it got it.
func (m *Queue) Pending(client int) (ids []uint64) {
	for _, j := range m.HeldBy(client) {
		ids = append(ids, j.ID)
	}
	return ids
}

// Unsubscribe ends the connection of a consumer, which then has some time to come back.
func (m *Queue) Unsubscribe(client int) {
	me := m.Clients[client]
	c := me.Consumer
	if !c.Connected {
		return
	}
	me.Waiting, me.Watched = 0, nil
	c.Connected, c.again = false, nil
	if v := m.view(c); v != nil {
		v.leaveLine(client)
	}
	m.unfilter(client)
	c.leaveAt = m.Now + m.Limits.Leaving
	m.departIdle(client)
	m.sweep()
}

// departIdle lets a consumer that has left, and has nothing pending, be remembered only.
func (m *Queue) departIdle(client int) {
	if c := m.Clients[client].Consumer; c.Known && c.leaveAt != 0 && len(m.Pending(client)) == 0 {
		c.leaveAt, c.forgetAt = 0, m.Now+forgetAfter
	}
}

// Commit ends items for a group: those that are pending at any of its consumers, and those
// that are yet to be sent to one.
func (m *Queue) Commit(queue, group string, ids []uint64) {
	s := m.Service(queue)
	v := s.View(group)
	for _, id := range ids {
		j := m.Job(id)
		switch {
		case j == nil || j.Tube != queue || v == nil && s.First != group:
		case v != nil:
			if j.of(v).open() {
				m.viewEnds(j, v)
			}
		case j.State == Ready || j.State == Reserved && m.Clients[j.Holder].Consumer != nil:
			m.lose(j, nil)
			m.finish(j)
		}
	}
	m.sweep()
}

// Refuse gives back items that a consumer cannot process. With stop it wants no more.
func (m *Queue) Refuse(client int, stop bool, code, reason string, ids []uint64) {
	me := m.Clients[client]
	c := me.Consumer
	if !c.Known {
		return
	}
	v := m.view(c)
	m.standBack(client)
	c.Stopped = c.Stopped || stop
	if v == nil {
		m.wake(client)
	}
	for _, id := range ids {
		j := m.Job(id)
		if j == nil || j.Tube != c.Queue || j.of(v).Holder != client {
			continue
		}
		j.Code, j.Reason = code, reason
		if v == nil {
			j.avoid = 1 + client
		}
		m.takeBack(j, v)
	}
	m.wake(client)
	m.sweep()
}

// standBack takes a consumer out of its line, so that others can have what it gives back.
func (m *Queue) standBack(client int) {
	me := m.Clients[client]
	me.Waiting, me.Consumer.looking = 0, true
	if v := m.view(me.Consumer); v != nil {
		v.leaveLine(client)
	}
}

func (m *Queue) loses(client int, id uint64) {
	if c := m.Clients[client].Consumer; c != nil {
		c.again = slices.DeleteFunc(c.again, func(k uint64) bool { return k == id })
		m.wake(client)
	}
}

// takeBack takes a job from a consumer that has not dealt with it.
func (m *Queue) takeBack(j *Job, v *View) {
	p, client, most := j.of(v), j.of(v).Holder, m.Limits.MaxDelivery
	p.Returns++
	dead := !m.NoUpdates && most > 0 && p.Returns >= most
	if v == nil {
		m.lose(j, nil)
	}
	switch {
	case dead && v == nil:
		m.die(j, m.Limits.DeadLetter)
		return
	case dead:
		j.Fated, j.Fate = true, m.Limits.DeadLetter
		m.viewEnds(j, v)
		return
	case v == nil:
		j.place(Ready)
	}
	if !m.NoUpdates {
		m.log(j)
	}
	if v == nil {
		m.ready(j)
		return
	}
	p.Holder = Nobody
	m.callLine(j.Tube, v) // others are called before the consumer that had it
	m.loses(client, j.ID)
}

// slot orders clients that lose something at the same moment.
func (m *Queue) slot(client int) uint32 {
	if m.Slot == nil {
		return 0
	}
	return m.Slot(client)
}

// expire lets jobs expire.
func (m *Queue) expire() {
	for {
		j := m.Least(func(a, b *Job) int {
			return cmp.Or(cmp.Compare(a.Deadline, b.Deadline), cmp.Compare(m.slot(a.Holder), m.slot(b.Holder)),
				byID(a, b))
		}, func(j *Job) bool { return j.State == Reserved && j.Deadline != 0 && j.Deadline <= m.Now })
		switch {
		case j == nil:
			return
		case m.Clients[j.Holder].Consumer == nil:
			m.timeOut(j)
		default:
			j.Timeouts++
			m.Timeouts++
			m.standBack(j.Holder) // others come first
			j.avoid = 1 + j.Holder
			m.takeBack(j, nil)
		}
	}
}

// tickLeavers lets the time of those pass who have left.
func (m *Queue) tickLeavers() {
	for {
		first := Nobody
		for i := range m.Clients {
			c := m.Clients[i].Consumer
			if c == nil || c.leaveAt == 0 || c.leaveAt > m.Now {
				continue
			}
			if first == Nobody || cmp.Or(cmp.Compare(c.leaveAt, m.Clients[first].Consumer.leaveAt),
				cmp.Compare(m.slot(i), m.slot(first))) < 0 {
				first = i
			}
		}
		if first == Nobody {
			break
		}
		if jobs := m.HeldBy(first); len(jobs) > 0 {
			m.takeBack(jobs[0], m.view(m.Clients[first].Consumer))
		}
		m.departIdle(first)
	}
	for i := range m.Clients {
		if c := m.Clients[i].Consumer; c != nil && c.forgetAt != 0 && c.forgetAt <= m.Now {
			m.forget(i)
		}
	}
}

func (m *Queue) forget(client int) {
	c := m.Clients[client].Consumer
	*c = Consumer{Queue: c.Queue, Group: c.Group, User: c.User}
	for _, j := range m.Jobs {
		if j.avoid == 1+client {
			j.avoid = 0
		}
	}
}
