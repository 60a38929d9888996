package beanstalk

import (
	"math"

	"beanfield/conn/access"
	"beanfield/conn/beanstalk/protocol"
	"beanfield/conn/slow"
	"beanfield/router"
	"beanfield/shard/queue"
)

// outdated says that other rules hold than those by which the connection was judged.
func (c *Conn) outdated() bool {
	p := c.loop.server.book.Load()
	if c.guard == nil {
		return p != nil
	}
	return c.guard.stale || c.guard.policy != p
}

// applyRules judges an outdated connection by the rules that hold now. It reports false if the next
// command cannot run yet.
func (c *Conn) applyRules() bool {
	if !c.flush() {
		return false
	}
	c.judgeAnew()
	c.finish(callReview, c.session.Review(c.guard.mayReserve))
	return c.ready()
}

// judgeAnew finds out what the client may do by the rules that hold now.
func (c *Conn) judgeAnew() {
	if c.guard == nil {
		c.guard = &guard{id: c.identity()}
	}
	g := c.guard
	g.policy = c.loop.server.book.Load()
	g.subject = g.policy.Subject(g.id)
	subject := g.subject
	g.authorizer = func(k queue.Kind, tube string) bool { return subject.May(tube).Has(judged[k]) }
	g.used = subject.May(c.session.Used())
	g.stale = false
}

func (g *guard) mayReserve(tube string) bool { return g.subject.May(tube).Has(access.Reserve) }

// identity is who the client is, as far as the connection itself says.
func (c *Conn) identity() access.Identity {
	id := access.Identity{Peer: c.Peer()}
	if c.TLS() != nil {
		id.Certificate = c.TLS().Peer()
	}
	return id
}

// allowed says whether the client may run a command, as far as its shard need not be asked.
// Without rules c.guard is nil, and nobody calls it.
func (c *Conn) allowed(v protocol.Verb, tube string) bool {
	g, row := c.guard, &commands[v]
	has := access.Rights(0)
	switch row.on {
	case onUsed:
		has = g.used
	case onTube:
		has = g.subject.May(tube)
	case onHeld:
		if c.session.Soonest() != math.MaxInt64 {
			return true
		}
		fallthrough
	case onAny:
		has = g.subject.Anywhere()
	case onServer:
		has = g.subject.Everywhere()
	default:
		return true
	}
	return has.Has(row.needs) || row.needs == anyRight && has != 0
}

// deny answers a command that the client may not run, when those before it have been
// answered: otherwise it reports false.
func (c *Conn) deny(v protocol.Verb, tube string, why slow.Reason) bool {
	if !c.counted(v) {
		return false
	}
	c.noteDenied(v, c.tubeOf(v, tube), 0, why, nil)
	c.loop.refuse(commands[v].refused)
	return true
}

// rejudgeWait is called while the connection waits in a reserve and other rules hold. If it
// may no longer reserve from all tubes that it waits at, or from more than before, the wait
// ends, and another one begins that lasts as long as this one would have. It looks at the watched
// tubes from one on, at most that many. If there are more, it returns where to go on: until all
// have been looked at, the connection stays outdated.
func (c *Conn) rejudgeWait(from, most int) (next int, more bool) {
	if c.session.Delivered() {
		return from, false // the job is the client's; its next command will be judged
	}
	if from == 0 {
		c.judgeAnew()
		if c.loop.partly == c {
			c.loop.partly = nil // what it has seen so far was judged by other rules
		}
	}
	next, settled := c.session.Settled(from, most, c.guard.mayReserve)
	if settled {
		c.guard.stale = next < c.session.Watching()
		return next, c.guard.stale
	}
	won, done := c.session.CancelWait(queue.TimedOut)
	if c.guard.stale = !won; !won {
		return next, false // a job is coming, and the next command will be judged
	}
	c.EndAlarm()
	c.finish(callSuspend, done)
	return next, false
}

// reviewed ends the review of the watched tubes that applyRules has begun.
func (c *Conn) reviewed() { c.session.Trim() }

// suspended goes on when rejudgeWait has ended a wait.
func (c *Conn) suspended() { c.finish(callReviewWait, c.session.Review(c.guard.mayReserve)) }

// resume begins anew the wait that rejudgeWait has ended.
func (c *Conn) resume() {
	c.resumes = true
	c.finish(callReserve, c.session.WaitAgain())
}

// recheckShare is how many watched tubes are looked at before others have their turn: each costs
// a comparison with all patterns. recheckCost is what a connection costs in addition: to find the
// rules that hold for it takes tens of microseconds if there are thousands.
const (
	recheckShare = 1024
	recheckCost  = recheckShare / 16
)

// guard is what a connection may do. It has one from its first command under rules on.
//
// Rights on the tube in use are found when the tube is chosen, and kept. Operations that name a
// job are judged by the job's shard, which alone knows the tube. Whether the rules have been
// replaced costs one atomic load for all commands that come in one read.
type guard struct {
	policy     *access.Policy // by which the rest was judged
	subject    *access.Subject
	authorizer queue.Authorizer
	used       access.Rights // on the tube in use
	id         access.Identity
	wrong      int      // tokens that the connection has shown
	entry      uint64   // id of the put that has brought the latest token; 0 for the command auth
	visible    *visible // of list-tubes; nil if none is under way
	// recalled are commands that come before any input; nil if there are none.
	recalled []recalled
	// stale says that the watched tubes have not been reviewed since subject was found.
	stale bool
}

// visible is a list of tubes of which only those remain that the client sees.
type visible struct {
	left [][]string
	seen router.Names
}

func (v *visible) sift(names []string, s *access.Subject) {
	var seen []string
	for _, name := range names {
		if s.Sees(name) {
			seen = append(seen, name)
			v.seen.Bytes += len(name)
		}
	}
	if len(seen) > 0 {
		v.seen.Count += len(seen)
		v.seen.Chunks = append(v.seen.Chunks, seen)
	}
}

// recalled is a command of a run that ended because other rules hold (recheck.go).
type recalled struct {
	verb protocol.Verb
	op   queue.Op // not yet applied, and with memory of its own (B2)
}

// endDelay ends the wait of a wrong token's answer, if there is one.
func (c *Conn) endDelay() {
	if c.refusalDue {
		c.refusalDue = false
		c.loop.server.guesses.Answered(c.guard.id.Peer.Addr.Addr())
	}
}
