package beanstalk

import (
	"runtime"
	"sync/atomic"
	"syscall"
	"time"

	"beanfield/conn/access"
	"beanfield/conn/beanstalk/protocol"
	"beanfield/conn/beanstalk/socket"
	"beanfield/shard"
	"beanfield/shard/stack"
	"beanfield/storage/pace"
)

// readBuffer is how much a loop reads at once. It also bounds what a blocked
// connection may have read ahead.
const readBuffer = 64 << 10

// loop is a goroutine that serves its share of the connections. All of its
// connections use its buffers, so an idle one has none.
type loop struct {
	server *Server
	poll   *socket.Poller
	busy   func(shard int) bool
	// stepBack lets other goroutines run. It is pace.StepBack, except in tests.
	stepBack func()
	inbox    stack.Stack[Conn] // connections that want to be served, from any goroutine; each once, by its queued flag
	asleep   atomic.Bool       // or about to be: then wake has to write
	stop     atomic.Bool
	recheck  atomic.Bool // other rules hold: connections that wait are to be judged anew
	pulse    shard.Pulse // beats with each round of serve
	done     chan struct{}
	bell     Conn              // a connection without a socket: in the inbox it means that there are parts
	parts    stack.Stack[part] // of lists of the clients, which others have asked for

	// touched by the loop's goroutine only
	conns  []*Conn // by descriptor
	open   int     // connections not yet ended
	called *Conn   // taken out of the inbox, and not yet served
	timers timers
	buf    []byte // bytes just read; valid until over, or the next read (B3)
	out    []byte // replies of the connection that is being served; likewise
	// records are the same in TLS; likewise (B3)
	records socket.Buffers
	share   int // bytes that it may still send in this turn
	effort  int // work on commands that it may still cause
	bulk    int // bytes of large bodies since the loop has stepped back
	calls   int // connections whose call is under way
	asked   int // the shard that the latest of these calls waits for
	owed    debts
	latest  latest
	runs    []*run
	// of the recheck: the descriptors that it has passed, and the rules when it began
	judged    int
	rechecked *access.Policy
	partly    *Conn // of whose watched tubes a part is still to be looked at, and
	tubes     int   // how many have been
	late      bool  // one more is to follow
	// for the metrics
	rounds, events uint64
	unsampled      int // runs until the next one whose time is taken

	// pushing is the number of the push that the loop's goroutine is in, 0 if none:
	// the goroutine that sets it back to 0 goes on with the loop. stranded is how many
	// goroutines that had the loop are still in a push.
	pushing  atomic.Uint64
	stranded atomic.Int32

	// read by stats from other loops
	counts  [mostCommands]atomic.Uint64
	waiting atomic.Int64
	figures loopCounts // read by the metrics
}

func newLoop(s *Server) (*loop, error) {
	p, err := socket.NewPoller()
	if err != nil {
		return nil, err
	}
	l := &loop{
		server: s, poll: p, done: make(chan struct{}), stepBack: pace.StepBack,
		buf: make([]byte, readBuffer), out: make([]byte, 0, sendAt),
	}
	l.bell.loop = l
	return l, nil
}

// count counts a command for stats. The loop alone writes, so no locked
// addition is needed.
func (l *loop) count(v protocol.Verb) { l.counts[v].Store(l.counts[v].Load() + 1) }

func (l *loop) wake() {
	if l.asleep.Load() && l.asleep.CompareAndSwap(true, false) {
		l.poll.Wake()
	}
}

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
	events := l.poll.Peek()
	if len(events) == 0 && l.idle() {
		if l.inDebt() {
			runtime.Gosched() // as in linger; what others commit is paid for too
			if !l.pay() {
				return false
			}
		}
		if l.idle() {
			if events = l.linger(); len(events) == 0 {
				events = l.sleep()
			}
		}
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

// alive says whether the loop has slept or ended, or has ended a round since the last
// call.
func (l *loop) alive() bool { return l.pulse.Alive(!l.asleep.Load() && !l.hasEnded()) }

// hasEnded says that the loop has no connections any more.
func (l *loop) hasEnded() bool {
	select {
	case <-l.done:
		return true
	default:
		return false
	}
}

// bulkShare is after how many bytes a loop that moves large bodies yields. Such a loop
// always finds more events, so it never reaches the point where it would sleep and let
// others run. Yielding at every turn would cost 50 small clients three tenths of their
// throughput, because it cuts their commits into small pieces.
const bulkShare = 256 << 10

// moved counts the bytes of one read or send, if they were many.
func (l *loop) moved(n int) {
	if n >= bulkPiece {
		l.bulk += n
	}
}

// bulkPiece tells large bodies and very long pipelines from a few small commands.
const bulkPiece = readBuffer / 2

// mostYields bounds how long a loop lingers: about a tenth of a millisecond when
// the shard is busy on another processor.
const mostYields = 256

// linger lets other goroutines run before the loop sleeps: if they bring work, the
// sleep and the wake-up are saved. It does so again while a shard that owes an answer
// is busy. The reason is that a loop that blocks in epoll still holds its processor:
// the Go scheduler takes it away only when it next checks for long system calls, up to
// 20 ms later, and without another processor the shard would stand still until then.
// Yielding once is not enough: the scheduler may come back to the loop at once, and a
// shard with much to do does a little each time.
func (l *loop) linger() []syscall.EpollEvent {
	for yields := 1; ; yields++ {
		runtime.Gosched()
		events := l.poll.Peek()
		if len(events) > 0 || !l.inbox.Empty() || yields == mostYields || l.calls == 0 || !l.busy(l.asked) {
			return events
		}
	}
}

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
	var events []syscall.EpollEvent
	if l.server.crowded() {
		events = l.poll.Park(ms)
	} else {
		l.poll.Unpark()
		events = l.poll.Wait(ms)
	}
	l.asleep.Store(false)
	return events
}

// turn begins the turn of another connection.
func (l *loop) turn() { l.share, l.effort = sendShare, effortShare }

// effortShare bounds the work on commands of one connection before its loop's
// others have their turn: a command that goes into a run costs 1. One that the
// session runs by itself costs effortAlone.
const (
	effortShare = 2048
	effortAlone = 8
)

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
		l.makeParts()
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

// forget stops serving a connection. Its socket stays open until ended.
func (l *loop) forget(c *Conn) {
	l.conns[c.fd] = nil
	if l.latest.conn == c {
		l.latest.conn = nil
	}
	l.timers.remove(c)
}

// ended is called when nothing of a connection is left in any shard. The
// socket is closed last: a client that sees it close finds its jobs released.
func (l *loop) ended(c *Conn) {
	l.server.left(c)
	if c.tls != nil {
		c.tls.Farewell()
	}
	syscall.Close(c.fd)
	l.server.acceptor.Left()
	l.open--
	l.figures.connections.Store(int64(l.open))
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
		c.close()
	}
	return !busy && l.open == 0 && l.idle()
}
