package naive

// Schedule is one, with its tube: in another tube it is another one.
type Schedule struct{ Tube, Name string }

// PutTick puts the job of a tick, unless that or a later tick of the schedule is noted.
func (m *Queue) PutTick(k Schedule, at int64, j *Job) (put bool, _ Status) {
	if last, ok := m.Ticks[k]; ok && last >= at {
		return false, OK
	}
	status := m.Put(j)
	if status == OK {
		m.Ticks[k] = at
	}
	return status == OK, status
}

// NoteTick notes a tick, and no earlier one than is noted; or it forgets the schedule.
func (m *Queue) NoteTick(k Schedule, at int64, forget bool) Status {
	last, ok := m.Ticks[k]
	switch {
	case m.NoUpdates:
		return NoRoom
	case forget:
		delete(m.Ticks, k)
	case !ok || last < at:
		m.Ticks[k] = at
	}
	return OK
}
