//go:build linux

package load

import (
	"fmt"

	"beanfield/tools/bench/socket"
)

// A loop drives its connections from one goroutine. No other goroutine touches them, or what is counted.
type loop struct {
	run        *run
	wires      *socket.Loop
	conns      []*conn
	committers []*committer // of consumers
	waiting    int          // connections that may send nothing at present
	burst      []*conn      // answered by the last look, and not sent to since: Epoll
	ledger     *Ledger
	tally      Tally

	measuring bool
	stopping  bool
	quiet     bool // its producers have ended

	reply reply
}

const (
	loopEvents = 256
	// longestLook is longer than it takes to look for events and find none.
	longestLook = int64(10e3)
	// longestWait bounds a wait so that phases and cancellation are noticed, and shortWait one while connections wait
	// for their time to send.
	longestWait = int64(20e6)
	shortWait   = int64(50e3)
	// onePause is how long a server is left alone before each put of one job at a time, so that whoever takes the
	// job really waits.
	onePause = int64(200e3)
	// windDown is how long answers are awaited after the load has ended.
	windDown = int64(10e9)
)

// drive runs the load until its time is over and everything is answered.
func (l *loop) drive() error {
	now := l.run.now()
	for _, c := range l.conns {
		if err := l.advance(c, now); err != nil {
			return err
		}
	}
	looked := now // when the last look for events began
	for !l.run.abort.Load() {
		n, err := l.wires.Look(l.patience())
		if err != nil {
			return err
		}
		now = l.run.now()
		l.tally.look(l.measuring, n, now-looked)
		l.phase(now)
		for i := range n {
			if err := l.wires.Serve(i); err != nil {
				return err
			}
		}
		if err := l.resume(); err != nil {
			return err
		}
		if done, err := l.finished(); done || err != nil {
			return err
		}
		if looked = now; n > 0 {
			looked = l.run.now()
		}
	}
	return nil
}

// goOn sends the next batch of an answered connection: at once, or, where the loop sleeps between its looks, when it
// has read all answers that it found.
func (l *loop) goOn(c *conn, now int64) error {
	if l.run.wait == Epoll {
		l.burst = append(l.burst, c)
		return nil
	}
	return l.advance(c, now)
}

// patience tells how long the loop may wait for events.
func (l *loop) patience() int64 {
	if l.run.wait == Spin {
		return 0
	}
	wait := longestWait
	if l.waiting > 0 {
		wait = shortWait
	}
	if !l.measuring && !l.stopping {
		wait = min(wait, l.run.begin-l.run.now())
	}
	return max(wait, 0)
}

// phase opens and closes the measurement, and reads the clocks of the processes at these very moments.
func (l *loop) phase(now int64) {
	switch {
	case !l.measuring && !l.stopping && now >= l.run.begin && now < l.run.end && !l.tally.closed:
		l.measuring = true
		l.run.first = l.run.target.Moment(now)
	case l.measuring && now >= l.run.end:
		l.measuring, l.tally.closed = false, true
		l.run.last = l.run.target.Moment(now)
	}
	l.stopping = now >= l.run.end
}

// advance sends the connection's next batch, if it is time.
func (l *loop) advance(c *conn, now int64) error {
	due, paced := now, l.run.step > 0
	if paced {
		due = l.run.slot(c)
	}
	c.ending = l.stopping && (!paced || due >= l.run.end)
	if c.ending && c.rests() {
		return nil
	}
	if due > now || !c.next(due) {
		c.waits = true
		l.waiting++
		return nil
	}
	c.slot += int64(len(l.conns))
	return c.wire.Send(c.build)
}

// resume sends what was put off, and for connections that wait, if their time has come.
func (l *loop) resume() error {
	for _, c := range l.burst {
		if err := l.advance(c, l.run.now()); err != nil {
			return err
		}
	}
	l.burst = l.burst[:0]
	if l.waiting == 0 {
		return nil
	}
	l.waiting = 0
	now := l.run.now()
	for _, c := range l.conns {
		if c.waits {
			c.waits = false
			if err := l.advance(c, now); err != nil {
				return err
			}
		}
	}
	return nil
}

// finished tells whether the load is over and no connection has anything under way that would leave a job half done.
func (l *loop) finished() (bool, error) {
	if !l.stopping {
		return false, nil
	}
	for _, c := range l.committers {
		if err := c.goOn(); err != nil { // what is left
			return false, err
		}
	}
	open, producing := 0, false
	for _, c := range l.conns {
		if !l.done(c) {
			open++
			producing = producing || c.role == producer
		}
	}
	l.quiet = !producing
	if l.run.load.pushes() && l.run.inFlight > 0 {
		open++
	}
	if open > 0 && l.run.now() > l.run.end+windDown {
		return false, fmt.Errorf("%d connections still await replies %d s after the load ended", open, windDown/1e9)
	}
	return open == 0, nil
}

// done tells whether a connection has nothing under way. When the producers have ended and no job is in flight, none
// will come to those that take them.
func (l *loop) done(c *conn) bool {
	if c.role == taker && c.left > 0 && c.op() == opReserve {
		return l.quiet && l.run.inFlight <= 0
	}
	return c.left == 0 && c.rests() && (l.run.step == 0 || l.run.slot(c) >= l.run.end)
}
