package beanstalk

import (
	"beanfield/conn/beanstalk/event"
	"beanfield/conn/beanstalk/protocol"
	"beanfield/shard/queue"
)

// New rules take effect at once. A connection finds them at its next command, but one that waits
// in a reserve must be told: each loop goes through its connections, some at a time.

// recheck has all loops look at their connections.
func (s *Server) recheck() {
	for _, l := range s.loops {
		l.recheckSoon()
	}
}

// recheckSoon has the loop look at its connections, unless it is about to, or doing so. Any goroutine may.
func (l *loop) recheckSoon() {
	if l.recheck.CompareAndSwap(false, true) {
		l.Ask(l.recheckSome)
	}
}

// recheckSome looks at some connections, and has the loop go on later if any are left. If rules are replaced again
// meanwhile, those that have been passed are looked at again.
func (l *loop) recheckSome() {
	if l.judged == 0 && l.partly == nil {
		l.rechecked, l.late = l.server.book.Load(), false
	}
	for left := recheckShare; l.judged < l.Places(); {
		if left <= 0 {
			l.Ask(l.recheckSome)
			return
		}
		c, _ := l.At(l.judged).(*Conn)
		left -= l.recheckOne(c, left)
		if l.partly == nil {
			l.judged++
		}
	}
	l.judged = 0
	l.recheck.Store(false)
	if l.late || l.server.book.Load() != l.rechecked {
		l.recheckSoon()
	}
}

// recheckOne looks at one connection, or at a part of its tubes, and returns what that cost. If
// a part is left, the connection is in partly afterwards.
func (l *loop) recheckOne(c *Conn, most int) (cost int) {
	partly := l.partly
	l.partly = nil
	if c == nil || c.call != callNone || c.Closed() || c.Shaking() || !c.session.Waiting() || !c.outdated() {
		return 1
	}
	if c.wait.room {
		l.Turn()
		c.rejudgeRoom()
		c.GoOn()
		return recheckCost
	}
	from := 0
	if c == partly && c.guard.policy == l.server.book.Load() {
		from = l.tubes
	} else {
		cost = recheckCost
	}
	l.Turn()
	next, more := c.rejudgeWait(from, max(1, most-cost))
	if more {
		l.partly, l.tubes = c, next
	} else {
		c.GoOn()
	}
	return cost + next - from + 1
}

// A run may be kept for long: behind a reserve that waits, or because the client does not read
// its replies. If other rules hold when it could go on, its operations have been judged by the
// wrong ones, and a reserve among them may be meant for the wrong shard. So the run ends there.
// What is left of it becomes commands again, which are run before any input.

// obsolete says that the rules by which the run was judged do not hold any more.
func (c *Conn) obsolete() bool {
	return c.outdated() || c.guard != nil && c.guard.policy != c.run.policy
}

// recall ends the run. The run is not used again, because what is recalled borrows from it.
// It has no put whose id is allotted already: such a one is the first of its run, and has been
// applied when anything is kept.
func (c *Conn) recall() {
	r := c.run
	c.run = nil
	r.Retain()
	if c.guard == nil {
		c.guard = &guard{id: c.identity(), stale: true}
	}
	var left []recalled
	for i := r.Next; i < len(r.Ops); i++ {
		left = append(left, recalled{r.verbs[i], r.Ops[i]})
	}
	c.guard.recalled = append(left, c.guard.recalled...)
}

// rerun runs what has been recalled. It does not give way to other connections: there are at
// most maxRun commands.
func (c *Conn) rerun() {
	g := c.guard
	for len(g.recalled) > 0 && c.ready() {
		if len(c.loop.Out) >= event.SendAt {
			c.Send()
			continue
		}
		if c.outdated() && !c.applyRules() {
			continue
		}
		r := &g.recalled[0]
		if c.again(r) {
			g.recalled = g.recalled[1:]
		}
		if c.loop.untold != nil {
			c.loop.tellLine(lineOf(r.verb, r.op.Tube, r.op.ID))
		}
	}
	if len(g.recalled) == 0 {
		g.recalled = nil
	}
	if c.ready() {
		c.flush()
	}
}

// again executes a recalled command. It reports false when the command has to be tried again.
func (c *Conn) again(r *recalled) bool {
	op := &r.op
	cmd := protocol.Command{Verb: r.verb, ID: op.ID, Pri: op.Pri, Delay: op.Delay, N: op.Limit, Name: op.Data}
	switch op.Kind {
	case queue.Put:
		p := &c.loop.arriving
		*p = incoming{verb: r.verb, tube: op.Tube, pri: op.Pri, delay: op.Delay, ttr: op.TTR, size: int(op.Size),
			options: op.Options}
		c.route(p)
		return c.runPut(p, op.Data)
	case queue.Reserve, queue.ReserveSeveral:
		timeout := lasting(op.Timeout)
		if op.Options != nil {
			timeout = op.Options.Timeout
		}
		return c.reserveFor(r.verb, timeout, op.Limit, op.Options)
	case queue.Truncate:
		cmd.N = uint32(op.States)
	}
	return c.execute(&cmd)
}
