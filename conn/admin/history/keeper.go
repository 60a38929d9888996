package history

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"beanfield/router"
	"beanfield/shard/queue"
	"beanfield/storage/pace"
	"beanfield/storage/tally"
)

// Shards is what a Keeper needs of the router.
type Shards interface {
	Shards() int
	Look(ctx context.Context, shard int) (router.Figures, bool)
	Census(ctx context.Context, shard int, tell func([]queue.TubeFigures)) bool
}

// Look has the figures of all shards, or reports false if one has not got round to it when ctx ends.
func Look(ctx context.Context, s Shards) (all []router.Figures, ok bool) {
	for i := range s.Shards() {
		f, ok := s.Look(ctx, i)
		if !ok {
			return nil, false
		}
		all = append(all, f)
	}
	return all, true
}

// Options are what a Keeper is made with.
type Options struct {
	Shards Shards
	// Latency is how long commands took, by command, in steps of tally.Time; it may be nil.
	Latency func() map[string]*tally.Reading
	// Path is the file that keeps the history while the server is down; "" for none.
	Path string
	// Now is the clock; nil for time.Now.
	Now    func() time.Time
	Logger *slog.Logger
}

// Keeper takes the samples, in a goroutine of its own.
type Keeper struct {
	opts   Options
	mu     sync.Mutex // of charts
	charts *Charts    // nil until the file has been read
	stop   context.CancelFunc
	ended  chan struct{}

	failing bool  // the last save has failed
	saved   int64 // the slot of the day in which it was saved last
}

// patience is how long a sample waits for the shards.
const patience = 5 * time.Second

// Start begins to keep a history. It returns at once: what the file holds, and how long the
// disk takes to say it, delays nobody.
func Start(o Options) *Keeper {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	ctx, stop := context.WithCancel(context.Background())
	k := &Keeper{opts: o, stop: stop, ended: make(chan struct{})}
	go k.run(ctx)
	return k
}

// Stop saves the history, and ends the keeper. It returns an error if ctx ends before.
func (k *Keeper) Stop(ctx context.Context) error {
	if k == nil {
		return nil
	}
	k.stop()
	select {
	case <-k.ended:
		return nil
	case <-ctx.Done():
		return errors.Join(errors.New("history: the disk takes too long to save it"), ctx.Err())
	}
}

// Charts has the history; it is nil while it is read from the file. It belongs to the keeper.
func (k *Keeper) Charts() *Charts {
	if k == nil {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.charts
}

func (k *Keeper) run(ctx context.Context) {
	defer close(k.ended)
	b := k.restore()
	k.mu.Lock()
	k.charts = b
	k.mu.Unlock()
	k.saved = k.opts.Now().Unix() / Day.Step()
	for full := false; ; {
		if s := k.sample(ctx, b); s != nil {
			b.write(s)
			full = s.full()
		}
		if slot := k.opts.Now().Unix() / Day.Step(); slot != k.saved && !full {
			k.saved = slot
			k.save(b)
		}
		next := time.NewTimer(k.pause())
		select {
		case <-next.C:
		case <-ctx.Done():
			next.Stop()
			if !full {
				k.save(b)
			}
			return
		}
	}
}

// pause is how long it is until the next slot begins. A sample that came a little early is not
// followed by another one at once.
func (k *Keeper) pause() time.Duration {
	step := time.Duration(Hour.Step()) * time.Second
	d := step - time.Duration(k.opts.Now().UnixNano())%step
	if d < step/10 {
		d += step
	}
	return d
}

// restore reads what an earlier process has saved. Whatever is wrong with it, the server works
// (HI3).
func (k *Keeper) restore() *Charts {
	if k.opts.Path == "" {
		return newCharts()
	}
	b, err := load(k.opts.Path)
	if err != nil {
		k.opts.Logger.Warn("the history of the charts begins anew", "path", k.opts.Path, "error", err)
	}
	if b == nil {
		return newCharts()
	}
	return b
}

// save writes the file, and says so if that fails for the first time.
func (k *Keeper) save(b *Charts) {
	if k.opts.Path == "" {
		return
	}
	err := b.save(k.opts.Path)
	if err != nil && !k.failing {
		k.opts.Logger.Warn("the history of the charts cannot be saved", "path", k.opts.Path, "error", err)
	}
	k.failing = err != nil
}

// sample asks the shards, or returns nil if one does not answer.
func (k *Keeper) sample(ctx context.Context, b *Charts) *sample {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	s, ok := &sample{}, false
	if s.shards, ok = Look(ctx, k.opts.Shards); !ok {
		return nil
	}
	if k.opts.Latency != nil {
		for _, r := range k.opts.Latency() {
			s.commands.Add(r)
		}
	}
	s.at = k.opts.Now()
	if b.quiet(s) {
		return s
	}
	b.begin()
	for i := range s.shards {
		if !k.opts.Shards.Census(ctx, i, func(list []queue.TubeFigures) {
			b.meet(s, list)
			pace.StepBack()
		}) {
			return nil
		}
	}
	return s
}

// full says whether a disk has no room for jobs: then it has none for this.
func (s *sample) full() bool {
	for i := range s.shards {
		if s.shards[i].Log.Full {
			return true
		}
	}
	return false
}
