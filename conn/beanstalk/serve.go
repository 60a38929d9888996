package beanstalk

import (
	"runtime"
	"syscall"
	"time"

	"beanfield/conn"
	"beanfield/router"
	"beanfield/storage/pace"
)

// serve runs until the server stops and all connections have ended.
func (l *loop) serve() {
	for !l.finished() {
		if !l.serveRound() {
			return
		}
	}
	close(l.done)
}

// serveRound serves what is ready, or waits until something is. It reports false if another
// goroutine serves the loop now.
func (l *loop) serveRound() bool {
	l.pulse.Beat()
	events, ok := l.ready()
	if !ok {
		return false
	}
	l.ringAlarms() // before what came later
	for i := range events {
		ev := &events[i]
		if l.poll.Woke(ev) {
			continue // edge-triggered: it need not be read
		}
		if c := l.conns[ev.Fd]; c != nil {
			l.turn()
			c.event(ev.Events)
			l.served()
		}
	}
	l.round(len(events))
	l.serveInbox()
	if l.recheck.Load() {
		l.recheckSome()
	}
	l.endRound()
	if l.bulk >= bulkShare {
		l.bulk = 0
		l.stepBack()
	}
	return true
}

// ready returns the events that are there. If there is nothing else to do it makes the pending pushes, and waits for
// some. It reports false if another goroutine serves the loop now.
func (l *loop) ready() (events []syscall.EpollEvent, ok bool) {
	// If all clients wait for answers, none is about to send. If there is nothing else to do, sleep looks as well.
	if l.calls < l.open && (l.calls > 0 || l.mustPush() || !l.idle()) {
		events = l.poll.Peek()
	}
	if len(events) > 0 || !l.idle() {
		return events, true
	}
	if l.mustPush() && !l.pushAll() {
		return nil, false
	}
	if l.idle() {
		l.yield()
		if events = l.linger(); len(events) == 0 {
			events = l.sleep()
		}
	}
	return events, true
}

// bulkShare is after how many bytes a loop that moves large bodies yields. Such a loop
// always finds more events, so it never reaches the point where it would sleep and let
// others run. Yielding at every turn would cost 50 small clients three tenths of their
// throughput, because it cuts their commits into small pieces.
const bulkShare = 256 << 10

// mostYields bounds how long a loop lingers: about a tenth of a millisecond when
// the shard is busy on another processor.
const mostYields = 256

// linger lets other goroutines run as long as a shard that owes an answer is busy: a sleep
// and a wake-up are saved, and a shard's goroutine that waits for this processor gets it. (A
// loop that blocks in epoll holds its processor until the Go scheduler next checks for long
// system calls, up to 20 ms later.) Yielding once is not enough: the scheduler may come back
// to the loop at once, and a shard with much to do does a little each time.
func (l *loop) linger() []syscall.EpollEvent {
	for yields := 0; yields < mostYields && l.calls > 0 && l.busy(l.asked); yields++ {
		runtime.Gosched()
		if events := l.poll.Peek(); len(events) > 0 || !l.inbox.Empty() {
			return events
		}
	}
	return nil
}

// yield lets other goroutines run before a sleep, if one has been woken lately: it may wait for this loop's place. It
// does so from time to time anyway: Go's monitor thread takes the place of a goroutine that has not yielded for
// 10 ms, as soon as it is in a system call, and then looks every 20 µs.
func (l *loop) yield() {
	now, wakes := l.server.router.Now(), pace.Wakes()
	if wakes != l.wakes || now-l.yielded > yieldAfter {
		l.wakes, l.yielded = wakes, now
		runtime.Gosched()
	}
}

const yieldAfter = int64(5 * time.Millisecond)

// longestSleep bounds a sleep to as many milliseconds as epoll accepts.
const longestSleep = time.Hour

// milliseconds is how long to sleep if so much time is left: no less, as an alarm must not
// be early.
func milliseconds(left time.Duration) int {
	return int(max(0, (min(left, longestSleep)+time.Millisecond-1)/time.Millisecond))
}

