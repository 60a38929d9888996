package beanstalk

import (
	"sync/atomic"
	"syscall"

	"beanfield/conn/access"
	"beanfield/conn/beanstalk/protocol"
	"beanfield/conn/beanstalk/socket"
	"beanfield/conn/slow"
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
	bell     Conn                // a connection without a socket: in the inbox it means that there are errands
	errands  stack.Stack[errand] // from any goroutine

	// touched by the loop's goroutine only
	conns  []*Conn // by descriptor
	open   int     // connections not yet ended
	called *Conn   // taken out of the inbox, and not yet served
	timers timers
	buf    []byte // bytes just read; valid until over, or the next read (B3)
	out    []byte // replies of the connection that is being served; likewise
	// records are the same in TLS; likewise (B3)
	records socket.Buffers
	// command is the one that is being run. It could not be on the stack: the table has functions
	// that might keep it.
	command  protocol.Command
	untold   *slow.Refusal    // of it, without its line; nil for none
	arriving incoming         // likewise, if it has a body
	putLine  protocol.PutLine // and options of a put

	reserveLine protocol.ReserveLine // or of a reserve
	share       int                  // bytes that it may still send in this turn
	effort      int                  // work on commands that it may still cause
	bulk        int                  // bytes of large bodies since the loop has stepped back
	calls       int                  // connections whose call is under way
	asked       int                  // the shard that the latest of these calls waits for
	pending     pushes
	latest      latest
	yielded     int64  // when it last let other goroutines run before a sleep
	wakes       uint64 // pace.Wakes then
	runs        []*run // unused
	kept        int    // bytes that they keep
	// of the recheck: the descriptors that it has passed, and the rules when it began
	judged    int
	rechecked *access.Policy
	partly    *Conn    // of whose watched tubes a part is still to be looked at, and
	tubes     int      // how many have been
	late      bool     // one more is to follow
	ids       []uint64 // scratch: those that a command names
	joined    []byte   // a body that came in parts; valid until the next one (B3)
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

// moved counts the bytes of one read or send, if they were many.
func (l *loop) moved(n int) {
	if n >= bulkPiece {
		l.bulk += n
	}
}

// bulkPiece tells large bodies and very long pipelines from a few small commands.
const bulkPiece = readBuffer / 2

// turn begins the turn of another connection.
func (l *loop) turn() { l.share, l.effort = sendShare, effortShare }

// effortShare bounds the work on commands of one connection before its loop's
// others have their turn: a command that goes into a run costs 1. One that the
// session runs by itself costs effortAlone.
const (
	effortShare = 2048
	effortAlone = 8
)

// forget stops serving a connection. Its socket stays open until ended.
func (l *loop) forget(c *Conn) {
	l.conns[c.fd] = nil
	if l.latest.conn == c {
		l.latest.conn = nil
	}
	l.timers.remove(c)
}

// latest is the last run that was answered at once, while the time since then is not known.
type latest struct {
	conn  *Conn         // nil for none
	at    int64         // when its turn began
	verb  protocol.Verb // of its first command
	count int
	tube  string
	id    uint64
}

// sendAt is how much of replies may gather before they are written.
const sendAt = 64 << 10

// sendShare is how much one connection may send before its loop's others have
// their turn. Otherwise a client that reads as fast as the server sends would keep
// the loop for as long as a gigabyte takes.
const sendShare = 512 << 10

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

// spoil overwrites a buffer whose bytes nobody may use any more (B3). Only tests set it, before
// any loop runs: whoever still points into the buffer then sees something else.
var spoil func([]byte)

// over ends a connection's turn, or what was done with one read.
func (l *loop) over() {
	if spoil != nil {
		l.spoilAll()
	}
}

func (l *loop) spoilAll() {
	if len(l.out) > 0 {
		panic("B3: a turn leaves replies behind")
	}
	for _, b := range [][]byte{l.buf, l.out, l.records.Sealed, l.records.Record} {
		spoil(b[:cap(b)])
	}
}
