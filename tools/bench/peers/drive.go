//go:build linux

package peers

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"beanfield/tools/bench/load"
)

// A body begins with the time of its put or, with a delay, when it is due, and with a number of its own.
const bodySize, stampSize, headSize = 100, 8, 16

// errStarved says that no job came for very long.
var errStarved = errors.New("no job came")

// A drive is one measurement of a running peer.
type drive struct {
	peer   *Peer
	at     *running
	load   load.Load
	base   time.Time
	stop   atomic.Bool // no new work begins
	failed atomic.Pointer[error]

	mu      sync.Mutex
	landed  sync.Cond // jobs in flight have become fewer
	flying  int       // jobs that were put, or are about to be, and are not done; where others take them
	counted load.Histogram
	ops     uint64
	begin   int64 // what ends from then on counts
	until   int64
}

func (d *drive) now() int64 { return int64(time.Since(d.base)) }

// bodies are new jobs, stamped.
func bodies(n int, stamp int64) [][]byte {
	all := make([][]byte, n)
	for i := range all {
		all[i] = body(stamp)
	}
	return all
}

func body(stamp int64) []byte {
	b := make([]byte, bodySize)
	binary.LittleEndian.PutUint64(b, uint64(stamp))
	binary.LittleEndian.PutUint64(b[stampSize:], bodiesMade.Add(1))
	copy(b[headSize:], tail(b))
	return b
}

// bodiesMade makes each body another one: a sorted set keeps one of two that are equal.
var bodiesMade atomic.Uint64

// texts are what bodies end with, one after the other: drawn at random, and the same text comes back only after a
// megabyte, so that no server can make them much shorter.
var texts = func() []byte {
	all := make([]byte, 12345*(bodySize-headSize))
	rand.NewChaCha8([32]byte{}).Read(all)
	return all
}()

// tail is what a body ends with, by its number.
func tail(b []byte) []byte {
	const size = bodySize - headSize
	at := binary.LittleEndian.Uint64(b[stampSize:]) % uint64(len(texts)/size) * size
	return texts[at : at+size]
}

// stamp checks a body.
func stamp(b []byte) (int64, error) {
	if len(b) != bodySize || !bytes.Equal(b[headSize:], tail(b)) {
		return 0, fmt.Errorf("a job came with another body: %.120q", b)
	}
	return int64(binary.LittleEndian.Uint64(b)), nil
}

// A worker counts apart, and adds it when it ends.
type worker struct {
	*drive
	c         client
	latencies load.Histogram
	ops       uint64
}

// step is n operations that end now.
func (w *worker) step(begun int64, n int) {
	now := w.now()
	if now >= w.begin && now < w.until {
		w.latencies.Record(now-begun, uint64(n))
		w.ops += uint64(n)
	}
}

// run has every connection do something until it ends, and gives its first error.
func (d *drive) run(ctx context.Context, n int, dial func(i int) (client, error), do func(w *worker) error) error {
	defer context.AfterFunc(ctx, d.end)()
	var all sync.WaitGroup
	workers := make([]*worker, n)
	for i := range workers {
		c, err := dial(i)
		if err != nil {
			return err
		}
		defer c.close()
		workers[i] = &worker{drive: d, c: c}
	}
	for _, w := range workers {
		all.Go(func() {
			defer w.c.close() // others get what it was sent and did not take
			if err := do(w); err != nil {
				d.failed.CompareAndSwap(nil, &err)
				d.end()
				// Nobody waits for what will not come.
				for _, w := range workers {
					w.c.close()
				}
			}
			d.count(w)
		})
	}
	all.Wait()
	if err := d.failed.Load(); err != nil {
		return errors.Join(*err, d.at.Died())
	}
	return ctx.Err()
}

func (d *drive) count(w *worker) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.counted.Add(&w.latencies)
	d.ops += w.ops
}

func (d *drive) dial(i int) (client, error) { return d.peer.dial(d.at.Launched, i) }

// cycles puts, takes and is done, again and again: so many jobs at once as the load is deep.
func (w *worker) cycles() error {
	n := w.load.Depth
	for !w.stop.Load() && w.now() < w.until {
		begun := w.now()
		if err := w.c.put(bodies(n, begun)); err != nil {
			return err
		}
		w.step(begun, n)
		begun = w.now()
		for left := n; left > 0; {
			all, err := w.c.take(left)
			if err != nil {
				return err
			}
			for _, b := range all {
				if _, err := stamp(b); err != nil {
					return err
				}
			}
			left -= len(all)
		}
		w.step(begun, n)
		begun = w.now()
		if err := w.c.done(); err != nil {
			return err
		}
		w.step(begun, n)
	}
	return nil
}