// sleep blocks until there is an event, a connection in the inbox, or an
// alarm is due.
func (l *loop) sleep() []syscall.EpollEvent {
	l.asleep.Store(true)
	if !l.inbox.Empty() || l.recheck.Load() {
		l.asleep.Store(false)
		return nil
	}
	ms := -1
	if at := l.timers.first(); at != 0 {
		ms = milliseconds(time.Duration(at - l.server.router.Now()))
	}
	if l.stop.Load() {
		ms = 10 // then finished looks again
	}
	events := l.poll.Wait(ms)
	l.asleep.Store(false)
	return events
}

// inboxShare bounds how many connections of the inbox are served before the loop
// turns to its events: as many as a pause that ends, or a commit, wakes at once.
// One that is in the middle of long work counts for eight.
const inboxShare = 64

// serveInbox serves some of the connections in the inbox.
func (l *loop) serveInbox() {
	if l.called == nil {
		l.called = l.inbox.TakeInOrder(func(c *Conn) **Conn { return &c.next })
	}
	for left := inboxShare; left > 0 && l.called != nil; left-- {
		c := l.called
		l.called, c.next = c.next, nil
		c.queued.Store(false) // from here on it may be queued again
		l.turn()
		if l.isNew(c) {
			l.admit(c)
		} else {
			c.notified()
		}
		l.served()
		if c.closed || c.listing != nil {
			left -= 7
		}
	}
}

// idle says that the inbox is empty, and no recheck is due.
func (l *loop) idle() bool { return l.called == nil && l.inbox.Empty() && !l.recheck.Load() }

func (l *loop) isNew(c *Conn) bool {
	return !c.closed && (c.fd >= len(l.conns) || l.conns[c.fd] != c)
}

// admit takes a new connection in.
func (l *loop) admit(c *Conn) {
	if c == &l.bell {
		for e := l.errands.Take(); e != nil; e = e.next {
			e.run()
		}
		return
	}
	for c.fd >= len(l.conns) {
		l.conns = append(l.conns, nil)
	}
	l.conns[c.fd] = c
	l.open++
	l.figures.connections.Store(int64(l.open))
	if c.tls != nil {
		c.beginShake()
	} else {
		c.begin()
	}
	if err := l.poll.Add(c.fd); err != nil {
		l.server.log.Error("a connection cannot be watched", "error", err)
		c.close()
		return
	}
	if c.tls == nil {
		c.goOn()
	}
}

func (l *loop) ringAlarms() {
	at := l.timers.first()
	if at == 0 {
		return
	}
	for now := l.server.router.Now(); at != 0 && at <= now; at = l.timers.first() {
		c := l.timers.heap[1]
		l.timers.remove(c)
		l.turn()
		c.alarm()
		l.served()
	}
}

// finished ends the connections once the server stops, and reports when the
// last has gone.
func (l *loop) finished() bool {
	if !l.stop.Load() {
		return false
	}
	busy := false
	for _, c := range l.conns {
		if c == nil {
			continue
		}
		if l.server.patient.Load() && (c.call != callNone || c.stuck != nil || c.listing != nil) {
			busy = true // an answer is on its way
			continue
		}
		if !l.server.patient.Load() {
			// The client hears no more, however long the log takes for what is still to end.
			syscall.Shutdown(c.fd, syscall.SHUT_RDWR)
		}
		c.close()
	}
	return !busy && l.open == 0 && l.idle()
}

// NewServer starts the loops. The server owns nothing of the router but its
// sessions, and tells the acceptor whose clients it serves when one has left.
func NewServer(r *router.Router, a *conn.Acceptor, o Options) (*Server, error) {
	if err := o.complete(); err != nil {
		return nil, err
	}
	ident, err := newIdentity()
	if err != nil {
		return nil, err
	}
	s := &Server{log: o.Logger, router: r, acceptor: a, ident: ident, book: o.Access, guesses: o.Guesses,
		audit: o.Audit, slow: o.Slow}
	s.hold(&o)
	s.patient.Store(true)
	for i := 0; i < o.Loops; i++ {
		l, err := newLoop(s)
		if err != nil {
			for _, l := range s.loops {
				l.poll.Close()
			}
			return nil, err
		}
		l.busy = r.Busy
		s.loops = append(s.loops, l)
	}
	for _, l := range s.loops {
		go l.serve()
	}
	s.forget = s.book.OnReplace(s.recheck)
	return s, nil
}
