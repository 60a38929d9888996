package event

import (
	"runtime"
	"time"

	"beanfield/conn/socket"
	"beanfield/storage/pace"
)

// Serve runs until the group is shut down and all connections have ended.
func (l *Loop) Serve() {
	for !l.finished() {
		if !l.Round() {
			return
		}
	}
	close(l.done)
}

// Round serves what is ready, or waits until something is. It reports false if another
// goroutine serves the loop now.
func (l *Loop) Round() bool {
	l.pulse.Beat()
	events, ok := l.ready()
	if !ok {
		return false
	}
	l.serve(events)
	l.round(len(events))
	l.ServeInbox()
	l.AfterRound()
	if l.bulk >= bulkShare {
		l.bulk = 0
		l.stepBack()
	}
	return true
}

// ServeEvents serves what is ready now, but for the inbox. Tests run a loop by it.
func (l *Loop) ServeEvents() { l.serve(l.poll.Peek()) }

// serve rings the alarms that are due, before what came later, and serves connections that have events.
func (l *Loop) serve(events []socket.Event) {
	l.ringAlarms()
	for i := range events {
		ev := &events[i]
		if l.poll.Woke(ev) {
			continue // edge-triggered: it need not be read
		}
		if c := l.conns[ev.Fd]; c != nil {
			l.Turn()
			c.event(ev.Events)
			l.served()
		}
	}
}

// ready returns the events that are there. If there is nothing else to do it makes the pending pushes, and waits for
// some. It reports false if another goroutine serves the loop now.
func (l *Loop) ready() (events []socket.Event, ok bool) {
	// If all clients wait for answers, none is about to send. If there is nothing else to do, sleep looks as well.
	if l.calls < l.open && (l.calls > 0 || l.mustPush() || !l.Idle()) {
		events = l.poll.Peek()
	}
	if len(events) > 0 || !l.Idle() {
		return events, true
	}
	if l.mustPush() && !l.pushAll() {
		return nil, false
	}
	if l.Idle() {
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
func (l *Loop) linger() []socket.Event {
	for yields := 0; yields < mostYields && l.calls > 0 && l.group.Shards.Busy(l.asked); yields++ {
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
func (l *Loop) yield() {
	now, wakes := l.group.Shards.Now(), pace.Wakes()
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
func (l *Loop) sleep() []socket.Event {
	l.asleep.Store(true)
	if !l.inbox.Empty() {
		l.asleep.Store(false)
		return nil
	}
	ms := -1
	if at := l.timers.first(); at != 0 {
		ms = milliseconds(time.Duration(at - l.group.Shards.Now()))
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

// ServeInbox serves some of the connections in the inbox.
func (l *Loop) ServeInbox() {
	if l.called == nil {
		l.called = l.inbox.TakeInOrder(func(c *Conn) **Conn { return &c.next })
	}
	for left := inboxShare; left > 0 && l.called != nil; left-- {
		c := l.called
		l.called, c.next = c.next, nil
		c.queued.Store(false) // from here on it may be queued again
		l.Turn()
		switch {
		case c == &l.bell:
			l.runErrands()
		case l.isNew(c):
			l.admit(c)
		default:
			c.notified()
		}
		l.served()
		if c.closed || c != &l.bell && c.client.Long() {
			left -= 7
		}
	}
}

// Idle says that the inbox is empty.
func (l *Loop) Idle() bool { return l.called == nil && l.inbox.Empty() }

func (l *Loop) isNew(c *Conn) bool {
	return !c.closed && (c.fd >= len(l.conns) || l.conns[c.fd] != c)
}

func (l *Loop) runErrands() {
	for e := l.errands.Take(); e != nil; e = e.next {
		e.run()
	}
}

// admit takes a new connection in.
func (l *Loop) admit(c *Conn) {
	for c.fd >= len(l.conns) {
		l.conns = append(l.conns, nil)
	}
	l.conns[c.fd] = c
	l.count(1)
	if c.tls != nil {
		// A client that sends nothing during its handshake, or stops in between, is closed at its alarm.
		c.tls.Begin(l.poll, c.Notify)
		c.SetAlarm(l.group.Shards.Now() + c.at)
	} else {
		c.client.Begin()
	}
	if err := l.poll.Add(c.fd); err != nil {
		l.group.Log.Error("a connection cannot be watched", "error", err)
		c.Close()
		return
	}
	if c.tls == nil {
		c.client.GoOn()
	}
}

func (l *Loop) ringAlarms() {
	at := l.timers.first()
	if at == 0 {
		return
	}
	for now := l.group.Shards.Now(); at != 0 && at <= now; at = l.timers.first() {
		c := l.timers.heap[1]
		l.timers.remove(c)
		l.Turn()
		c.alarm()
		l.served()
	}
}

// finished ends the connections once the server stops, and reports when the
// last has gone.
func (l *Loop) finished() bool {
	if !l.stop.Load() {
		return false
	}
	busy := false
	for _, c := range l.conns {
		if c == nil {
			continue
		}
		hasty := l.group.hasty.Load()
		if !hasty && (c.awaits || c.stuck != nil || c.client.Long()) {
			busy = true // an answer is on its way
			continue
		}
		if hasty {
			c.cut()
		} else {
			c.Close()
		}
	}
	return !busy && l.open == 0 && l.Idle()
}
