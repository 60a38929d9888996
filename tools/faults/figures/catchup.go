package figures

import (
	"context"
	"errors"
	"fmt"
	"time"

	"beanfield/tools/nodes"
)

// catchUp has a follower miss jobs, now stopped as it stands and now killed.
func catchUp(ctx context.Context, o Options) error {
	if o.Jobs == 0 {
		return errNoJobs
	}
	s, err := o.open(ctx, nodes.Default...)
	if err != nil {
		return err
	}
	defer s.Close()
	s.wide = true
	for n := range o.Times {
		owner, err := s.well(ctx, o.Calm)
		if err != nil {
			return err
		}
		if err := s.absence(ctx, o, n, s.other(owner)); err != nil {
			return err
		}
	}
	return s.Stop()
}

// errNoJobs says that a figure is about jobs, of which there are none.
var errNoJobs = errors.New("how many jobs? (-jobs)")

// other is a node that is not the owner.
func (s *site) other(owner *nodes.Node) *nodes.Node {
	for _, node := range s.Nodes {
		if node != owner {
			return node
		}
	}
	return nil
}

// absence has one follower away while jobs are put, and watches it catch up.
func (s *site) absence(ctx context.Context, o Options, n int, away *nodes.Node) error {
	w := s.watch(ctx, o.Body)
	defer w.stop()
	time.Sleep(settles)
	usual := w.longest()
	how, back := "stopped", away.Resume
	if n%2 == 1 {
		how, back = "killed", away.Start
		away.Kill()
	} else if err := away.Pause(); err != nil {
		return err
	}
	begun := time.Now()
	if _, err := s.puts(ctx, o.Body, o.Jobs); err != nil {
		return err
	}
	made := time.Since(begun)
	without := w.longest()
	if err := back(); err != nil {
		return err
	}
	begun = time.Now()
	first, err := s.caughtUp(ctx, away)
	if err != nil {
		return err
	}
	all, reading := time.Since(begun), time.Since(first)
	o.say("%d: node %s was %s while %d jobs of %d bytes were put in %.1fs, %.0f/s; when it was back it had them after %.1fs, of which it read for %.1fs, %.0f/s: %.1f times as fast; "+
		"the longest time between acknowledged puts was %v with it, %v without it, and %v meanwhile", n+1, away.Name, how, o.Jobs, o.Body, made.Seconds(), float64(o.Jobs)/made.Seconds(),
		all.Seconds(), reading.Seconds(), float64(o.Jobs)/reading.Seconds(), made.Seconds()/reading.Seconds(), tenths(usual), tenths(without), tenths(w.longest()))
	return nil
}

func tenths(d time.Duration) time.Duration { return d.Round(100 * time.Microsecond) }

// nearly is how many records a node lacks that has caught up with an owner whose clients go on.
const nearly = 200

// caughtUp waits until a node that was away has what the others have. It returns when the node was seen
// to live, and to have read nothing yet, last.
func (s *site) caughtUp(ctx context.Context, away *nodes.Node) (first time.Time, err error) {
	ctx, cancel := context.WithTimeout(ctx, wellWithin)
	defer cancel()
	witness := s.other(away) // a node that was stopped does not know at once what it lacks
	begun, had := time.Now(), uint64(0)
	for first = begun; ; {
		status, err := witness.Status(ctx)
		if err == nil {
			n := status.Node(away.Name)
			if n.Alive && n.Fit && n.Lag < nearly {
				return first, nil
			}
			if has := sum(n.Places); first == begun || has <= had {
				first, had = time.Now(), has
			}
		}
		select {
		case <-ctx.Done():
			return first, fmt.Errorf("node %s does not catch up: %w: %w", away.Name, ctx.Err(), err)
		case <-time.After(look):
		}
	}
}

func sum(places []uint64) (all uint64) {
	for _, n := range places {
		all += n
	}
	return all
}
