package naive

import (
	"maps"
	"slices"
)

// Due is the next moment at which something happens by itself, or 0, and how many things
// happen then.
func (m *Queue) Due() (at int64, n int) {
	soon := func(t int64) {
		switch {
		case t == 0:
		case at == 0 || t < at:
			at, n = t, 1
		case t == at:
			n++
		}
	}
	for _, j := range m.Jobs {
		soon(j.Deadline)
		if j.State != Reserved && j.State != Passed {
			soon(m.OldAt(j))
		}
	}
	for _, k := range m.Keys {
		soon(k.Until)
	}
	for _, t := range m.Tubes {
		soon(t.PausedUntil)
		if soon(t.OpensAt); t.OpensAt == 0 && t.Lingers {
			soon(m.paidOff(t))
		}
	}
	for _, c := range m.Clients {
		if c.Consumer != nil {
			soon(c.Consumer.leaveAt)
			soon(c.Consumer.forgetAt)
		}
	}
	for _, s := range m.Services {
		for _, v := range s.Views {
			soon(m.idleAt(s, v))
		}
	}
	return at, n
}

// Tick lets everything happen that is due: delayed jobs by deadline, each offered as it
// lands; then pauses end; then reserved jobs expire by deadline, and consumers that have left
// lose what they have. Then consumers are fed.
//
// Between jobs of several holders that expire at the same moment no order is promised, so any
// will do for which fits holds: it says whether what waiters were given, so far, agrees with
// what was seen. With nil any order will do. With Slot the order is known.
func (m *Queue) Tick(fits func([]Gift) bool) *Queue {
	for {
		j := m.Least(byDeadline, func(j *Job) bool { return j.State == Delayed && j.Deadline <= m.Now })
		if j == nil {
			break
		}
		m.ready(j)
	}
	var open []string
	for _, t := range m.Tubes {
		if t.PausedUntil != 0 && t.PausedUntil <= m.Now {
			t.PausedUntil, t.Pause = 0, 0
			open = append(open, t.Name)
		}
	}
	m.open(open...)
	m.tickRates()
	if m.Slot != nil {
		m.expireInOrder()
	} else if found := m.expire(fits); found != nil {
		m = found
	}
	m.endOld()
	m.tickKeys()
	m.serveOpening()
	m.tickLeavers()
	m.tickViews()
	m.feed()
	m.sweep()
	return m
}

func (m *Queue) expire(fits func([]Gift) bool) *Queue {
	if fits != nil && !fits(m.Given) {
		return nil
	}
	var due []*Job
	for _, j := range m.Jobs {
		if j.State == Reserved && j.Deadline != 0 && j.Deadline <= m.Now {
			due = append(due, j)
		}
	}
	if len(due) == 0 {
		return m
	}
	slices.SortFunc(due, byDeadline)
	waiting := slices.ContainsFunc(m.Clients, func(c *Client) bool { return c.Waiting > 0 })
	holders := map[int]bool{}
	for _, j := range due {
		if j.Deadline > due[0].Deadline || holders[j.Holder] {
			continue // later, or behind another of its holder
		}
		holders[j.Holder] = true
		c := m
		if waiting && len(due) > 1 {
			c = m.clone()
		}
		c.timeOut(c.Job(j.ID))
		if found := c.expire(fits); found != nil || c == m {
			return found
		}
	}
	return nil
}

// clone copies what changes when jobs of beanstalk clients expire.
func (m *Queue) clone() *Queue {
	c := *m
	c.Jobs, c.Clients, c.Given = nil, nil, slices.Clone(m.Given)
	for _, j := range m.Jobs {
		k := *j
		c.Jobs = append(c.Jobs, &k)
	}
	c.Keys = nil
	for _, k := range m.Keys {
		l := *k
		c.Keys = append(c.Keys, &l)
	}
	for _, l := range m.Clients {
		k := *l
		c.Clients = append(c.Clients, &k)
	}
	c.FairSchedulers = map[string]*FairScheduler{}
	for key, x := range m.FairSchedulers {
		c.FairSchedulers[key] = &FairScheduler{x.Clock, maps.Clone(x.Tags), maps.Clone(x.Idle)}
	}
	return &c
}

func (m *Queue) timeOut(j *Job) {
	j.Timeouts++
	m.Timeouts++
	m.giveBack(j)
}

// open serves those who waited for the ends of pauses.
func (m *Queue) open(tubes ...string) {
	for _, name := range tubes {
		m.opened(name)
		for _, v := range m.Service(name).Views {
			m.callLine(name, v)
		}
	}
	m.opening = true
	m.match()
	m.opening = false
}