// fill puts jobs that stay, as many as it can in a time. After an eighth of it, one that would need twice as long gives
// up.
func (d *drive) fill(ctx context.Context, jobs int, within time.Duration) (int, error) {
	var left, put atomic.Int64
	left.Store(int64(jobs))
	begun := time.Now()
	slow := func() bool {
		took := time.Since(begun)
		return took >= within || took > within/8 && put.Load()*16 < int64(jobs)
	}
	err := d.run(ctx, d.load.Connections, d.dial, func(w *worker) error {
		for !w.stop.Load() && !slow() {
			n := fillDepth
			if over := left.Add(-fillDepth); over <= -fillDepth {
				return nil
			} else if over < 0 {
				n += int(over)
			}
			if err := w.c.put(bodies(n, 0)); err != nil {
				return err
			}
			put.Add(int64(n))
		}
		return nil
	})
	return int(put.Load()), err
}

const fillDepth = 100

// flightMost bounds the jobs between their put and their end, where others take them.
const flightMost = 4000

// apart has some connections put while others take what they put. An operation is a job from its put, or from when it
// is due, to its arrival.
func (d *drive) apart(ctx context.Context, take func(i int) (client, error), put func(w *worker) error) error {
	takers := make([]*worker, d.load.Connections-d.load.Producers)
	var all sync.WaitGroup
	var over atomic.Bool
	failed := make(chan error, len(takers))
	for i := range takers {
		c, err := take(i + d.load.Producers)
		if err != nil {
			return err
		}
		defer sync.OnceFunc(c.close)()
		takers[i] = &worker{drive: d, c: c}
	}
	for _, w := range takers {
		all.Go(func() {
			if err := w.takes(); !over.Load() {
				failed <- err
				d.end()
			}
		})
	}
	err := d.run(ctx, d.load.Producers, d.dial, put)
	if err == nil {
		err = d.land()
	}
	over.Store(true)
	for _, w := range takers {
		w.c.close()
	}
	all.Wait()
	for _, w := range takers {
		d.count(w)
	}
	select {
	case failure := <-failed:
		err = errors.Join(err, failure, d.at.Died())
	default:
	}
	return err
}

// end ends everything early.
func (d *drive) end() {
	d.stop.Store(true)
	d.fly(0)
}

// fly adds jobs to those in flight, or takes some away.
func (d *drive) fly(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.flying += n
	if n <= 0 {
		d.landed.Broadcast()
	}
}

// roomFor waits while there are many jobs in flight, and adds some.
func (d *drive) roomFor(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for d.flying > flightMost && !d.stop.Load() {
		d.landed.Wait()
	}
	d.flying += n
}

// land waits until no job is in flight any more, or somebody has failed.
func (d *drive) land() error {
	late := time.AfterFunc(patience, d.end)
	defer late.Stop()
	d.mu.Lock()
	defer d.mu.Unlock()
	for d.flying > 0 && !d.stop.Load() {
		d.landed.Wait()
	}
	if d.flying > 0 {
		return fmt.Errorf("%w: %d were put and did not come", errStarved, d.flying)
	}
	return nil
}

// takes takes jobs until its connection fails or is closed, and says how.
func (w *worker) takes() error {
	for {
		all, err := w.c.take(max(1, w.load.Window/2))
		if err != nil {
			return err
		}
		for _, b := range all {
			begun, err := stamp(b)
			if err != nil {
				return err
			}
			w.step(begun, 1)
		}
		if err := w.c.done(); err != nil {
			return err
		}
		w.fly(-len(all))
	}
}

// puts puts without pause while not too many are in flight.
func (w *worker) puts() error {
	for !w.stop.Load() && w.now() < w.until {
		w.roomFor(w.load.Depth)
		if err := w.c.put(bodies(w.load.Depth, w.now())); err != nil {
			return err
		}
	}
	return nil
}

// later puts jobs with a delay, on a timetable.
func (w *worker) later() error {
	c, ok := w.c.(delayer)
	if !ok {
		return errUnable
	}
	pause := time.Duration(float64(time.Second) / w.load.Rate * float64(w.load.Producers))
	for next := time.Now(); !w.stop.Load() && w.now() < w.until-int64(delayed); next = next.Add(pause) {
		time.Sleep(time.Until(next))
		w.fly(1)
		if err := c.delay(bodies(1, w.now()+int64(delayed)), delayed); err != nil {
			return err
		}
	}
	return nil
}

// delayed is how long.
const delayed = time.Second
