package event

import (
	"fmt"
	"sync/atomic"

	"beanfield/conn/socket"
	"beanfield/shard"
	"beanfield/shard/stack"
	"beanfield/storage/pace"
)

// ReadBuffer is how much a loop reads at once. It also bounds what a blocked connection may have read ahead.
const ReadBuffer = 64 << 10

// Loop is a goroutine that serves its share of the connections. All of its connections use its buffers, so an idle one
// has none.
type Loop struct {
	// Out has the replies of the connection that is being served; valid until its turn is over (B3).
	Out []byte
	// Effort is the work on commands that the connection may still cause in this turn.
	Effort int
	// AfterRound is called at the end of each round.
	AfterRound func()

	group *Group
	poll  *socket.Poller
	// stepBack lets other goroutines run. It is pace.StepBack, except in tests.
	stepBack func()
	inbox    stack.Stack[Conn] // connections that want to be served, from any goroutine; each once, by its queued flag
	asleep   atomic.Bool       // or about to be: then wake has to write
	stop     atomic.Bool
	pulse    shard.Pulse // beats with each round of Serve
	done     chan struct{}
	bell     Conn                // a connection without a socket: in the inbox it means that there are errands
	errands  stack.Stack[errand] // from any goroutine

	// touched by the loop's goroutine only
	conns  []*Conn // by descriptor
	open   int     // connections not yet ended
	called *Conn   // taken out of the inbox, and not yet served
	timers timers
	buf    []byte // bytes just read; valid until the turn is over, or the next read (B3)
	// records are the same in TLS; likewise (B3)
	records socket.Buffers
	share   int // bytes that the connection may still send in this turn
	reads   int // that it has had
	bulk    int // bytes of large bodies since the loop has stepped back
	calls   int // connections that await a shard
	asked   int // the shard that the latest of these waits for
	pending pushes
	yielded int64  // when it last let other goroutines run before a sleep
	wakes   uint64 // pace.Wakes then
	// for the metrics
	rounds, events uint64

	// pushing is the number of the push that the loop's goroutine is in, 0 if none:
	// the goroutine that sets it back to 0 goes on with the loop. stranded is how many
	// goroutines that had the loop are still in a push.
	pushing  atomic.Uint64
	stranded atomic.Int32

	published struct { // read by the metrics
		rounds, events atomic.Uint64
		connections    atomic.Int64
	}
}

func (l *Loop) init(g *Group) (err error) {
	if l.poll, err = socket.NewPoller(); err != nil {
		return err
	}
	l.group, l.done, l.stepBack = g, make(chan struct{}), pace.StepBack
	l.buf, l.Out = make([]byte, ReadBuffer), make([]byte, 0, SendAt)
	l.bell.loop = l
	return nil
}

func (l *Loop) wake() {
	if l.asleep.Load() && l.asleep.CompareAndSwap(true, false) {
		l.poll.Wake()
	}
}

// alive says whether the loop has slept or ended, or has ended a round since the last call.
func (l *Loop) alive() bool { return l.pulse.Alive(!l.asleep.Load() && !l.Ended()) }

// Ended says that the loop has stopped, and has no connections any more.
func (l *Loop) Ended() bool {
	select {
	case <-l.done:
		return true
	default:
		return false
	}
}

// Asleep says that the loop waits for events, or is about to.
func (l *Loop) Asleep() bool { return l.asleep.Load() }

// Sound says what is wrong with a loop that should have no connections.
func (l *Loop) Sound() error {
	if timers := max(0, len(l.timers.heap)-1); l.calls != 0 || l.open != 0 || timers != 0 {
		return fmt.Errorf("a loop without connections believes in %d calls, %d connections and %d timers", l.calls, l.open,
			timers)
	}
	return nil
}

// moved counts the bytes of one read or send, if they were many.
func (l *Loop) moved(n int) {
	if n >= bulkPiece {
		l.bulk += n
	}
}

// bulkPiece tells large bodies and very long pipelines from a few small commands.
const bulkPiece = ReadBuffer / 2

// Turn begins the turn of another connection.
func (l *Loop) Turn() { l.share, l.Effort, l.reads = sendShare, EffortShare, 0 }

// EffortShare bounds the work on commands of one connection before its loop's
// others have their turn.
const EffortShare = 2048

// readsPerTurn bounds how many reads a busy client has before its loop serves others.
const readsPerTurn = 4

// SendAt is how much of replies may gather before they are written.
const SendAt = 64 << 10

// sendShare is how much one connection may send before its loop's others have
// their turn. Otherwise a client that reads as fast as the server sends would keep
// the loop for as long as a gigabyte takes.
const sendShare = 512 << 10

// count publishes how many connections there are, one more or one less.
func (l *Loop) count(more int) {
	l.open += more
	l.published.connections.Store(int64(l.open))
}

// publishEvery is after how many rounds a loop publishes its figures. To do so before each
// sleep would cost as much as a short command.
const publishEvery = 16

// round counts a round of the loop.
func (l *Loop) round(events int) {
	l.rounds++
	l.events += uint64(events)
	if l.rounds%publishEvery == 0 {
		l.published.rounds.Store(l.rounds)
		l.published.events.Store(l.events)
	}
}

// Spoil overwrites a buffer whose bytes nobody may use any more (B3). Only tests set it, before
// any loop runs: whoever still points into the buffer then sees something else.
var Spoil func([]byte)

// over ends a connection's turn, or what was done with one read.
func (l *Loop) over() {
	if Spoil != nil {
		l.spoilAll()
	}
}

func (l *Loop) spoilAll() {
	if len(l.Out) > 0 {
		panic("B3: a turn leaves replies behind")
	}
	for _, b := range [][]byte{l.buf, l.Out, l.records.Sealed, l.records.Record} {
		Spoil(b[:cap(b)])
	}
}
