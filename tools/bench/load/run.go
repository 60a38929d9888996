//go:build linux

package load

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"sync/atomic"
	"time"

	"beanfield/conn/beanstalk/client"
	"beanfield/tools/bench/socket"
	"beanfield/tools/server"
)

// A Target is the server to be loaded, which has no other users.
type Target struct {
	Addr  string
	Queue string      // of its queue service
	TLS   string      // of the same over TLS
	PID   int         // 0: not known; then CPU and memory are not measured
	Peers []int       // other processes whose CPU counts as the server's: nodes of its cluster
	Disk  server.Disk // with its files; empty: not known
}

// TargetOf is a server that was started.
func TargetOf(s *server.Launched) Target {
	return Target{Addr: s.Addr, Queue: s.Queue, TLS: s.TLS, PID: s.PID(), Disk: s.Disk()}
}

// Dial connects, with TLS if so. The client is for a conversation before a loop drives the connection.
func (t *Target) Dial(secured bool) (conn net.Conn, over *socket.TLS, c *client.Client, err error) {
	addr := t.Addr
	if secured {
		addr = t.TLS
	}
	if conn, err = net.Dial("tcp", addr); err != nil || !secured {
		return conn, nil, client.On(conn, addr, patience), err
	}
	if over, err = socket.Secure(conn); err != nil {
		conn.Close()
		return nil, nil, nil, err
	}
	return conn, over, client.On(over, addr, patience), nil
}

// A Wait is how the generator waits for replies. It decides when a server gets the next requests, and what each reply
// costs it: the README of tools/bench has measurements.
type Wait string

const (
	// Spin never sleeps: it looks for replies without pause, and answers each with the connection's next batch at
	// once. It needs a processor of its own.
	Spin Wait = "spin"
	// Epoll sleeps until some connections have replies, reads them all, then sends all their next batches, and sleeps
	// again.
	Epoll Wait = "epoll"
)

// Settings are how a measurement is made, as opposed to what is sent.
type Settings struct {
	Wait   Wait
	Filled bool          // the backlog is there already
	Settle time.Duration // how long a server has before its memory is read
}

// A run is one measurement. Times are nanoseconds since base.
type run struct {
	target   Target
	load     *Load
	tube     string // of all connections; empty: the load's
	wait     Wait
	base     time.Time
	payload  *Payload
	loop     *loop
	begin    int64   // the measurement begins
	end      int64   // and ends, and no new work is begun
	step     float64 // of the timetable: ns from slot to slot; 0: there is none
	inFlight int64   // jobs put and not yet reserved, or pushed and committed, where roles are apart
	came     int64   // when the last job was delivered
	abort    atomic.Bool

	first, last Moment // the measurement's edges
}

func newRun(t Target, ld *Load, wait Wait) *run {
	r := &run{target: t, load: ld, wait: wait, base: time.Now(), payload: NewPayload(ld)}
	r.loop = &loop{run: r, ledger: NewLedger()}
	return r
}

func (r *run) now() int64 { return int64(time.Since(r.base)) }

// slot is when a connection's next batch is due, by the timetable. The slots go round the connections in turn. A
// connection that is late keeps its slots; its latencies count from the slot, not from when it was sent. That is the
// correction for coordinated omission: a server that stalls for a second is charged with every request that was due in
// that second, not only with the one that happened to be under way.
func (r *run) slot(c *conn) int64 {
	return r.begin - int64(r.load.Warmup) + int64(float64(c.slot)*r.step)
}

// Generate sends a load to a server and measures what that costs it.
func Generate(ctx context.Context, t Target, ld Load, set Settings) (*Result, error) {
	if !set.Filled {
		if err := FillBacklog(t.Addr, &ld); err != nil {
			return nil, err
		}
	}
	r := newRun(t, &ld, set.Wait)
	defer r.close()
	var before client.Document
	err := stats(t.Addr, "stats", func(d client.Document) error { before = d; return nil })
	if err == nil {
		err = r.connect(loopEvents)
	}
	if err == nil {
		err = r.drive(ctx)
	}
	if err != nil {
		return nil, err
	}
	r.close()
	if err := r.loop.tally.Audit(t.Addr, "stats", before); err != nil {
		return nil, err
	}
	return r.result()
}

