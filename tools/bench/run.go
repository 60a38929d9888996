package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"
)

// A target is the server to be loaded.
type target struct {
	addr  string
	pid   int  // 0: not known; then nothing is said of CPU and memory
	echo  bool // sends back what it gets
	owned bool // started for this run: nobody else uses it
}

// Settings are how a measurement is made, as opposed to what is sent.
type settings struct {
	threads  int
	spin     bool          // never wait in epoll: only with a processor of one's own
	syscalls bool          // count the server's system calls after the measurement
	settle   time.Duration // given to a server before its memory is read
	calm     time.Duration // wait so long at most for a quiet machine
	say      func(format string, args ...any)
}

// A run is one measurement. Times are nanoseconds since base.
type run struct {
	target   target
	load     *load
	spin     bool
	maxJobs  int64 // a loop's share
	base     time.Time
	payload  *payload
	loops    []*loop
	begin    int64        // the measurement begins
	end      atomic.Int64 // and ends
	stop     atomic.Int64 // no new work is begun; later than end while system calls are counted
	abort    atomic.Bool
	inFlight atomic.Int64 // jobs put and not yet reserved, where roles are apart
	quiet    atomic.Int32 // loops whose producers have ended
	progress []atomic.Int64

	first, last moment // the measurement's edges
}

// A moment is what was used by then, by the server, by the generator, by all.
type moment struct {
	at     int64
	server usage
	self   time.Duration
	busy   time.Duration
	err    error
}

func (r *run) now() int64 { return int64(time.Since(r.base)) }

func (r *run) moment(at int64) moment {
	m := moment{at: at}
	var errs [3]error
	m.server, errs[0] = usageOf(r.target.pid)
	m.self, errs[1] = ownCPU()
	m.busy, errs[2] = machineBusy()
	m.err = errors.Join(errs[:]...)
	return m
}

func (r *run) opened(now int64) { r.first = r.moment(now) }
func (r *run) closed(now int64) { r.last = r.moment(now) }

// finish ends the measurement and the load before their time.
func (r *run) finish(now int64) {
	r.end.Store(min(now, r.end.Load()))
	r.stop.Store(min(now, r.stop.Load()))
}

// measure runs a load against a server.
func measure(ctx context.Context, t target, ld load, set settings) (*result, error) {
	if err := ld.check(); err != nil {
		return nil, err
	}
	if ld.Kind == kindRestart {
		return nil, errors.New("restart needs -server: what runs is not ended")
	}
	if ld.Kind == kindNeighbour {
		return measureNeighbour(ctx, t, ld, set)
	}
	if ld.Kind == kindMemory || ld.Kind == kindIdle {
		return measureMemory(ctx, t, ld, set)
	}
	if !t.echo {
		if err := fillBacklog(ctx, t.addr, &ld, set.say); err != nil {
			return nil, err
		}
	}
	r := &run{target: t, load: &ld, spin: set.spin, maxJobs: int64(ld.MaxJobs / set.threads), base: time.Now()}
	r.progress = make([]atomic.Int64, set.threads)
	defer r.close()
	var check *audit
	var err error
	if t.owned && !t.echo {
		if check, err = startAudit(t.addr); err != nil {
			return nil, err
		}
	}
	if err := r.connect(set.threads); err != nil {
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
		if err := check.finish(total); err != nil {
			return nil, err
		}
	}
	if !t.owned && !t.echo {
		if err := clearLeftovers(t.addr, &ld); err != nil {
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
		fd, err := dialSocket(r.target.addr)
		if err != nil {
			return err
		}
		c := &conn{fd: fd, plan: r.plan(i, q), random: rand.New(rand.NewPCG(r.load.Seed, uint64(i+2)))}
		l := r.loops[i%threads]
		if !r.target.echo {
			err = c.chooseTubes(i, r.load)
		}
		if err = errors.Join(err, l.add(c)); err != nil {
			return err
		}
		// Workers that wait for jobs have no timetable: the producers have.
		if _, worker := c.plan.(workerPlan); !worker {
			l.paced = append(l.paced, c)
		}
	}
	return nil
}

// chooseTubes has the connection use its tube, and watch it or all of them. The
// socket still blocks.
func (c *conn) chooseTubes(i int, ld *load) error {
	role := i
	if ld.apart() && i >= ld.Producers {
		role = i - ld.Producers
	}
	own := loadTube(role % ld.Tubes)
	if err := converse(c.fd, "use "+own, wordUsing); err != nil {
		return err
	}
	for t := range ld.Tubes {
		if name := loadTube(t); ld.WatchAll || name == own {
			if err := converse(c.fd, "watch "+name, wordWatching); err != nil {
				return err
			}
		}
	}
	return converse(c.fd, "ignore default", wordWatching)
}

// drive runs the loops, tells how they get on, and has system calls counted.
func (r *run) drive(ctx context.Context, set settings) (*syscallCount, error) {
	r.begin = r.now() + int64(r.load.Warmup)
	r.end.Store(r.begin + int64(r.load.Duration))
	r.stop.Store(r.end.Load())
	if set.syscalls {
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
	calls := make(chan *syscallCount, 1)
	go func() {
		var n *syscallCount
		if set.syscalls {
			n = r.countSyscalls(ctx, done, set.say)
			r.stop.Store(r.now())
		}
		calls <- n
	}()
	r.watch(ctx, done, set.say)
	<-done
	n := <-calls
	return n, errors.Join(append(errs, ctx.Err())...)
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
func (r *run) total() (*tally, error) {
	sum := new(tally)
	for i, l := range r.loops {
		if !l.tally.closed && r.end.Load() > r.begin {
			return nil, errNothing // others had the processor all that time
		}
		if !l.tally.closed {
			return nil, errors.New("the run ended before the measurement did; is the warm-up too long?")
		}
		sum.add(&l.tally)
		for _, o := range r.loops[:i] {
			if id, found := l.ledger.overlap(o.ledger); found {
				return nil, fmt.Errorf("job %d was handed out twice", id)
			}
		}
	}
	return sum, errors.Join(r.first.err, r.last.err)
}

func (r *run) close() {
	for _, l := range r.loops {
		l.close()
	}
	r.loops = nil
}
