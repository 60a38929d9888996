package generator

import (
	"beanfield/tools/bench/socket"
)

// A loop drives its connections from one goroutine. No other goroutine touches them, or
// what is counted; only the atomic fields of run are shared.
type loop struct {
	run        *run
	wires      *socket.Loop
	conns      []*conn
	paced      []*conn // the connections on the timetable, in the order of their slots
	pacer      pacer
	committers []*committer // of consumers
	parked     []*conn
	spare      []*conn // the array that parked had before, for its next turn
	burst      []*conn // answered by the last look, and not sent to since: WaitEpoll
	ledger     *Ledger
	tally      Tally

	measuring bool
	stopping  bool
	quiet     bool // its producers have ended

	reply Reply
}

const (
	loopEvents = 256
	// longestLook is longer than it takes to look for events and find none.
	longestLook = int64(10e3)
	// longestWait bounds a wait so that phases and cancellation are noticed.
	longestWait = int64(20e6)
	// onePause is how long a server is left alone before each put of one job at a time, so that whoever takes the
	// job really waits.
	onePause = int64(200e3)
)

func newLoop(r *run) (*loop, error) {
	most := loopEvents
	if r.single {
		most = 1
	}
	wires, err := socket.NewLoop(most)
	return &loop{run: r, wires: wires, ledger: NewLedger()}, err
}

// drive runs the load until its time is over and everything is answered.
func (l *loop) drive() error {
	l.pacer = l.timetable()
	for i, c := range l.paced {
		c.paced, c.slot = l.pacer.open(), int64(i)
	}
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
		switch {
		case n > 0 && l.measuring:
			l.tally.looks++
			l.tally.events += uint64(n)
		case l.measuring:
			// If more time went by, the system ran another program meanwhile.
			l.tally.vacant += min(now-looked, longestLook)
		}
		l.phase(now)
		for i := range n {
			if err := l.wires.Serve(i); err != nil {
				return err
			}
		}
		if err := l.sendBurst(); err != nil {
			return err
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

// goOn sends the next batch of an answered connection: at once, or, where the loop
// sleeps between its looks, when it has read all answers that it found.
func (l *loop) goOn(c *conn, now int64) error {
	if l.run.wait == WaitEpoll {
		l.burst = append(l.burst, c)
		return nil
	}
	return l.advance(c, now)
}

func (l *loop) sendBurst() error {
	for _, c := range l.burst {
		if err := l.advance(c, l.run.now()); err != nil {
			return err
		}
	}
	l.burst = l.burst[:0]
	return nil
}

// timetable begins with the warm-up.
func (l *loop) timetable() pacer {
	return newPacer(l.run.begin-int64(l.run.load.Warmup), l.run.load.Rate, l.run.load.Batch(), len(l.paced))
}

// patience tells how long the loop may wait for events.
func (l *loop) patience() int64 {
	if l.run.wait == WaitSpin {
		return 0
	}
	wait := longestWait
	now := l.run.now()
	if l.pacer.open() {
		wait = min(wait, l.pacer.at(l.pacer.next)-now)
	}
	if len(l.parked) > 0 && l.run.load.One() {
		wait = min(wait, onePause)
	}
	if !l.measuring && !l.stopping {
		wait = min(wait, l.run.begin-now)
	}
	return max(wait, 0)
}

// phase opens and closes the measurement, and reads the clocks of the processes at these
// very moments.
func (l *loop) phase(now int64) {
	switch {
	case !l.measuring && !l.stopping && now >= l.run.begin && now < l.run.end && !l.tally.closed:
		l.measuring = true
		l.run.first = l.run.moment(now)
	case l.measuring && now >= l.run.end:
		l.measuring, l.tally.closed = false, true
		l.run.last = l.run.moment(now)
	}
	l.stopping = now >= l.run.end
	l.run.replies.Store(l.tally.everything)
}

// advance sends the connection's next batch, if it is time.
func (l *loop) advance(c *conn, now int64) error {
	due := now
	if c.paced {
		due = l.pacer.at(c.slot)
	}
	c.ending = l.stopping && (!c.paced || due >= l.run.end)
	if c.ending && c.plan.rest(c) {
		return nil
	}
	if due > now {
		c.idle = true
		return nil
	}
	req, ok := c.plan.next(c, due)
	if !ok {
		if !c.parked {
			c.parked = true
			l.parked = append(l.parked, c)
		}
		return nil
	}
	if c.paced {
		c.slot += l.pacer.conns
	}
	c.outstanding(req, due)
	return c.wire.Send(req.bytes)
}

// resume sends for connections whose slot has come, and for parked ones.
func (l *loop) resume() error {
	if l.pacer.open() {
		now := l.run.now()
		for k, ok := l.pacer.due(now); ok; k, ok = l.pacer.due(now) {
			if c := l.paced[k]; c.idle {
				c.idle = false
				if err := l.advance(c, now); err != nil {
					return err
				}
			}
		}
	}
	if len(l.parked) == 0 || l.run.inFlight >= l.run.load.InFlight() {
		return nil
	}
	return l.unpark()
}

func (l *loop) unpark() error {
	now := l.run.now()
	waiting := l.parked
	l.parked, l.spare = l.spare[:0], waiting
	for _, c := range waiting {
		c.parked = false
		if err := l.advance(c, now); err != nil {
			return err
		}
	}
	return nil
}
