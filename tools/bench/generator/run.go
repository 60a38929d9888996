package generator

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
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
	Echo  bool        // sends back what it gets
	Owned bool        // started for this run: nobody else uses it
	Disk  server.Disk // with its files; empty: not known
}

// Dial connects, with TLS if so. The client is for a conversation while the socket still
// blocks.
func (t *Target) Dial(secured bool) (fd int, over *socket.TLS, c talk.Client, err error) {
	addr := t.Addr
	if secured {
		addr = t.TLS
	}
	if fd, err = socket.Dial(addr); err != nil || !secured {
		return fd, nil, talk.NewClient(socket.Blocking{FD: fd}, talk.StreamPiece), err
	}
	if over, err = socket.Secure(fd); err != nil {
		socket.CloseAll([]int{fd})
		return -1, nil, c, err
	}
	return fd, over, talk.NewClient(over, talk.StreamPiece), nil
}

// DialTube connects for what uses and watches one tube alone. The socket still blocks.
func (t *Target) DialTube(tube string) (int, error) {
	fd, _, c, err := t.Dial(false)
	if err != nil {
		return -1, err
	}
	if err := c.MoveTo(tube); err != nil {
		socket.CloseAll([]int{fd})
		return -1, err
	}
	return fd, nil
}

// Settings are how a measurement is made, as opposed to what is sent.
type Settings struct {
	Threads  int
	Wait     Wait
	Filled   bool          // the backlog is there already
	Syscalls bool          // count the server's system calls after the measurement
	Settle   time.Duration // how long a server has before its memory is read
	Calm     time.Duration // the longest wait for a quiet machine
	Say      func(format string, args ...any)
}

// A run is one measurement. Times are nanoseconds since base.
type run struct {
	target   Target
	load     *load.Load
	tube     string // of all connections; empty: the load's
	single   bool   // one connection is served between two looks
	wait     Wait
	maxJobs  int64 // a loop's share
	base     time.Time
	payload  *Payload
	loops    []*loop
	begin    int64        // the measurement begins
	end      atomic.Int64 // and ends
	stop     atomic.Int64 // no new work is begun; later than end while system calls are counted
	abort    atomic.Bool
	inFlight atomic.Int64 // jobs put and not yet reserved, where roles are apart
	quiet    atomic.Int32 // loops whose producers have ended
	progress []atomic.Int64

	first, last machine.Moment // the measurement's edges
}

func (r *run) now() int64 { return int64(time.Since(r.base)) }

func (r *run) opened(now int64) { r.first = machine.MomentOf(r.target.PID, r.target.Disk, now) }

func (r *run) closed(now int64) { r.last = machine.MomentOf(r.target.PID, r.target.Disk, now) }

// finish ends the measurement and the load before their time.
func (r *run) finish(now int64) {
	r.end.Store(min(now, r.end.Load()))
	r.stop.Store(min(now, r.stop.Load()))
}

