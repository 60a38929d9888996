package forward

import (
	"context"
	"log/slog"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"

	"beanfield/conn"
)

// DefaultWait is how long a client waits for an owner unless somebody says otherwise.
const DefaultWait = 10 * time.Second

// Options are what a Forwarder is made with.
type Options struct {
	Cluster Cluster
	Wait    time.Duration // how long a client waits for an owner
	Loops   int           // 0: one for each processor but one
	Left    func()        // is called once for each client that was welcomed, and not given to a host (FW5)
	Logger  *slog.Logger
}

// Forwarder takes clients at a node that does not serve, and passes them on to the one that does.
type Forwarder struct {
	proofs *proofs
	left   func()
	log    *slog.Logger
	lines  []*line
	wait   atomic.Int64
	next   atomic.Uint64 // line of the next client
	open   atomic.Int64  // clients

	refusals, failures conn.Seldom
}

// New starts the loops of a forwarder that knows no owner.
func New(o Options) (*Forwarder, error) {
	p, err := o.Cluster.proofs()
	if err != nil {
		return nil, err
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	f := &Forwarder{proofs: p, left: o.Left, log: o.Logger}
	f.SetWait(o.Wait)
	loops, err := newLoops(o.Loops)
	if err != nil {
		return nil, err
	}
	for _, l := range loops {
		n := &line{loop: l, forwarder: f, share: max(1, mostShakes/len(loops)),
			enough: (heldEnough + len(loops) - 1) / len(loops), rows: map[*door]*row{}}
		n.renew()
		l.line = n
		f.lines = append(f.lines, n)
		go l.run()
	}
	return f, nil
}

// newLoops makes loops that do not run yet.
func newLoops(n int) (all []*loop, err error) {
	if n == 0 {
		n = max(1, runtime.GOMAXPROCS(0)-1)
	}
	for range n {
		l, err := newLoop()
		if err != nil {
			for _, l := range all {
				l.poll.Close()
			}
			return nil, err
		}
		all = append(all, l)
	}
	return all, nil
}

// SetWait changes how long clients wait for an owner, also that of those who wait.
func (f *Forwarder) SetWait(d time.Duration) {
	f.wait.Store(int64(d))
	for _, n := range f.lines {
		n.post(func() {}) // it looks again who has waited for too long
	}
}

// Open is how many clients the forwarder has.
func (f *Forwarder) Open() int { return int(f.open.Load()) }

// door is the front end of an entrance.
type door struct {
	forwarder *Forwarder
	entrance  Entrance
}

// Over returns the front end that takes the clients of an entrance.
func (f *Forwarder) Over(e Entrance) conn.FrontEnd { return &door{f, e} }

// Welcome implements conn.FrontEnd.
func (d *door) Welcome(socket int, _ *conn.Peer) {
	f := d.forwarder
	f.open.Add(1)
	n := f.lines[f.next.Add(1)%uint64(len(f.lines))]
	p := &pair{client: end{fd: socket}, link: end{fd: -1}, door: d, left: f.leave}
	if !n.post(func() { n.arrive(p) }) {
		syscall.Close(socket)
		f.leave()
	}
}

func (f *Forwarder) leave() {
	f.open.Add(-1)
	f.left()
}

// each has all loops do something, and returns when all have done it.
func (f *Forwarder) each(do func(*line)) {
	for _, n := range f.lines {
		n.do(func() { do(n) })
	}
}

// Owner says at which address the node that serves has its link; "" if nobody is heard to serve. Clients that are
// passed on to another node are closed.
func (f *Forwarder) Owner(address string) {
	f.each(func(n *line) { n.setOwner(address) })
}

// Local says that this process serves: clients that wait, and those to come, are the host's. With nil it serves no
// more: when Local returns, no host that was named before is given anybody (FW9).
func (f *Forwarder) Local(h Host) {
	f.each(func(n *line) { n.setHost(h) })
}

// Close closes all clients. Until ctx ends, answers to what has been passed on already are waited for. No more clients
// come: the acceptor has been stopped before.
func (f *Forwarder) Close(ctx context.Context) {
	for _, n := range f.lines {
		n.post(n.leave)
	}
	for _, n := range f.lines {
		n.endWith(ctx)
	}
}