// connect opens the connections. So many are served at most between two looks.
func (r *run) connect(most int) (err error) {
	if r.loop.wires, err = socket.NewLoop(most); err != nil {
		return err
	}
	conns := r.load.Connections
	if r.load.pushes() {
		conns = r.load.Producers
		for i := range r.load.Connections - conns {
			if err := r.addConsumer(i); err != nil {
				return err
			}
		}
	}
	for i := range conns {
		if err := r.addConn(i); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) addConn(i int) error {
	wire, secured, talk, err := r.target.Dial(r.load.TLS)
	if err != nil {
		return err
	}
	for _, command := range r.tubes(i) {
		if err == nil {
			var answer client.Reply
			if answer, err = talk.Ask(command); err == nil {
				err = answer.Want("USING", "WATCHING")
			}
		}
	}
	if err != nil {
		return errors.Join(err, wire.Close())
	}
	fd, err := socket.Raw(wire)
	if err != nil {
		return err
	}
	c := &conn{loop: r.loop, random: rand.New(rand.NewPCG(r.load.Seed, uint64(i+2))), slot: int64(i)}
	c.plan, c.role = r.plan(i)
	r.loop.conns = append(r.loop.conns, c)
	c.wire, err = r.loop.wires.Add(fd, secured, c)
	return err
}

// tubes are the commands with which a connection uses its tube, and watches it or all of them.
func (r *run) tubes(i int) (commands []string) {
	if r.load.apart() && i >= r.load.Producers {
		i -= r.load.Producers
	}
	own, watched := tube(loadPrefix, i%r.load.Tubes), r.load.Tubes
	if r.tube != "" {
		own, watched = r.tube, 0
	}
	commands = append(commands, "use "+own, "watch "+own)
	for t := range watched {
		if r.load.WatchAll {
			commands = append(commands, "watch "+tube(loadPrefix, t))
		}
	}
	return append(commands, "ignore default")
}

// drive runs the loop.
func (r *run) drive(ctx context.Context) error {
	r.begin = r.now() + int64(r.load.Warmup)
	r.end = r.begin + int64(r.load.Duration)
	if r.load.Rate > 0 {
		r.step = 1e9 * float64(r.load.batch()) / r.load.Rate
	}
	defer context.AfterFunc(ctx, func() { r.abort.Store(true) })()
	return errors.Join(r.loop.drive(), ctx.Err())
}

func (r *run) close() { r.loop.wires.Close() }

// ErrNothing need not mean a wrong server: another program may have had the processors.
var ErrNothing = errors.New("nothing was answered during the measurement")

// Again repeats a measurement that has found ErrNothing.
func Again(measure func() (*Result, error)) (res *Result, err error) {
	for range 10 {
		if res, err = measure(); !errors.Is(err, ErrNothing) {
			break
		}
	}
	return res, err
}

// result is what was measured, once the loop is done.
func (r *run) result() (*Result, error) {
	t := &r.loop.tally
	switch {
	case !t.closed && r.end <= r.begin:
		return nil, errors.New("the run ended before the measurement did; is the warm-up too long?")
	case !t.closed || t.ops == 0 || r.last.At <= r.first.At:
		return nil, ErrNothing
	}
	res := r.last.Since(&r.first, r.load, t.ops)
	latencies := &t.commands
	if r.load.one() {
		latencies = &t.deliveries
	}
	res.Latency = latencies.Latency()
	busy := int64(r.last.Self - r.first.Self)
	if r.wait == Spin {
		busy -= t.vacant
	}
	res.GeneratorCPU = max(0, float64(busy)/float64(r.last.At-r.first.At))
	if t.looks > 0 {
		res.Waiting = float64(t.events) / float64(t.looks)
	}
	return res, errors.Join(r.first.Err, r.last.Err)
}
