package queue

import (
	"beanfield/shard/queue/cells"
	"beanfield/shard/queue/policy"
)

// look tells the client's fair scheduler of a tube that it looks at. It returns the tag of one that has a job to offer.
func (c *Client) look(t *tube) (tag uint64) {
	switch {
	case c.fair == nil:
	case c.offered(t):
		return c.fair.Tag(t.name)
	default:
		c.fair.Idle(t.name)
	}
	return 0
}

// charge counts a job that the client has got from a tube.
func (c *Client) charge(t *tube) {
	if c.fair != nil {
		c.bill(t) // a call of its own, so that this one is inlined
	}
}

func (c *Client) bill(t *tube) { c.fair.Charge(t.name, t.price()) }

// price is what a job of the tube costs it.
func (t *tube) price() uint64 {
	if t.policy == nil {
		return policy.Worth
	}
	return policy.Price(t.policy.Weight)
}

// standing is a tube's place among those that have a job for somebody.
type standing struct {
	tag uint64
	top cells.Entry
}

// standing is that of a tube which offers a job.
func (s *State) standing(c *Client, t *tube) standing { return standing{c.look(t), s.headFor(c, t)} }

// before says whose turn comes first.
func (a standing) before(b standing) bool {
	if d := int64(a.tag - b.tag); d != 0 {
		return d < 0
	}
	return a.top.Before(b.top)
}

// winner is the tube whose turn it is, or nil.
func (s *State) winner(c *Client) (best *tube) {
	var first standing
	for _, t := range c.watched {
		if !c.offered(t) {
			c.look(t)
		} else if at := s.standing(c, t); best == nil || at.before(first) {
			best, first = t, at
		}
	}
	return best
}

// contender is the client of a batch that reserves.
func (b *Batch) contender() *Client {
	if b.Client.fair != b.FairScheduler {
		b.Client.fair = b.FairScheduler
	}
	return b.Client
}
