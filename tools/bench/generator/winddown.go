package generator

import (
	"fmt"
)

// windDown is how long answers are awaited after the load has ended: nanoseconds.
const windDown = int64(10e9)

// finished tells whether the load is over and no connection has anything under way that
// would leave a job half done.
func (l *loop) finished() (bool, error) {
	if !l.stopping {
		return false, nil
	}
	l.fallQuiet()
	for _, c := range l.committers {
		if err := c.goOn(); err != nil { // what is left
			return false, err
		}
	}
	open := 0
	if l.run.load.Pushes() && l.run.inFlight > 0 {
		open++
	}
	for _, c := range l.conns {
		if !l.done(c) {
			open++
		}
	}
	if open == 0 {
		return true, nil
	}
	now := l.run.now()
	if now < l.run.end+windDown {
		return false, nil
	}
	if !l.pacer.open() {
		return false, fmt.Errorf("%d connections still await replies %d s after the load ended", open, windDown/1e9)
	}
	l.giveUp(now)
	return true, nil
}

func (l *loop) done(c *conn) bool {
	if _, worker := c.plan.(workerPlan); worker && c.left > 0 && c.op == opReserve {
		return l.quiet && l.run.inFlight <= 0
	}
	return c.left == 0 && c.plan.rest(c) && (!c.paced || l.pacer.at(c.slot) >= l.run.end)
}

// fallQuiet notes that the producers have ended. When no job is in flight then, none will
// come.
func (l *loop) fallQuiet() {
	for _, c := range l.conns {
		if _, producer := c.plan.(producerPlan); producer && !l.done(c) {
			return
		}
	}
	l.quiet = true
}

// giveUp ends an open loop whose server is too slow for its rate. A command that was due
// and never answered counts with the time that it has waited so far.
func (l *loop) giveUp(now int64) {
	end := l.run.end
	batch := uint64(l.run.load.Batch())
	for _, c := range l.paced {
		for ; c.left > 0; c.passed() {
			l.tally.missed++
			if l.inWindow(c.due) {
				l.tally.latency[c.op].Record(now-c.due, 1)
			}
		}
		for ; l.pacer.at(c.slot) < end; c.slot += l.pacer.conns {
			l.tally.missed += batch
			if l.inWindow(l.pacer.at(c.slot)) {
				l.tally.latency[opPut].Record(now-l.pacer.at(c.slot), batch)
			}
		}
	}
}
