package naive

// Alter is what is done to jobs of a tube that nobody holds.
type Alter struct {
	From, To   string  // To: where they go; "": nowhere
	As         State   // what they are there; "": what they were
	Pri        *uint32 // nil: as it is
	Delay, TTR *int64  // nanoseconds, likewise
}

// Alter does that to one job.
func (m *Queue) Alter(id uint64, a Alter) Status {
	j := m.shown(id)
	switch {
	case j == nil || j.State == Reserved || j.Tube != a.From || a.To != "" && j.Quarantined || a.Delay != nil &&
		j.State == Buried:
		return NotFound
	case m.NoUpdates:
		return Failed
	case a.To == "":
		m.change(j, a)
		return OK
	case m.full(a.To, j):
		m.sweep()
		return NoRoom
	}
	m.makeWay(a.To, j)
	state, deadline := j.State, j.Deadline
	if a.As != "" {
		state, deadline = a.As, 0
	}
	m.leaveViews(j)
	m.gives(j)
	j.Tube = a.To
	m.need(j.Tube).Total++
	j.Returns, j.Moved = 0, true
	j.Before = j.Counters
	m.putBack(j, state, deadline)
	m.sweep()
	return OK
}

// putBack puts a job into a place.
func (m *Queue) putBack(j *Job, state State, deadline int64) {
	j.place(state)
	j.Deadline = deadline
	if state == Buried {
		j.Rank = m.next()
	}
	if m.log(j); state == Ready {
		m.ready(j)
		return
	}
	m.offer(j, false)
}

func (m *Queue) change(j *Job, a Alter) {
	state, deadline := j.State, j.Deadline
	if a.Pri != nil {
		j.Pri = *a.Pri
	}
	if a.TTR != nil {
		said := j.said()
		said.TTR, j.Said = *a.TTR, &said
		j.TTR, j.Timed = uint32((*a.TTR+Second-1)/Second), true
	}
	if a.Delay != nil {
		j.Delay = uint32((*a.Delay + Second - 1) / Second)
		if state, deadline = Ready, 0; *a.Delay > 0 {
			state, deadline = Delayed, m.Now+*a.Delay
		}
	}
	if state == Buried {
		m.log(j)
		return
	}
	m.putBack(j, state, deadline)
}
