package push

import (
	"context"
	"fmt"
	"time"

	"beanfield/tools/bench/generator"
	"beanfield/tools/bench/load"
	"beanfield/tools/bench/machine"
	"beanfield/tools/bench/result"
	"beanfield/tools/bench/socket"
)

// A run is one measurement. Times are nanoseconds since base.
type run struct {
	load       *load.Load
	target     generator.Target
	wait       generator.Wait
	base       time.Time
	loop       *socket.Loop
	producers  []*producer
	committers []*committer
	body       []byte
	ledger     *generator.Ledger
	inFlight   uint64
	put        uint64 // jobs that were put
	came       uint64 // of those, pushed
	done       uint64 // of those, committed
	stopping   bool
	vacant     int64 // nanoseconds of looks that found nothing

	first, last             machine.Moment
	firstDone, lastDone     uint64
	firstVacant, lastVacant int64
}

const (
	loopEvents = 64
	// longestLook is longer than it takes to look for events and find none.
	longestLook = int64(10e3)
	// longestWait bounds a wait so that the end of the measurement is noticed.
	longestWait = int64(1e6)
	// patience is how long items may take to come after the last put.
	patience = int64(10e9)
)

// Measure puts jobs and has them pushed, as fast as that goes.
func Measure(ctx context.Context, t generator.Target, ld load.Load, set generator.Settings) (*result.Result, error) {
	r := &run{
		load: &ld, target: t, wait: set.Wait, base: time.Now(), ledger: generator.NewLedger(), inFlight: uint64(ld.InFlight()),
		body: generator.NewPayload(ld.Body, ld.Depth, ld.Seed).Body(),
	}
	var err error
	if r.loop, err = socket.NewLoop(loopEvents); err != nil {
		return nil, err
	}
	defer r.loop.Close()
	if err := r.connect(); err != nil {
		return nil, err
	}
	if err := r.drive(ctx); err != nil {
		return nil, err
	}
	return r.result()
}

func (r *run) connect() error {
	for i := range r.load.Connections - r.load.Producers {
		if err := r.addConsumer(i); err != nil {
			return err
		}
	}
	batch := puts(r.body, r.load.Depth)
	for range r.load.Producers {
		fd, err := r.target.DialTube(tube)
		if err != nil {
			return err
		}
		p := &producer{run: r, batch: batch, jobs: r.load.Depth, most: r.load.Depth * max(1, r.load.Ahead)}
		if p.wire, err = r.loop.Add(fd, nil, p); err != nil {
			return err
		}
		r.producers = append(r.producers, p)
	}
	return nil
}

func (r *run) addConsumer(user int) error {
	fd, err := watch(r.target.Queue, user, r.load.Window)
	if err != nil {
		return err
	}
	c := &consumer{run: r}
	if c.wire, err = r.loop.Add(fd, nil, c); err != nil || r.load.Window == 0 {
		return err
	}
	if fd, err = socket.Dial(r.target.Queue); err != nil {
		return err
	}
	c.committer = newCommitter(r, user)
	r.committers = append(r.committers, c.committer)
	c.committer.wire, err = r.loop.Add(fd, nil, c.committer)
	return err
}

func (r *run) now() int64 { return int64(time.Since(r.base)) }

// drive puts until the measurement is over, and then waits for the items that have not come.
func (r *run) drive(ctx context.Context) error {
	begin := r.now() + int64(r.load.Warmup)
	end := begin + int64(r.load.Duration)
	looked := r.now()
	for measuring := false; !r.stopping || r.done < r.put; {
		wait := int64(0)
		if r.wait == generator.WaitEpoll {
			wait = longestWait
		}
		n, err := r.loop.Turn(wait)
		if err != nil {
			return err
		}
		now := r.now()
		if n == 0 {
			r.vacant += min(now-looked, longestLook)
		}
		looked = now
		switch {
		case !measuring && now >= begin && now < end:
			measuring = true
			r.first, r.firstDone, r.firstVacant = machine.MomentOf(r.target.PID, r.target.Disk, now), r.done, r.vacant
		case now >= end && !r.stopping:
			r.last, r.lastDone, r.lastVacant = machine.MomentOf(r.target.PID, r.target.Disk, now), r.done, r.vacant
			r.stopping = true
			err = r.finish()
		case now >= end+patience:
			err = fmt.Errorf("of %d jobs that were put, %d were pushed and %d are done", r.put, r.came, r.done)
		}
		if err == nil {
			err = ctx.Err()
		}
		for _, p := range r.producers {
			if err == nil {
				err = p.goOn()
			}
		}
		if err != nil {
			return err
		}
	}
	if r.came != r.put {
		return fmt.Errorf("%d jobs were put, and %d were pushed", r.put, r.came)
	}
	return nil
}

// finish has everything committed.
func (r *run) finish() error {
	for _, c := range r.committers {
		if err := c.goOn(); err != nil {
			return err
		}
	}
	return nil
}

// result is about items: an operation is an item that was put, pushed and committed.
func (r *run) result() (*result.Result, error) {
	ops := r.lastDone - r.firstDone
	if ops == 0 || r.first.At == 0 || r.last.At <= r.first.At {
		return nil, generator.ErrNothing
	}
	res := result.Between(r.load, string(r.wait), r.target.PID, ops, &r.first, &r.last)
	res.GeneratorCPU = result.OwnShare(&r.first, &r.last, r.lastVacant-r.firstVacant)
	return res, nil
}
