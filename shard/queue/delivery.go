package queue

// Delivery is a job handed to a waiter.
type Delivery struct {
	ID       uint64
	Size     uint32
	Small    []byte
	Large    [][]byte
	Deadline int64 // soonest of all jobs that the waiter holds in this shard
	Away     bool  // the body comes with Wake
}

// deliver gives the tube's best job to a client whose wait it has claimed.
func (s *State) deliver(now int64, c *Client, t *tube) {
	slot := t.ready.Top().Slot
	s.unready(slot)
	s.hold(now, c, slot)
	j := s.jobs.At(slot)
	d := Delivery{ID: j.id(), Size: j.size, Deadline: c.soonest()}
	woken := Awakening{Waiter: c.Waiter, Client: c}
	if j.away() {
		d.Away, woken.Fetch = true, j.id()
	} else {
		d.Small, d.Large = s.bodies.Get(j.body, j.size)
	}
	c.Waiter.Deliver(d)
	s.Woken = append(s.Woken, woken)
}
