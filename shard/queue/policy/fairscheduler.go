package policy

import "fmt"

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

// Worth is a job's worth. All weights up to 16 divide it, and it is so large that the others' rest
// does not matter.
const Worth = 720720 << 20

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
	if ahead := int64(a.tag - clock); !known || ahead < 0 || ahead > Worth {
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

// Tag is that of a tube which has a job to offer.
func (x *FairScheduler) Tag(tube string) uint64 { return x.part(tube).tag }

// Idle is told of a tube that has none.
func (x *FairScheduler) Idle(tube string) {
	if a, known := x.shares[tube]; known && !a.idle {
		a.idle = true
		x.shares[tube] = a
	}
}

// Charge counts a job that somebody has got from a tube, at its price.
func (x *FairScheduler) Charge(tube string, price uint64) {
	a := x.part(tube)
	x.Clock.Advance(a.tag)
	a.tag += price
	x.set(tube, a)
}

// Price is what a job costs a tube with this weight.
func Price(weight int) uint64 { return Worth / uint64(max(1, weight)) }

// Check looks for tags that are too high (WT1).
func (x *FairScheduler) Check() error {
	for name, a := range x.shares {
		if ahead := int64(a.tag - x.Clock.Read()); ahead > Worth && !a.idle {
			return fmt.Errorf("WT1: tube %q is ahead of its fair scheduler by %d", name, ahead)
		}
	}
	return nil
}
