package queue

import (
	"slices"

	"beanfield/shard/queue/queuetest"
)

// apply runs one operation of client c and fills in the answer.
func (m *model) apply(now int64, c int, op *Op, body string, log queuetest.Fullness) {
	me := &m.clients[c]
	switch op.Kind {
	case Put:
		m.put(now, me, op, body, log)
	case Reserve, Claim, Offer:
		m.reserve(now, c, op)
	case Wait:
		op.Status = Waiting
		if me.open {
			me.waiting = m.next()
		}
		m.match(now)
	case Withdraw, Soonest:
		op.Status = OK
		if op.Kind == Withdraw {
			me.waiting = 0
		}
	case Delete, Release, Bury, Touch, ReserveJob, KickJob, SetAside:
		m.byID(now, c, op, log)
	case Kick:
		m.kick(now, me.used, op)
	case Peek, PeekReady, PeekDelayed, PeekBuried:
		m.peek(me.used, op)
	case Pause:
		m.pause(now, op)
	case Use, Unuse, Watch, Ignore:
		m.membership(me, op)
	case Detach:
		op.Status = OK
		me.waiting = 0
		for {
			j := m.best(func(j *mJob) bool { return j.state == Reserved && j.holder == c }, bySeq)
			if j == nil {
				break
			}
			m.ready(now, j)
		}
	}
	m.sweep()
}

func (m *model) put(now int64, me *mClient, op *Op, body string, log queuetest.Fullness) {
	if log >= queuetest.Full {
		op.Status = NoRoom
		return
	}
	op.Status = OK
	m.tube(me.used).total++
	m.totals.Total++
	j := mJob{
		id: op.ID, tube: me.used, body: body, state: Ready, pri: op.Pri, delay: op.Delay, ttr: op.TTR,
		created: (now+testEpoch)/millisecond*millisecond - testEpoch, // kept to the millisecond
	}
	if op.Delay > 0 {
		j.state, j.deadline = Delayed, now+int64(op.Delay)*second
	}
	m.log(&j)
	m.jobs = append(m.jobs, j)
	if j.state == Ready {
		m.landed(now, j.id)
	}
}

func (m *model) reserve(now int64, c int, op *Op) {
	me := &m.clients[c]
	j := m.bestFor(me.watched)
	soonest := m.soonest(c)
	switch {
	case j != nil && op.Kind == Offer:
		op.Status, op.ID, op.Pri = OK, j.id, j.pri
	case j != nil:
		op.Status, op.ID = OK, j.id
		m.take(now, c, j)
	case op.Kind != Reserve:
		op.Status = Empty
	case soonest != 0 && now >= soonest-second:
		op.Status = DeadlineSoon
	case op.Poll:
		op.Status = TimedOut
	default:
		op.Status = Waiting
		me.waiting, me.open = m.next(), true
	}
}

func (m *model) byID(now int64, c int, op *Op, log queuetest.Fullness) {
	op.Status = NotFound
	j := m.job(op.ID)
	if j == nil {
		return
	}
	mine := j.state == Reserved && j.holder == c
	switch op.Kind {
	case Delete:
		if mine || j.state != Reserved {
			op.Status = OK
			if !mine {
				op.Count = 1
			}
			m.tube(j.tube).deletes++
			m.jobs = slices.DeleteFunc(m.jobs, func(k mJob) bool { return k.id == op.ID })
		}
	case ReserveJob:
		if j.state != Reserved {
			op.Status = OK
			j.aside = false
			m.take(now, c, j)
			m.offer(j, false)
		}
	case SetAside:
		if !j.aside && (mine || j.state != Reserved) {
			op.Status = OK
			m.setAside(j)
		}
	case KickJob:
		if j.state == Buried || j.state == Delayed {
			op.Status = OK
			m.kickOne(now, j)
		}
	case Touch:
		if mine && j.ttr == 0 {
			op.Status = OK
		} else if mine {
			op.Status = OK
			j.deadline = now + int64(j.ttr)*second
		}
	case Release, Bury:
		if mine && log >= queuetest.Packed {
			op.Status = Failed
		} else if mine {
			op.Status = OK
			m.giveUp(now, j, op)
		}
	}
}

func (m *model) giveUp(now int64, j *mJob, op *Op) {
	j.pri = op.Pri
	if op.Kind == Bury {
		j.buries++
		j.state, j.deadline, j.buried = Buried, 0, m.next()
		m.log(j)
		return
	}
	j.releases++
	j.delay = op.Delay
	j.state, j.deadline = Ready, 0
	if op.Delay > 0 {
		j.state, j.deadline = Delayed, now+int64(op.Delay)*second
	}
	m.log(j)
	if j.state == Ready {
		m.landed(now, j.id)
	}
}

func (m *model) setAside(j *mJob) {
	if j.state != Buried {
		j.state, j.deadline, j.buried = Buried, 0, m.next()
		m.offer(j, false)
	}
	j.aside = true
	m.log(j)
}

func (m *model) kickOne(now int64, j *mJob) {
	j.aside = false
	j.kicks++
	j.state, j.deadline = Ready, 0
	m.log(j)
	m.landed(now, j.id)
}

func (m *model) kick(now int64, used string, op *Op) {
	op.Status = OK
	state, order := Delayed, byDeadline
	if m.best(in(used, Buried), byBurial) != nil {
		state, order = Buried, byBurial
	}
	for ; op.Count < op.Limit; op.Count++ {
		j := m.best(in(used, state), order)
		if j == nil {
			return
		}
		m.kickOne(now, j)
	}
}

