package queue

import (
	"container/heap"

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

// lane is a tube whose jobs are offered by turns: its tag, and its frontier, whose best it compares by.
type lane struct {
	frontier
	tube       *tube
	tag, price uint64
	left       uint32 // how many its policy lets go
	top        cells.Entry
}

func (l *lane) standing() standing { return standing{l.tag, l.top} }

// lanes are in a heap whose first is the one whose turn it is.
type lanes []*lane

// Len and the others implement heap.Interface.
func (f lanes) Len() int           { return len(f) }
func (f lanes) Less(i, j int) bool { return f[i].standing().before(f[j].standing()) }
func (f lanes) Swap(i, j int)      { f[i], f[j] = f[j], f[i] }
func (f *lanes) Push(l any)        { *f = append(*f, l.(*lane)) }
func (f *lanes) Pop() any {
	last := len(*f) - 1
	l := (*f)[last]
	*f = (*f)[:last]
	return l
}

// offerByTubes lists the jobs that a reserve of op.Limit would take in a fair scheduler, or from tubes
// whose jobs rise or are throttled.
func (s *State) offerByTubes(b *Batch, op *Op) {
	var f lanes
	c := b.Client
	for _, t := range c.watched {
		s.spend(looking)
		if tag := c.look(t); c.offered(t) {
			l := &lane{tube: t, tag: tag, left: t.left(s.now, op.Limit), top: s.headFor(c, t)}
			if c.fair != nil {
				l.price = t.price()
			}
			l.add(c.fitting(t), 0)
			f = append(f, l)
		}
	}
	heap.Init(&f)
	op.From = uint32(len(b.Taken))
	for n, bytes := uint32(0), 0; n < op.Limit && len(f) > 0 && bytes <= BatchBytes; n++ {
		s.spend(summing)
		l := f[0]
		slot := l.next().Slot
		j := s.job(slot)
		b.Taken = append(b.Taken, Taken{ID: j.id(), Tag: l.tag, Pri: s.agedPri(l.tube, slot), Size: j.size})
		bytes += int(j.size)
		l.tag += l.price
		if l.left--; l.left == 0 || len(l.frontier) == 0 {
			heap.Pop(&f)
			continue
		}
		l.top = s.compared(l.tube, l.frontier[0].Slot)
		heap.Fix(&f, 0)
	}
	op.To, op.Status = uint32(len(b.Taken)), OK
}
