package queue

import (
	"beanfield/shard/queue/cells"
	"container/heap"
	"fmt"
)

// Policies may give tubes weights. Clients that watch such a tube and others then do not get the
// best job of all, but jobs of these tubes in the ratio of their weights; a tube without a weight
// has weight 1. Those who watch the same tubes have one fair scheduler together, so it does not matter
// whether one of them takes all jobs or each comes for one; and what others take has no part in it.
//
// It is fair queueing by start times. A tube has a tag. The tube with the least tag is next, between
// equal ones the best job. A job that is handed out puts the tube's tag up by a job's worth, divided
// by the weight. The clock of the fair scheduler is the highest tag that a job was handed out at. A tube that
// had no job to offer when somebody looked for one begins again at the clock, if it is behind: what
// it could not use is not kept for it. A tube that is shut by its policy offers nothing either.
//
// A tube lives in one shard, which alone touches its tag. The clock belongs to all shards, and is
// moved by compare-and-swap. So nobody waits for anybody, and clients that take jobs at once in
// different shards can be off by what is under way, but what they took is in the tags.
//
// Tags wrap around: they are compared by their differences, which are at most one job's worth to one
// side, and on the other as far as tubes that offer jobs are behind because others are quicker.

// worth is a job's worth. All weights up to 16 divide it, and it is so large that the others' rest
// does not matter.
const worth = 720720 << 20

// MostWeight is the highest weight of a tube.
const MostWeight = 1_000_000

// FairScheduler is what a shard keeps for the clients that watch the same tubes, of which one has a
// weight. The shard alone touches it, but for the clock.
type FairScheduler struct {
	Clock  Clock // shared with the other shards' fair schedulers of these clients
	shares map[string]share
}

// Clock is that of a fair scheduler. Several shards may use it at once.
type Clock interface {
	// Read is the highest tag so far.
	Read() uint64
	// Advance moves the clock to a tag, unless it is there or further.
	Advance(tag uint64)
}

// share is a tube's part in a fair scheduler. One that is not there is idle.
type share struct {
	tag  uint64
	idle bool // it had nothing to offer
}

// part is a tube's share as it is now.
func (x *FairScheduler) part(name string) share {
	a, known := x.shares[name]
	if known && !a.idle {
		return a
	}
	clock := x.Clock.Read()
	if ahead := int64(a.tag - clock); !known || ahead < 0 || ahead > worth {
		a.tag = clock
	}
	a.idle = false
	x.set(name, a)
	return a
}

func (x *FairScheduler) set(name string, a share) {
	if x.shares == nil {
		x.shares = map[string]share{}
	}
	x.shares[name] = a
}

// look tells the client's fair scheduler of a tube that it looks at. It returns the tag of one that has a job to offer.
func (c *Client) look(t *tube) (tag uint64) {
	x := c.fair
	if x == nil {
		return 0
	}
	if c.offered(t) {
		return x.part(t.name).tag
	}
	if a, known := x.shares[t.name]; known && !a.idle {
		a.idle = true
		x.shares[t.name] = a
	}
	return 0
}

// charge counts a job that a client has got from a tube.
func (x *FairScheduler) charge(t *tube) {
	if x != nil {
		x.bill(t)
	}
}

func (x *FairScheduler) bill(t *tube) {
	a := x.part(t.name)
	x.Clock.Advance(a.tag)
	a.tag += t.price()
	x.set(t.name, a)
}

// price is what a job of the tube costs it.
func (t *tube) price() uint64 {
	if p := t.policy; p != nil && p.Weight > 0 {
		return worth / uint64(p.Weight)
	}
	return worth
}

// check looks for tags that are too high (WT1).
func (x *FairScheduler) check() error {
	if x == nil {
		return nil
	}
	for name, a := range x.shares {
		if ahead := int64(a.tag - x.Clock.Read()); ahead > worth && !a.idle {
			return fmt.Errorf("WT1: tube %q is ahead of its fair scheduler by %d", name, ahead)
		}
	}
	return nil
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
		j := s.jobs.At(slot)
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