func (m *model) peek(used string, op *Op) {
	var j *mJob
	switch op.Kind {
	case Peek:
		j = m.job(op.ID)
	case PeekReady:
		j = m.best(in(used, Ready), byRank)
	case PeekDelayed:
		j = m.best(in(used, Delayed), byDeadline)
	case PeekBuried:
		j = m.best(in(used, Buried), byBurial)
	}
	op.Status = NotFound
	if j != nil {
		op.Status, op.ID = OK, j.id
	}
}

func (m *model) pause(now int64, op *Op) {
	t := m.tube(string(op.Data))
	if t == nil {
		op.Status = NotFound
		return
	}
	op.Status = OK
	t.pauses++
	t.pause, t.pausedUntil = op.Delay, 0
	if op.Delay > 0 {
		t.pausedUntil = now + int64(op.Delay)*second
	}
	if op.Delay == 0 {
		m.open(now, t.name)
	}
}

func (m *model) membership(me *mClient, op *Op) {
	op.Status = OK
	name := string(op.Data)
	switch op.Kind {
	case Use:
		m.need(name)
		me.used = name
	case Unuse:
		me.used = ""
	case Watch:
		m.need(name)
		me.watched = append(slices.Clone(me.watched), name)
	case Ignore:
		i := slices.Index(me.watched, name)
		last := len(me.watched) - 1
		me.watched = slices.Clone(me.watched)
		me.watched[i] = me.watched[last]
		me.watched = me.watched[:last]
	}
}

// due is the next moment at which something happens by itself, or 0.
func (m *model) due() int64 {
	var at int64
	soon := func(t int64) {
		if t != 0 && (at == 0 || t < at) {
			at = t
		}
	}
	for _, j := range m.jobs {
		soon(j.deadline)
	}
	for _, t := range m.tubes {
		soon(t.pausedUntil)
	}
	m.consumersDue(soon)
	return at
}

// tick lets everything happen that is due: delayed jobs by deadline, each
// offered as it lands; then pauses end; then reserved jobs expire by deadline.
// Between jobs of several holders that expire at the same moment no order is
// promised, so any that explains want, what waiters were seen to be given,
// will do.
func (m *model) tick(now int64, want []string, log queuetest.Fullness) *model {
	for {
		j := m.best(func(j *mJob) bool { return j.state == Delayed && j.deadline <= now }, byDeadline)
		if j == nil {
			break
		}
		m.ready(now, j)
	}
	var open []string
	for i := range m.tubes {
		if t := &m.tubes[i]; t.pausedUntil != 0 && t.pausedUntil <= now {
			t.pausedUntil, t.pause = 0, 0
			open = append(open, t.name)
		}
	}
	m.open(now, open...)
	if m.service != nil {
		m.tickService(now, log < queuetest.Packed)
		return m
	}
	if found := m.expire(now, want); found != nil {
		return found
	}
	return m
}

func (m *model) expire(now int64, want []string) *model {
	if len(m.given) > len(want) || !slices.Equal(m.given, want[:len(m.given)]) {
		return nil
	}
	var due []*mJob
	for i := range m.jobs {
		if j := &m.jobs[i]; j.state == Reserved && j.deadline <= now {
			due = append(due, j)
		}
	}
	if len(due) == 0 {
		return m
	}
	slices.SortFunc(due, byDeadline)
	waiting := slices.ContainsFunc(m.clients, func(c mClient) bool { return c.waiting > 0 })
	holders := map[int]bool{}
	for _, j := range due {
		if j.deadline > due[0].deadline || holders[j.holder] {
			continue // later, or behind another of its holder
		}
		holders[j.holder] = true
		c := m
		if waiting && len(due) > 1 {
			c = m.clone()
		}
		k := c.job(j.id)
		k.timeouts++
		c.totals.Timeouts++
		c.ready(now, k)
		if found := c.expire(now, want); found != nil || c == m {
			return found
		}
	}
	return nil
}

// counts are a tube's or, with an empty name, all tubes' jobs by state.
func (m *model) counts(name string) (s Sums) {
	for _, j := range m.jobs {
		if name != "" && j.tube != name {
			continue
		}
		switch j.state {
		case Ready:
			s.Ready++
			if j.pri < 1024 {
				s.Urgent++
			}
		case Delayed:
			s.Delayed++
		case Reserved:
			s.Reserved++
		case Buried:
			s.Buried++
			if j.aside {
				s.Damaged++
			}
		}
	}
	return s
}

func (m *model) jobInfo(now int64, j *mJob) JobInfo {
	info := JobInfo{
		ID: j.id, Tube: j.tube, State: j.state, Pri: j.pri, Age: (now - j.created) / second, Delay: j.delay, TTR: j.ttr,
		Reserves: j.reserves, Timeouts: j.timeouts, Releases: j.releases, Buries: j.buries, Kicks: j.kicks,
	}
	if j.deadline != 0 {
		info.TimeLeft = (j.deadline - now) / second
	}
	return info
}

func (m *model) tubeInfo(now int64, t *mTube) TubeInfo {
	n := m.counts(t.name)
	info := TubeInfo{
		Name: t.name, Urgent: n.Urgent, Ready: n.Ready, Reserved: n.Reserved, Delayed: n.Delayed, Buried: n.Buried,
		Total: t.total, Deletes: t.deletes, Pauses: t.pauses, Pause: int64(t.pause),
	}
	info.Using, info.Watching, info.Waiting = m.members(t.name)
	if t.pausedUntil != 0 {
		info.PauseLeft = (t.pausedUntil - now) / second
	}
	return info
}
