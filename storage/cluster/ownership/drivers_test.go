package ownership

import (
	"time"

	"beanfield/storage/lanes"
)

// Stand has each shard's driver begin a candidacy: it reads the newest epoch, and then begins the
// next, unless somebody else was quicker.
func (m *member) Stand() {
	m.w.stood++
	for i := range m.drivers {
		d := &m.drivers[i]
		d.turn++
		turn := d.turn
		m.change(i, lanes.Candidate, 0)
		m.w.after(m.answer(), m, func() { m.read(i, turn) })
	}
}

// answer is how long the engine takes to answer. In a slow world some answers take far longer than most.
func (m *member) answer() time.Duration {
	if m.slow > 0 {
		return m.w.upTo(m.slow)
	}
	most := m.w.slow * 20 * time.Millisecond
	if m.w.slow > 1 && m.w.r.IntN(10) == 0 {
		most *= 5
	}
	return m.w.upTo(most)
}

// follow reads the lanes on, whatever the role; what was read is kept.
func (m *member) follow(i int) {
	d, took := &m.drivers[i], m.answer()
	its := m.s.Copy(i)
	works := m.engine()
	if its.Unread, its.Took = !works || d.left > 0, took; works {
		d.left = max(0, d.left-1)
	}
	its.Durable, its.Place = its.Place, uint64(m.copies[i]+1)
	if d.left == 0 {
		m.take(i, len(m.w.decided[i]))
		took += 50 * time.Millisecond
	}
	m.w.after(took, m, func() { m.follow(i) })
}

// change tells the election, a little later, in order.
func (m *member) change(i int, role lanes.Role, epoch uint64) {
	m.drivers[i].role, m.drivers[i].epoch = role, epoch
	m.w.after(time.Microsecond, m, func() { m.s.Changed(m.clock(), i, role, epoch, nil) })
}

func (m *member) read(i, turn int) {
	if m.drivers[i].turn != turn {
		return
	}
	if !m.engine() || m.drivers[i].left > 0 {
		m.w.after(50*time.Millisecond, m, func() { m.read(i, turn) })
		return
	}
	newest := m.w.epochs[i]
	m.w.after(m.answer()+m.answer(), m, func() { m.write(i, turn, newest) }) // one on each lane
}

func (m *member) write(i, turn int, newest uint64) {
	switch d := &m.drivers[i]; {
	case d.turn != turn:
	case !m.engine():
		m.w.after(50*time.Millisecond, m, func() { m.read(i, turn) })
	case m.w.epochs[i] == newest:
		m.w.epochs[i]++
		m.take(i, len(m.w.decided[i]))
		m.change(i, lanes.Owner, newest+1)
		m.watch(i, turn, newest+1)
	case m.w.r.IntN(2) == 0: // it has begun an epoch on one lane, and somebody else has on the other
		d.turn++
		m.change(i, lanes.Follower, 0)
	default:
		m.read(i, turn)
	}
}

// watch has an owner notice a newer epoch, some time.
func (m *member) watch(i, turn int, epoch uint64) {
	m.w.after(m.w.upTo(time.Second), m, func() {
		switch d := &m.drivers[i]; {
		case d.turn != turn:
		case m.engine() && m.w.epochs[i] > epoch:
			d.turn++
			m.change(i, lanes.Follower, 0)
		default:
			m.watch(i, turn, epoch)
		}
	})
}

// show has an owner append something of its own, if a node is to be shown something (P12).
func (m *member) show() {
	lives, epochs := m.s.Blank(), m.s.Epochs()
	if m.s.Role() != Owner || lives == nil {
		return
	}
	for i := range m.drivers {
		m.w.after(m.answer(), m, func() {
			if m.engine() && m.w.epochs[i] == epochs[i] {
				m.s.Landed(m.clock(), i, epochs[i], lives)
			}
		})
	}
}

// Resign ends what the drivers do.
func (m *member) Resign() {
	for i := range m.drivers {
		if d := &m.drivers[i]; d.role != lanes.Follower {
			d.turn++
			m.change(i, lanes.Follower, 0)
		}
	}
}

// Begin starts the server.
func (m *member) Begin(epochs []uint64) {
	m.epoch, m.until = epochs[0], 0
	m.w.terms++
	m.term++
	m.w.after(m.w.upTo(m.w.slow*(m.w.replay+time.Millisecond)), m, m.serve(m.term))
}

// serve has the server serve, as soon as it may.
func (m *member) serve(term int) func() {
	return func() {
		if m.term != term {
			return
		}
		if m.serving = m.s.MayAnswer(m.clock()); !m.serving {
			m.w.after(20*time.Millisecond, m, m.serve(term))
		}
	}
}

func (m *member) Hold(until time.Duration) { m.until = until }

// Leave has the server stop in order.
func (m *member) Leave() { m.end(m.w.upTo(20 * time.Millisecond)) }

// Lose has the server stop at once, and say so later.
func (m *member) Lose(error) {
	if m.until = 0; !m.w.blind {
		m.serving = false
	}
	m.end(m.w.upTo(20 * time.Millisecond))
}

func (m *member) end(delay time.Duration) {
	m.term++
	m.w.after(delay, m, func() {
		if m.serving = false; m.w.early {
			m.serving = true
			m.w.after(2*time.Second, m, func() { m.serving = false })
		}
		m.s.End(m.clock())
	})
}

func (m *member) Purge([]uint64) {}
