package naive

import "maps"

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
// Between jobs of several holders that expire at the same moment no order is promised. Slot says which one it is.
func (m *Queue) Tick() {
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
	m.expire()
	m.endOld()
	m.tickKeys()
	m.serveOpening()
	m.tickLeavers()
	m.tickViews()
	m.feed()
	m.sweep()
}

// clone copies what changes when beanstalk clients take jobs.
func (m *Queue) clone() *Queue {
	c := *m
	c.Jobs, c.Clients, c.Tubes = copies(m.Jobs), copies(m.Clients), copies(m.Tubes)
	c.FairSchedulers = map[string]*FairScheduler{}
	for key, x := range m.FairSchedulers {
		c.FairSchedulers[key] = &FairScheduler{x.Clock, maps.Clone(x.Tags), maps.Clone(x.Idle)}
	}
	return &c
}

func copies[T any](list []*T) (all []*T) {
	for _, p := range list {
		c := *p
		all = append(all, &c)
	}
	return all
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
