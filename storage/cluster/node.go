package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"beanfield/storage/cluster/members"
	"beanfield/storage/cluster/ownership"
	"beanfield/storage/cluster/partition"
	"beanfield/storage/cluster/transfer"
	"beanfield/storage/jetstream"
	"beanfield/storage/tally"
)

// ErrClosed says that the node was closed.
var ErrClosed = errors.New("cluster: the node is closed")

// Node is one of the machines.
type Node struct {
	o       Options
	started time.Time
	server  *jetstream.Server // nil with a site's own engine
	sound   func() error      // what has become of it
	space   func(dir string) (free, all uint64, err error)
	watch   *partition.Watch
	joined  atomic.Bool // the engine has joined the others once
	// from when on this node has heard the others, and neither a beat nor a duplicate, while it had no place among them
	quietSince atomic.Int64
	placed     atomic.Bool // it has one
	lanes      atomic.Pointer[[]string]
	rests      atomic.Bool            // the engine does
	missing    atomic.Pointer[string] // which stream is; "" if none
	conn       *jetstream.Conn        // for records
	talk       *jetstream.Conn        // for messages between nodes
	bulk       *jetstream.Conn        // for checkpoints
	hears      *nats.Subscription     // the questions of others; nil: it hears none
	desk       *transfer.Server
	begins     *beginning                    // how the cluster does, if it is new
	table      atomic.Pointer[members.Table] // the newest that this node knows
	moves      atomic.Int64                  // when something has moved in the lanes for a change; 0: never
	deciding   sync.Mutex                    // held while a table is decided
	todo       atomic.Pointer[string]        // what the change under way waits for, at the owner
	knows      atomic.Bool                   // it is more than what the configuration says
	since      uint64                        // which table has let this node in
	promised   bool                          // that is what its promises say, and it knows no table
	// it does not know yet that it is a member: until then it is nobody to the others, and says nothing by itself
	stranger   atomic.Bool
	generation int        // of the streams
	one        sync.Mutex // held by whoever fetches a checkpoint
	copies     Copies

	replicas []*replica
	kept     *promises
	appends  tally.Spread
	length   atomic.Uint64 // of a record, about

	mu     sync.Mutex
	mail   []func(now time.Duration) // what the loop is to do; nil when it has ended
	closed bool
	keeps  []ownership.Kept
	wake   chan struct{}
	write  chan struct{} // wakes the keeper
	steer  chan struct{}
	change chan struct{}   // wakes the changer
	ctx    context.Context // until the node ends
	end    context.CancelFunc
	failed chan struct{} // closed when this process cannot be a node any more
	why    error         // that it is closed for
	fails  sync.Once
	begun  sync.WaitGroup
	came   chan *Term            // one that nobody has taken yet
	blank  atomic.Pointer[blank] // nodes that are to be shown something
	stops  sync.Once

	// The loop's own.
	election  *ownership.Election
	term      *Term         // until it has ended
	fault     string        // what this process ends with, and that has been told
	unopened  time.Duration // until then it does not try again to serve from damaged copies
	showAt    time.Duration
	owned     time.Duration // when somebody owned the shards last
	takeovers []Takeover    // the last ones
	serving   string        // what the server was told last
	leaders   []string      // whose engines may lead lanes, when the steerer was told last
	epochs    []uint64      // in which it has owned the shards last; nil if its copies were replaced since
}

func newNode(o Options) *Node {
	ctx, end := context.WithCancel(context.Background())
	n := &Node{
		ctx: ctx, end: end,
		o: o, sound: func() error { return nil }, space: space, started: time.Now(), wake: make(chan struct{}, 1),
		write: make(chan struct{}, 1), steer: make(chan struct{}, 1),
		change: make(chan struct{}, 1),
		failed: make(chan struct{}), came: make(chan *Term, 1),
	}
	n.todo.Store(new(string))
	return n
}

// now is the time of this process, which only goes forward.
func (n *Node) now() time.Duration { return time.Since(n.started) }

// begin starts the goroutines.
func (n *Node) begin() {
	for _, run := range []func(){n.loop, n.keeper, n.steerer, n.changer} {
		n.begun.Go(run)
	}
}

// shut has nobody begin anything any more.
func (n *Node) shut() {
	n.mu.Lock()
	n.closed = true
	n.mu.Unlock()
	n.end()
}

// do gives the loop something to do. It says whether there is a loop.
func (n *Node) do(f func(now time.Duration)) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		return false
	}
	n.mail = append(n.mail, f)
	nudge(n.wake)
	return true
}

// ask has the loop do something, and waits until it has.
func (n *Node) ask(f func(now time.Duration)) error {
	done := make(chan struct{})
	if !n.do(func(now time.Duration) { f(now); close(done) }) {
		return ErrClosed
	}
	select {
	case <-done:
		return nil
	case <-n.ctx.Done():
		return ErrClosed
	}
}

