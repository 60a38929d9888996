package naive

import (
	"cmp"
	"slices"
)

// Status is the answer of an operation.
type Status string

// The answers.
const (
	OK           Status = "ok"
	NotFound     Status = "not found"
	TimedOut     Status = "timed out"
	DeadlineSoon Status = "deadline soon"
	Waiting      Status = "waiting"
	Empty        Status = "empty"
	NoRoom       Status = "no room"
	Failed       Status = "failed"
	TooLong      Status = "too long"
	Exists       Status = "exists"
)

func answer(ok bool) Status {
	if ok {
		return OK
	}
	return NotFound
}

// Put puts a job into the tube that it names. What it does not say is made up here.
func (m *Queue) Put(j *Job) Status { return m.putFor(j, nil) }

// putFor is Put for which a victim, if there is one, has to go.
func (m *Queue) putFor(j, victim *Job) Status {
	if s := m.known(j); s != "" {
		return s
	}
	if !m.makeRoom(j, victim) {
		return NoRoom
	}
	m.need(j.Tube).Total++
	m.Total++
	j.State, j.Holder, j.Parts = Ready, Nobody, map[int]*Part{}
	j.Created = (m.Now+m.Epoch)/millisecond*millisecond - m.Epoch // kept to the millisecond
	if d := j.delay(); d > 0 {
		j.State, j.Deadline = Delayed, m.Now+d
	}
	if s := j.said(); s.Expires > 0 {
		j.Said.Expires += m.Now
	}
	m.takes(j)
	m.Jobs = append(m.Jobs, j)
	m.log(j)
	if j.State == Ready {
		m.ready(j)
	}
	return OK
}

// Reserve takes the best job for a client; without one it waits, unless it polls.
func (m *Queue) Reserve(client int, poll bool) (*Job, Status) {
	if j := m.Claim(client); j != nil {
		return j, OK
	}
	switch {
	case m.Soon(client):
		return nil, DeadlineSoon
	case poll:
		return nil, TimedOut
	}
	m.Clients[client].Open = true
	m.Wait(client)
	return nil, Waiting
}

// ReserveSeveral takes up to so many jobs, and says which was the last one.
func (m *Queue) ReserveSeveral(client, most int, poll bool) (last *Job, _ Status) {
	for range most {
		j := m.Claim(client)
		if j == nil {
			break
		}
		last = j
	}
	if last != nil {
		return last, OK
	}
	return m.Reserve(client, poll)
}

// Claim takes the best job for a client; nil if there is none.
func (m *Queue) Claim(client int) *Job {
	j, _ := m.Next(client)
	if j != nil {
		m.charge(client, j.Tube)
		m.take(client, j)
	}
	return j
}

// Wait lets a client wait for a job, if its wait is still open.
func (m *Queue) Wait(client int) {
	c := m.Clients[client]
	if c.Open {
		c.Waiting = m.next()
	}
	if j, _ := m.Next(client); j != nil && c.Open {
		m.serve(client, j)
	}
	m.match()
}

// EndWait ends a client's wait. It reports false if there is none.
func (m *Queue) EndWait(client int) bool {
	c := m.Clients[client]
	waited := c.Waiting > 0
	c.Waiting, c.Open = 0, false
	return waited
}

// shown finds a job that beanstalk clients may see.
func (m *Queue) shown(id uint64) *Job {
	if j := m.Job(id); j != nil && j.State != Passed {
		return j
	}
	return nil
}

func (m *Queue) held(client int, id uint64) *Job {
	if j := m.Job(id); j != nil && j.State == Reserved && j.Holder == client {
		return j
	}
	return nil
}

// Peek finds a job for anybody.
func (m *Queue) Peek(id uint64) (*Job, Status) {
	j := m.shown(id)
	return j, answer(j != nil)
}

// Delete ends a job that the client holds, or that nobody does.
func (m *Queue) Delete(client int, id uint64) Status {
	j := m.shown(id)
	switch {
	case j == nil || j.State == Reserved && j.Holder != client:
		return NotFound
	case j.State == Reserved:
		m.unhold(j)
		m.finish(j)
	default:
		m.endForAll(j)
	}
	m.sweep()
	return OK
}

// ReserveJob takes a job by its id.
func (m *Queue) ReserveJob(client int, id uint64) (*Job, Status) {
	j := m.shown(id)
	if j == nil || j.State == Reserved {
		return nil, NotFound
	}
	j.Quarantined = false
	m.take(client, j)
	m.offer(j, false)
	return j, OK
}

// Quarantine buries a job whose body cannot be read.
func (m *Queue) Quarantine(client int, id uint64) Status {
	j := m.shown(id)
	if j == nil || j.Quarantined || j.State == Reserved && j.Holder != client {
		return NotFound
	}
	if j.State != Buried {
		m.unhold(j)
		j.place(Buried)
		j.Rank = m.next()
		m.offer(j, false)
	}
	j.Quarantined = true
	m.log(j)
	return OK
}

