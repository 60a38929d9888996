package conn

import (
	"errors"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
)

// Options are what an Acceptor is made with.
type Options struct {
	// MaxConnections is how many connections may be open at once, over all
	// front ends; further ones wait. 0 means as many as file descriptors allow.
	MaxConnections int
	Logger         *slog.Logger
}

// FrontEnd serves the clients that are welcomed to it.
type FrontEnd interface {
	// Welcome takes over the non-blocking socket of a client, and does not block. When the front
	// end has closed the socket it calls the acceptor's Left. from says who the client is if another
	// node has passed it on, so that the kernel knows only that node; nil: the kernel is asked (PeerOf).
	Welcome(socket int, from *Peer)
}

// Hesitant is a front end that at times wants no new clients. They wait in the kernel meanwhile.
type Hesitant interface {
	FrontEnd
	// Room returns nil if clients may come, otherwise a channel that is closed as soon as
	// they may.
	Room() <-chan struct{}
}

// Acceptor lets clients in from any number of listeners, and counts those that are
// connected.
type Acceptor struct {
	limit atomic.Int64 // on open; 0 for none
	log   *slog.Logger

	open   atomic.Int64  // clients with front ends (N1)
	short  atomic.Int32  // listeners that wait for a descriptor
	freed  chan struct{} // somebody has left while short was above 0 (N4)
	pauses Seldom        // such a wait: in a lasting shortage there is one for each client that leaves
	spare  spare

	stopping  chan struct{}   // closed by Stop
	mu        sync.Mutex      // of queue, listeners, and of closing stopping
	queue     []chan struct{} // who waits for a place; each is closed when it has been given one (N5)
	listeners []*os.File
	accepting sync.WaitGroup
}

// NewAcceptor makes an acceptor without listeners.
func NewAcceptor(o Options) (*Acceptor, error) {
	if o.MaxConnections < 0 {
		return nil, errors.New("conn: a negative limit on connections")
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	a := &Acceptor{
		log:   o.Logger,
		freed: make(chan struct{}, 1), stopping: make(chan struct{}),
	}
	a.limit.Store(int64(o.MaxConnections))
	a.spare.keep()
	return a, nil
}

// Limit changes how many connections may be open at once. If more are open already, they
// stay. What is negative counts as 0, no limit.
func (a *Acceptor) Limit(connections int) {
	a.limit.Store(int64(max(0, connections)))
	a.nudge()
}

// Open is how many clients are with front ends now.
func (a *Acceptor) Open() int { return int(a.open.Load()) }

// Admit hands a client over that has not come by a listener of the acceptor. While as many as allowed are open, or
// others wait, it waits for its turn among the listeners (N5), until done is closed; with nil it does not wait. If it
// reports false, the socket is still the caller's. Stop does not end it, but for its waits: the caller does, before
// the front end closes down.
func (a *Acceptor) Admit(f FrontEnd, socket int, from *Peer, done <-chan struct{}) bool {
	if !a.take() && (done == nil || !a.enter(done)) {
		return false
	}
	f.Welcome(socket, from)
	return true
}

// Left says that a client which was welcomed has left, and that its descriptor
// is free.
func (a *Acceptor) Left() {
	a.open.Add(-1)
	a.nudge()
}

// Stop ends accepting. When it returns nobody is welcomed any more (N3).
func (a *Acceptor) Stop() {
	a.mu.Lock()
	if !a.stopped() {
		close(a.stopping)
	}
	for _, l := range a.listeners {
		l.Close()
	}
	a.listeners = nil
	a.mu.Unlock()
	a.accepting.Wait()
	a.spare.release()
}

func (a *Acceptor) stopped() bool {
	select {
	case <-a.stopping:
		return true
	default:
		return false
	}
}

// awaitRoom waits until a front end wants clients, or until Stop.
func (a *Acceptor) awaitRoom(f FrontEnd) {
	h, ok := f.(Hesitant)
	for ok && !a.stopped() {
		room := h.Room()
		if room == nil {
			return
		}
		select {
		case <-room:
		case <-a.stopping:
		}
	}
}

// register notes a listener for Stop, unless that has been called.
func (a *Acceptor) register(l *os.File) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.stopped() {
		return false
	}
	a.listeners = append(a.listeners, l)
	a.accepting.Add(1)
	return true
}
