package naive

import "slices"

// Said is what a put says that a plain one cannot say. Times are in nanoseconds.
type Said struct {
	Delay, TTR      int64 // instead of the job's
	Key, Once       string
	KeyFor, OnceFor int64
	Expires         int64 // from the put on; what the model keeps is the moment
	MaxDeliveries   int
}

// Key is what a put has taken in its tube: a key, or the name of the put.
type Key struct {
	Tube, Text string
	Name       bool
	ID         uint64
	Until      int64 // 0: for as long as the job lives
	Spent      bool  // the job has ended, or is in another tube
	Lost       bool  // and the log has not noted the rest
}

// said is what holds for a job.
func (j *Job) said() Said {
	if j.Said == nil {
		return Said{}
	}
	return *j.Said
}

// ttr is how long the job may be held.
func (j *Job) ttr() int64 {
	if s := j.said(); s.TTR > 0 {
		return s.TTR
	}
	return int64(j.TTR) * Second
}

func (j *Job) delay() int64 {
	if j.Said != nil {
		return j.Said.Delay
	}
	return int64(j.Delay) * Second
}

// known answers a put that has come before, or whose key is taken; "" if neither.
func (m *Queue) known(j *Job) Status {
	s := j.said()
	for _, name := range []bool{true, false} {
		text, status := s.Key, Exists
		if name {
			text, status = s.Once, OK
		}
		for _, k := range m.Keys {
			if text != "" && k.Tube == j.Tube && k.Name == name && k.Text == text && (k.Until > m.Now || !k.Spent &&
				!name) {
				j.ID = k.ID
				return status
			}
		}
	}
	return ""
}

// takes notes what a new job has.
func (m *Queue) takes(j *Job) {
	s := j.said()
	if s.Key != "" {
		k := &Key{Tube: j.Tube, Text: s.Key, ID: j.ID}
		if s.KeyFor > 0 {
			k.Until = m.Now + s.KeyFor
		}
		m.takesKey(k)
	}
	if s.Once != "" {
		m.takesKey(&Key{Tube: j.Tube, Text: s.Once, Name: true, ID: j.ID, Until: m.Now + s.OnceFor})
	}
}

func (m *Queue) takesKey(k *Key) {
	m.Keys = append(m.Keys, k)
	if m.WroteKey != nil {
		m.WroteKey(k, false)
	}
}

// gives is told of a job that ends, or leaves its tube.
func (m *Queue) gives(j *Job) {
	for _, k := range m.Keys {
		if k.ID == j.ID && !k.Spent {
			if k.Spent, k.Lost = true, m.NoUpdates; m.WroteKey != nil {
				m.WroteKey(k, k.Lost || k.Until == 0)
			}
		}
	}
	m.Keys = slices.DeleteFunc(m.Keys, func(k *Key) bool { return k.Spent && k.Until == 0 })
}

// tickKeys ends the windows whose time has come.
func (m *Queue) tickKeys() {
	for _, k := range m.Keys {
		if k.Until <= m.Now && !k.Spent && !k.Name {
			k.Until = 0
		}
	}
	m.Keys = slices.DeleteFunc(m.Keys, func(k *Key) bool { return k.Until != 0 && k.Until <= m.Now })
}

// RestoreKeys takes over what a log had noted of keys.
func (m *Queue) RestoreKeys(keys []*Key) {
	for _, k := range keys {
		if !k.Lost {
			m.Keys = append(m.Keys, k)
		}
	}
}