// Generate sends a load to a server and measures what that costs it.
func Generate(ctx context.Context, t Target, ld load.Load, set Settings) (*result.Result, error) {
	if !t.Echo && !set.Filled {
		if err := FillBacklog(ctx, t.Addr, &ld, set.Say); err != nil {
			return nil, err
		}
	}
	r := &run{target: t, load: &ld, wait: set.Wait, maxJobs: int64(ld.MaxJobs / set.Threads), base: time.Now()}
	r.progress = make([]atomic.Int64, set.Threads)
	defer r.close()
	var check *audit
	var err error
	if t.Owned && !t.Echo {
		if check, err = startAudit(ctx, t.Addr); err != nil {
			return nil, err
		}
	}
	if err := r.connect(set.Threads); err != nil {
		return nil, err
	}
	calls, err := r.drive(ctx, set)
	if err != nil {
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
	if !t.Owned && !t.Echo {
		if err := ClearLeftovers(ctx, t.Addr, &ld); err != nil {
			return nil, err
		}
	}
	return r.result(total, calls)
}

// connect opens the connections, one loop after the other, so that each loop gets
// its share of producers and workers.
func (r *run) connect(threads int) error {
	q := newRequests(r.load)
	r.payload = q.payload
	for i := range threads {
		l, err := newLoop(r, i)
		if err != nil {
			return err
		}
		r.loops = append(r.loops, l)
	}
	for i := range r.load.Connections {
		fd, secured, talk, err := r.target.Dial(r.load.TLS)
		if err != nil {
			return err
		}
		l := r.loops[i%threads]
		c := &conn{loop: l, plan: r.plan(i, q), random: rand.New(rand.NewPCG(r.load.Seed, uint64(i+2)))}
		switch {
		case r.tube != "":
			err = talk.MoveTo(r.tube)
		case !r.target.Echo:
			err = chooseTubes(talk, i, r.load)
		}
		var added error
		c.wire, added = l.wires.Add(fd, secured, c)
		if err := errors.Join(err, added); err != nil {
			return err
		}
		l.conns = append(l.conns, c)
		// Only producers have a timetable; workers wait for their jobs.
		if _, worker := c.plan.(workerPlan); !worker {
			l.paced = append(l.paced, c)
		}
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

// drive runs the loops, prints their progress, and has system calls counted.
func (r *run) drive(ctx context.Context, set Settings) (calls float64, err error) {
	r.begin = r.now() + int64(r.load.Warmup)
	r.end.Store(r.begin + int64(r.load.Duration))
	r.stop.Store(r.end.Load())
	if set.Syscalls {
		r.stop.Store(math.MaxInt64)
	}
	errs := make([]error, len(r.loops))
	var wg sync.WaitGroup
	for i, l := range r.loops {
		wg.Go(func() {
			if errs[i] = l.drive(); errs[i] != nil {
				r.abort.Store(true)
			}
		})
	}
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	counted := make(chan float64, 1)
	go func() {
		n := 0.0
		if set.Syscalls {
			s := machine.Syscalls{PID: r.target.PID, Answers: r.replies, Say: set.Say}
			n = s.PerAnswer(ctx, time.Duration(r.end.Load()-r.now())+100*time.Millisecond, done)
			r.stop.Store(r.now())
		}
		counted <- n
	}()
	r.watch(ctx, done, set.Say)
	<-done
	calls = <-counted
	return calls, errors.Join(append(errs, ctx.Err())...)
}

// watch prints a line a second until the loops are done.
func (r *run) watch(ctx context.Context, done <-chan struct{}, say func(string, ...any)) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	before := int64(0)
	cancelled := ctx.Done()
	for {
		select {
		case <-done:
			return
		case <-cancelled:
			r.abort.Store(true)
			cancelled = nil
		case <-tick.C:
			replies := r.replies()
			say("%5.1f s %10d ops/s", float64(r.now())/1e9, replies-before)
			before = replies
		}
	}
}

func (r *run) replies() int64 {
	n := int64(0)
	for i := range r.progress {
		n += r.progress[i].Load()
	}
	return n
}

// total adds up the loops, once they are done.
func (r *run) total() (*Tally, error) {
	sum := new(Tally)
	for i, l := range r.loops {
		if !l.tally.closed && r.end.Load() > r.begin {
			return nil, ErrNothing // others had the processor all that time
		}
		if !l.tally.closed {
			return nil, errors.New("the run ended before the measurement did; is the warm-up too long?")
		}
		sum.Add(&l.tally)
		for _, o := range r.loops[:i] {
			if id, found := l.ledger.overlap(o.ledger); found {
				return nil, fmt.Errorf("job %d was handed out twice", id)
			}
		}
	}
	return sum, errors.Join(r.first.Err, r.last.Err)
}

func (r *run) close() {
	for _, l := range r.loops {
		l.wires.Close()
	}
	r.loops = nil
}
