package generator

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"sync/atomic"
	"time"

	"beanfield/tools/bench/load"
	"beanfield/tools/bench/machine"
	"beanfield/tools/bench/result"
	"beanfield/tools/bench/socket"
	"beanfield/tools/bench/talk"
	"beanfield/tools/server"
)

// A Target is the server to be loaded.
type Target struct {
	Addr  string
	Queue string      // of its queue service
	TLS   string      // of the same over TLS
	PID   int         // 0: not known; then CPU and memory are not measured
	Owned bool        // started for this run: nobody else uses it
	Disk  server.Disk // with its files; empty: not known
}

// Dial connects, with TLS if so. The client is for a conversation before a loop drives the connection.
func (t *Target) Dial(secured bool) (conn net.Conn, over *socket.TLS, c talk.Client, err error) {
	addr := t.Addr
	if secured {
		addr = t.TLS
	}
	if conn, err = socket.Dial(addr); err != nil || !secured {
		return conn, nil, talk.NewClient(conn, talk.StreamPiece), err
	}
	if over, err = socket.Secure(conn); err != nil {
		conn.Close()
		return nil, nil, c, err
	}
	return conn, over, talk.NewClient(over, talk.StreamPiece), nil
}

// Settings are how a measurement is made, as opposed to what is sent.
type Settings struct {
	Wait   Wait
	Filled bool          // the backlog is there already
	Settle time.Duration // how long a server has before its memory is read
	Say    func(format string, args ...any)
}

// A run is one measurement. Times are nanoseconds since base.
type run struct {
	target   Target
	load     *load.Load
	tube     string // of all connections; empty: the load's
	single   bool   // one connection is served between two looks
	wait     Wait
	base     time.Time
	payload  *Payload
	loop     *loop
	begin    int64 // the measurement begins
	end      int64 // and ends, and no new work is begun
	inFlight int64 // jobs put and not yet reserved, or pushed and committed, where roles are apart
	came     int64 // when the last job was delivered
	abort    atomic.Bool
	replies  atomic.Int64

	first, last machine.Moment // the measurement's edges
}

func (r *run) now() int64 { return int64(time.Since(r.base)) }

func (r *run) moment(now int64) machine.Moment {
	return machine.MomentOf(r.target.PID, r.target.Disk, now)
}

// Generate sends a load to a server and measures what that costs it.
func Generate(ctx context.Context, t Target, ld load.Load, set Settings) (*result.Result, error) {
	if !set.Filled {
		if err := FillBacklog(ctx, t.Addr, &ld, set.Say); err != nil {
			return nil, err
		}
	}
	r := &run{target: t, load: &ld, wait: set.Wait, base: time.Now()}
	defer r.close()
	var check *audit
	var err error
	if t.Owned {
		if check, err = startAudit(ctx, t.Addr); err != nil {
			return nil, err
		}
	}
	if err := r.connect(); err != nil {
		return nil, err
	}
	if err := r.drive(ctx, set.Say); err != nil {
		return nil, err
	}
	total, err := r.total()
	if err != nil {
		return nil, err
	}
	r.close()
	if check != nil && total.missed == 0 {
		if err := check.finish(ctx, total); err != nil {
			return nil, err
		}
	}
	if !t.Owned {
		if err := ClearLeftovers(ctx, t.Addr, &ld); err != nil {
			return nil, err
		}
	}
	return r.result(total)
}

// connect opens the connections.
func (r *run) connect() (err error) {
	q := newRequests(r.load)
	q.key = uint64(r.base.UnixNano())
	r.payload = q.payload
	if r.loop, err = newLoop(r); err != nil {
		return err
	}
	conns := r.load.Connections
	if r.load.Pushes() {
		conns = r.load.Producers
		for i := range r.load.Connections - conns {
			if err := r.addConsumer(i); err != nil {
				return err
			}
		}
	}
	for i := range conns {
		if err := r.addConn(i, q); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) addConn(i int, q *requests) error {
	wire, secured, talk, err := r.target.Dial(r.load.TLS)
	if err != nil {
		return err
	}
	if r.tube != "" {
		err = talk.MoveTo(r.tube)
	} else {
		err = chooseTubes(talk, i, r.load)
	}
	if err != nil {
		return errors.Join(err, wire.Close())
	}
	fd, err := socket.Raw(wire)
	if err != nil {
		return err
	}
	l := r.loop
	c := &conn{loop: l, plan: r.plan(i, q), random: rand.New(rand.NewPCG(r.load.Seed, uint64(i+2)))}
	if c.wire, err = l.wires.Add(fd, secured, c); err != nil {
		return err
	}
	l.conns = append(l.conns, c)
	// Only producers have a timetable; workers wait for their jobs.
	if _, worker := c.plan.(workerPlan); !worker {
		l.paced = append(l.paced, c)
	}
	return nil
}

// chooseTubes has the connection use its tube, and watch it or all of them. The
// socket still blocks.
func chooseTubes(c talk.Client, i int, ld *load.Load) error {
	role := i
	if ld.Apart() && i >= ld.Producers {
		role = i - ld.Producers
	}
	own := loadTube(role % ld.Tubes)
	if err := c.Say("use "+own, "USING "+own); err != nil {
		return err
	}
	for t := range ld.Tubes {
		if name := loadTube(t); ld.WatchAll || name == own {
			if err := c.Say("watch "+name, "WATCHING "); err != nil {
				return err
			}
		}
	}
	return c.Say("ignore default", "WATCHING ")
}

// drive runs the loop, and prints a line a second until it is done.
func (r *run) drive(ctx context.Context, say func(string, ...any)) error {
	r.begin = r.now() + int64(r.load.Warmup)
	r.end = r.begin + int64(r.load.Duration)
	done := make(chan error, 1)
	go func() { done <- r.loop.drive() }()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	defer context.AfterFunc(ctx, func() { r.abort.Store(true) })()
	for before := int64(0); ; {
		select {
		case err := <-done:
			return errors.Join(err, ctx.Err())
		case <-tick.C:
			replies := r.replies.Load()
			say("%5.1f s %10d ops/s", float64(r.now())/1e9, replies-before)
			before = replies
		}
	}
}

// total is what was counted, once the loop is done.
func (r *run) total() (*Tally, error) {
	switch {
	case !r.loop.tally.closed && r.end > r.begin:
		return nil, ErrNothing // others had the processor all that time
	case !r.loop.tally.closed:
		return nil, errors.New("the run ended before the measurement did; is the warm-up too long?")
	}
	return &r.loop.tally, errors.Join(r.first.Err, r.last.Err)
}

func (r *run) close() {
	if r.loop != nil {
		r.loop.wires.Close()
	}
}