func nudge(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// tickEach is how often the loop looks at the time.
const tickEach = 20 * time.Millisecond

// loop is the goroutine that owns the election.
func (n *Node) loop() {
	tick := time.NewTicker(tickEach)
	defer tick.Stop()
	for {
		select {
		case <-n.ctx.Done():
			return
		case <-n.wake:
		case <-tick.C:
			n.tick()
		}
		n.mu.Lock()
		mail := n.mail
		n.mail = nil
		n.mu.Unlock()
		for _, f := range mail {
			f(n.now())
		}
		n.tellWhoServes()
	}
}

// tellWhoServes tells the server where the node that serves takes clients, if that has changed. The host is the
// one at which this node reaches the other one's engine.
func (n *Node) tellWhoServes() {
	at := ""
	if owner := n.election.Owner(); owner != n.o.Node {
		report, _, _ := n.election.Told(owner)
		host, _, err := net.SplitHostPort(n.addresses()[owner])
		if report.Link != 0 && err == nil {
			at = net.JoinHostPort(host, strconv.Itoa(report.Link))
		}
	}
	if at != n.serving && n.o.Serves != nil {
		n.serving = at
		n.o.Serves(at)
	}
}

func (n *Node) tick() {
	now, waits := n.now(), time.Duration(0)
	for _, r := range n.replicas {
		r.learn(now)
		r.report()
		if begun := time.Duration(r.appends.Load()); begun > 0 {
			waits = max(waits, now-begun)
		}
	}
	n.election.Waits, n.election.Low = waits, n.copies.Low()
	n.election.Tick(now)
	n.notice(now)
	n.look()
	switch err := n.sound(); {
	case err == nil || n.fault != "":
	case errors.Is(err, jetstream.ErrExpelled): // it may not have read the decision, and cannot any more
		n.fault = n.removed().Error()
		n.o.Logger.Error("this process ends", "error", n.fault)
		n.fail(n.removed())
	default:
		n.o.Logger.Error("this node's engine has failed: it hands over, if need be and another node can serve, and ends", "error", err)
		n.fault = "this node's engine has failed, and it is to be started anew: " + err.Error()
		n.fail(fmt.Errorf("%w: %w", ErrFailed, err))
	}
	n.election.Fault = cmp.Or(n.fault, n.tendCopies())
	if why := n.election.Alone(); why != "" {
		n.fail(fmt.Errorf("%w: most nodes have another version: %s", ErrRefused, why))
	}
	if names := n.leading(); !slices.Equal(names, n.leaders) {
		if n.leaders = names; names != nil {
			nudge(n.steer)
		}
	}
}

// look notes what others ask for without waiting for the loop.
func (n *Node) look() {
	var b *blank
	if epochs := n.election.Epochs(); epochs != nil {
		n.epochs = epochs
		if lives := n.election.Blank(); lives != nil {
			b = &blank{epochs, lives}
		}
	}
	n.blank.Store(b)
	n.show(n.now())
}

// received takes a message from another node.
func (n *Node) received(data []byte) {
	m := ownership.Decode(data)
	if n.watch.Duplicate() {
		return // it is for the other one
	}
	n.watch.Sign(m.From)
	if !n.placed.Load() {
		// a duplicate may have promised something: it is listened for anew
		if m.Kind == ownership.Beat || m.From == n.o.Node {
			n.quietSince.Store(int64(n.now()))
		}
		return
	}
	n.do(func(now time.Duration) {
		n.election.Receive(now, m)
	})
}

// ErrFailed says that a copy of this node, or its engine, takes nothing more: the process is to be started
// again, when its disk works.
var ErrFailed = errors.New("cluster: this node's copy of a shard, or its engine, has failed: it must be started " +
	"again, on a disk that works")

// lives is how long a process that fails lives at least. Whoever starts it again may do that only a few times
// in ten seconds.
const lives = 5 * time.Second

// fail notes what this process cannot be a node with. Term tells it.
func (n *Node) fail(why error) {
	n.fails.Do(func() {
		n.why = why
		time.AfterFunc(lives-n.now(), func() { close(n.failed) })
	})
}

// Term waits until this node owns all shards, and may hand out jobs. ErrFailed and ErrRefused say that
// it never will.
func (n *Node) Term(ctx context.Context) (*Term, error) {
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-n.ctx.Done():
			return nil, ErrClosed
		case <-n.failed:
			return nil, n.why
		case t := <-n.came:
			if t.taken() {
				return t, nil
			}
		}
	}
}

// successorLimit is how long a node that has handed over waits until the other one serves, and flushLimit until its
// engine has what it has said.
const (
	successorLimit = 2 * time.Second
	flushLimit     = 300 * time.Millisecond
)

// Close hands over what the node owns, and ends it. The server is told by Leave. The engine goes on until
// another node owns the shards, because it may lead lanes, which that one needs.
func (n *Node) Close(ctx context.Context) error {
	leaving := false
	err := n.ask(func(now time.Duration) { leaving = n.election.Close(now) })
	if leaving {
		if err = n.wait(ctx, func() bool { return !n.election.InTerm() }); err == nil {
			limit, cancel := context.WithTimeout(ctx, successorLimit)
			_ = n.wait(limit, func() bool { return n.election.Owner() != "" })
			cancel()
		}
	}
	if n.talk != nil {
		_ = n.talk.FlushTimeout(flushLimit)
	}
	n.stops.Do(n.stop)
	if errors.Is(err, ErrClosed) {
		return nil
	}
	return err
}

// wait waits until something is so, as the loop sees it.
func (n *Node) wait(ctx context.Context, ok func() bool) error {
	for {
		is := false
		if err := n.ask(func(time.Duration) { is = ok() }); err != nil || is {
			return err
		}
		if err := pause(ctx, tickEach); err != nil {
			return err
		}
	}
}

// pause lets some time pass, unless the context ends.
func pause(ctx context.Context, long time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(long):
		return nil
	}
}
