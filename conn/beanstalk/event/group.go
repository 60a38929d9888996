package event

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
)

// Shards are what the connections' commands go to.
type Shards interface {
	// Now is their clock, in nanoseconds.
	Now() int64
	// Busy says whether a shard is at work.
	Busy(shard int) bool
	// Push has a shard's log commit the turns for which it was not woken: in place, or by its own goroutine.
	Push(shard int, inPlace bool)
}

// Group is the loops of a server.
type Group struct {
	Shards Shards
	Log    *slog.Logger
	Left   func() // is called when a socket has been closed
	loops  []*Loop

	hasty atomic.Bool // while stopping: do not wait for answers that are due
	// relieving says that relieve is running, or about to.
	relieving atomic.Bool
	closing   sync.Once    // of the pollers
	bells     sync.RWMutex // held while a bell rings, and while closed becomes true
	closed    bool         // the pollers, or they are about to be

	next    atomic.Uint64 // loop of the next connection
	shaking atomic.Int64  // handshakes that have a goroutine
}

// Join makes a loop one of the group. All do so before Start.
func (g *Group) Join(l *Loop) error {
	if err := l.init(g); err != nil {
		return err
	}
	g.loops = append(g.loops, l)
	return nil
}

// Start runs the loops.
func (g *Group) Start() {
	for _, l := range g.loops {
		go l.Serve()
	}
}

// Next is the index of the loop whose turn it is to get a connection.
func (g *Group) Next() int { return int(g.next.Add(1) % uint64(len(g.loops))) }

// Cut has the loops close the connections of all clients that are there now, without another reply. It does not wait,
// and others may still come, until Shutdown (Cutting).
func (g *Group) Cut() {
	for _, l := range g.loops {
		l.Ask(func() {
			for _, c := range l.conns {
				if c != nil {
					c.cut()
				}
			}
		})
	}
}

// Shutdown gives replies that are due until ctx ends to be sent, and closes all connections. With a ctx that has ended,
// none is waited for. No more connections come.
func (g *Group) Shutdown(ctx context.Context) (err error) {
	if ctx.Err() != nil {
		g.hasty.Store(true)
	}
	g.stop()
	for _, l := range g.loops {
		select {
		case <-l.done:
			continue
		case <-ctx.Done():
		}
		err = ctx.Err()
		g.hasty.Store(true)
		g.stop()
		<-l.done
	}
	g.Close()
	return err
}

// stop has the loops that have not ended end.
func (g *Group) stop() {
	for _, l := range g.loops {
		if !l.Ended() {
			l.stop.Store(true)
			l.poll.Wake()
		}
	}
}

// Close closes the pollers: none before all loops have ended, or none has begun. Another file may get the number of a
// descriptor that is closed, and to wake a loop by it would write there.
func (g *Group) Close() {
	g.closing.Do(func() {
		g.bells.Lock()
		g.closed = true
		g.bells.Unlock()
		for _, l := range g.loops {
			l.poll.Close()
		}
	})
}

// Stuck is the first loop that has served one event since the last call, or -1. One goroutine calls it.
func (g *Group) Stuck() int {
	stuck := -1
	for i := len(g.loops) - 1; i >= 0; i-- { // all of them, as each call is a question
		if !g.loops[i].alive() {
			stuck = i
		}
	}
	return stuck
}

// Shakes is how many handshakes are being made.
func (g *Group) Shakes() int { return int(g.shaking.Load()) }

// partLength is how many places of its table a loop goes through at a time, in some 60 µs when each client is shown:
// most of that is the system call for the address.
const partLength = 128

// Each has the loops visit their connections, part after part, so that meanwhile a loop serves its clients, and sleeps,
// as ever. It reports false if ctx ends before; then a visit may still come.
func (g *Group) Each(ctx context.Context, visit func(Client)) bool {
	for _, l := range g.loops {
		for from, over := 0, false; !over; over = from == 0 {
			next := make(chan int, 1)
			l.Ask(func() { next <- l.visit(from, visit) })
			select {
			case from = <-next:
			case <-l.done: // it has no clients any more
				from = 0
			case <-ctx.Done():
				return false
			}
		}
	}
	return true
}

// visit goes through a part of the loop's connections, from a place in its table on. It returns the place where to go
// on, or 0 after the last.
func (l *Loop) visit(from int, visit func(Client)) (next int) {
	end := min(from+partLength, len(l.conns))
	for place := from; place < end; place++ {
		if c := l.At(place); c != nil {
			visit(c)
		}
	}
	if end < len(l.conns) {
		return end
	}
	return 0
}

// errand is what another goroutine, or the loop itself for later, has a loop do.
type errand struct {
	run  func()
	next *errand
}

// Ask has the loop run an errand. It rings its bell, unless its poller may be closed: another file may then have the
// number of the descriptor that wakes the loop.
func (l *Loop) Ask(run func()) {
	e := &errand{run: run}
	l.errands.Push(e, &e.next)
	l.group.bells.RLock()
	defer l.group.bells.RUnlock()
	if !l.group.closed {
		l.bell.Notify()
	}
}

// Figures are those of a loop. Rounds and events may be a few rounds old.
type Figures struct {
	Rounds, Events uint64
	Connections    int
}

// Figures are those of the loops. Any goroutine may call it.
func (g *Group) Figures() (list []Figures) {
	for _, l := range g.loops {
		list = append(list, Figures{l.published.rounds.Load(), l.published.events.Load(),
			int(l.published.connections.Load())})
	}
	return list
}

// Places is how many places the loop's table of connections has.
func (l *Loop) Places() int { return len(l.conns) }

// At is the client at a place, or nil.
func (l *Loop) At(place int) Client {
	if c := l.conns[place]; c != nil {
		return c.client
	}
	return nil
}
