package queue

import "bytes"

// Waiter is a connection as a shard sees it. The gate behind Arm and Claim is
// the one word that decides who ends a wait (R1).
type Waiter interface {
	// Arm begins a wait and returns its ticket.
	Arm() (ticket uint64)
	// Waits says whether the wait with that ticket is still on.
	Waits(ticket uint64) bool
	// Claim tries to end the wait with that ticket. If it returns true the caller,
	// and only the caller, delivers.
	Claim(ticket uint64) bool
	// Deliver hands over the job. The body's small part is valid during the
	// call only.
	Deliver(d Delivery)
	// Wake says that the delivery has been committed and may be sent, or that
	// the log has failed and it may not. body is what Deliver could not give.
	Wake(ok bool, body []byte)
}

// Awakening is a waiter that has been given a job and does not know it yet.
type Awakening struct {
	Waiter Waiter
	Client *Client // that holds the job now
	Fetch  uint64  // the job whose body is to be read from the log, or 0
	Body   []byte  // what has been read
	Lost   bool    // or that it could not be
}

// About is what a reserve with options is told of its job beside the body.
type About struct {
	Tube     string
	Reserves uint32
	Tags     Tags
}

// about is that of a job which the client has got; nil if it has not asked to be told.
func (s *State) about(c *Client, slot uint32) *About {
	if c.wish == nil || !c.wish.tells {
		return nil
	}
	j := s.job(slot)
	return &About{s.tubeOf(j).name, s.rare(j).reserves, bytes.Clone(s.tagsOf(slot))}
}

// Delivery is a job handed to a waiter.
type Delivery struct {
	ID       uint64
	Size     uint32
	Small    []byte
	Large    [][]byte
	Deadline int64  // soonest of all jobs that the waiter holds in this shard
	Away     bool   // the body comes with Wake
	Status   Status // OK; of a put that has waited, how it ended
	About    *About
}

// deliver gives the tube's best job to a client whose wait it has claimed.
func (s *State) deliver(c *Client, t *tube) {
	c.charge(t)
	slot := c.fitting(t).Top().Slot
	s.unready(slot)
	s.hold(c, slot)
	j := s.job(slot)
	d := Delivery{ID: j.id(), Size: j.size, Deadline: c.soonest()}
	if c.wish != nil {
		d.About = s.about(c, slot)
	}
	woken := Awakening{Waiter: c.Waiter, Client: c}
	if j.away() {
		d.Away, woken.Fetch = true, j.id()
	} else {
		d.Small, d.Large = s.bodies.Get(j.body, j.size)
	}
	c.Waiter.Deliver(d)
	s.Woken = append(s.Woken, woken)
}