// Touch gives the holder of a job its whole time again, or so many nanoseconds if that is not 0.
func (m *Queue) Touch(client int, id uint64, ttr int64) Status {
	j := m.held(client, id)
	if j != nil && j.TTR > 0 {
		j.Deadline = m.Now + cmp.Or(ttr, j.ttr())
	}
	return answer(j != nil)
}

// Release gives a job back. The delay is in nanoseconds.
func (m *Queue) Release(client int, id uint64, pri uint32, delay int64) Status {
	j := m.held(client, id)
	switch {
	case j == nil:
		return NotFound
	case m.NoUpdates:
		return Failed
	}
	m.unhold(j)
	j.Pri, j.Delay = pri, uint32((delay+Second-1)/Second)
	j.Releases++
	if m.comesBack(j, delay > 0) {
		m.sweep()
		return OK
	}
	j.place(Ready)
	if delay > 0 {
		j.State, j.Deadline = Delayed, m.Now+delay
	}
	m.log(j)
	if j.State == Ready {
		m.ready(j)
	}
	return OK
}

// Bury takes a job out of the way until somebody kicks it.
func (m *Queue) Bury(client int, id uint64, pri uint32) Status {
	j := m.held(client, id)
	switch {
	case j == nil:
		return NotFound
	case m.NoUpdates:
		return Failed
	}
	m.unhold(j)
	j.Pri = pri
	m.bury(j)
	return OK
}

func (m *Queue) bury(j *Job) {
	j.Buries++
	j.place(Buried)
	j.Rank = m.next()
	m.log(j)
}

// Truncate ends all jobs of a tube but those that workers have, or those in some states.
func (m *Queue) Truncate(tube string, of ...State) (n uint32, _ Status) {
	if m.Tube(tube) == nil {
		return 0, NotFound
	}
	m.EndItems(tube, func(j *Job) bool {
		if len(of) > 0 && !slices.Contains(of, j.State) || j.State == Reserved && m.Clients[j.Holder].Consumer == nil {
			return false
		}
		n++
		return true
	})
	return n, OK
}

// KickJob makes a buried or delayed job ready.
func (m *Queue) KickJob(id uint64) Status {
	j := m.Job(id)
	if j == nil || j.State != Buried && j.State != Delayed {
		return NotFound
	}
	m.kick(j)
	return OK
}

func (m *Queue) kick(j *Job) {
	j.Quarantined = false
	j.Kicks++
	j.place(Ready)
	m.log(j)
	m.ready(j)
}

// Kick makes jobs of a tube ready: the buried ones or, if there are none, delayed ones.
func (m *Queue) Kick(tube string, most uint32) (n uint32) {
	state := Delayed
	if m.First(Buried, tube) != nil {
		state = Buried
	}
	for ; n < most; n++ {
		j := m.First(state, tube)
		if j == nil {
			return n
		}
		m.kick(j)
	}
	return n
}

// Pause stops a tube from being served for some seconds.
func (m *Queue) Pause(tube string, seconds uint32) Status {
	t := m.Tube(tube)
	if t == nil {
		return NotFound
	}
	t.Pauses++
	t.Pause, t.PausedUntil = seconds, 0
	if seconds > 0 {
		t.PausedUntil = m.Now + int64(seconds)*Second
	} else {
		m.open(tube)
	}
	return OK
}

// Use makes a tube the one that a client puts into; with "" none is.
func (m *Queue) Use(client int, tube string) {
	if tube != "" {
		m.need(tube)
	}
	m.Clients[client].Used = tube
	m.sweep()
}

// Watch adds a tube to those that a client reserves from.
func (m *Queue) Watch(client int, tube string) {
	m.need(tube)
	if c := m.Clients[client]; !slices.Contains(c.Watched, tube) {
		c.Watched = append(slices.Clone(c.Watched), tube)
	}
}

// Ignore takes a tube out of those that a client watches. The last takes its place.
func (m *Queue) Ignore(client int, tube string) {
	c := m.Clients[client]
	i, last := slices.Index(c.Watched, tube), len(c.Watched)-1
	c.Watched = slices.Clone(c.Watched)
	c.Watched[i] = c.Watched[last]
	c.Watched = c.Watched[:last]
	m.sweep()
}

// Detach ends a client's wait, and gives back the jobs that it holds in some tubes, or, with
// nil, in all.
func (m *Queue) Detach(client int, in func(tube string) bool) {
	m.EndWait(client)
	for _, j := range m.HeldBy(client) {
		if in == nil || in(j.Tube) {
			m.giveBack(j)
		}
	}
	m.sweep()
}
