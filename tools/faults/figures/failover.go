package figures

import (
	"context"
	"fmt"
	"time"

	"beanfield/tools/nodes"
)

// failOver kills the owner, again and again.
func failOver(ctx context.Context, o Options) error {
	o.Jobs = max(o.Jobs, 2*o.Times*inFlight) // of which one is reserved each time
	s, err := o.open(ctx, nodes.Default...)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := s.fill(ctx, o); err != nil {
		return err
	}
	var times []time.Duration
	for n := range o.Times {
		owner, err := s.well(ctx, o.Calm)
		if err != nil {
			return err
		}
		begun := time.Now()
		owner.Kill()
		where, err := s.reserveSoon(ctx)
		if err != nil {
			return err
		}
		times = append(times, time.Since(begun))
		o.say("%d: node %s was killed, node %s gave a job after %v", n+1, owner.Name, where, times[n].Round(time.Millisecond))
		if err := owner.Start(); err != nil {
			return err
		}
	}
	o.say("fail-over with %d jobs, from kill -9 of the owner to the first reserve elsewhere: %s", o.Jobs, spread(times))
	return s.Stop()
}

// reserveSoon reserves a job, wherever that is possible first.
func (s *site) reserveSoon(ctx context.Context) (where string, err error) {
	ctx, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	for {
		c, host, err := s.seeker.Find(ctx, s.dice)
		if err != nil {
			return "", err
		}
		r, err := c.Ask("reserve-with-timeout 0")
		c.HangUp()
		if err == nil {
			if r.Word != "RESERVED" {
				return "", fmt.Errorf("node %s answers %q to a reserve", host.Node, r.Line)
			}
			return host.Node, nil
		}
	}
}

// follower kills a node that is not the owner, now the one and now the other.
func follower(ctx context.Context, o Options) error {
	return o.gaps(ctx, "another node than the owner was killed", func(s *site, n int, owner *nodes.Node) error {
		others := s.others(owner)
		victim := others[n%len(others)]
		victim.Kill()
		time.Sleep(settles)
		return victim.Start()
	})
}

// handOver has another node serve, by command.
func handOver(ctx context.Context, o Options) error {
	return o.gaps(ctx, "another node was told to serve", func(s *site, n int, owner *nodes.Node) error {
		for _, node := range s.Nodes {
			if node != owner {
				if _, err := node.Command(ctx, "cluster", "move", node.Name); err != nil {
					return err
				}
				break
			}
		}
		time.Sleep(settles)
		return nil
	})
}

// settles is how long the effects of what is done to a node are watched.
const settles = 3 * time.Second

// gaps measures the longest time between two acknowledged puts while something is done.
func (o Options) gaps(ctx context.Context, what string, do func(s *site, n int, owner *nodes.Node) error) error {
	s, err := o.open(ctx, nodes.Default...)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := s.fill(ctx, o); err != nil {
		return err
	}
	w := s.watch(ctx, o.Body)
	defer w.stop()
	var times []time.Duration
	for n := range o.Times {
		owner, err := s.well(ctx, o.Calm)
		if err != nil {
			return err
		}
		usual := w.longest()
		if err := do(s, n, owner); err != nil {
			return err
		}
		times = append(times, w.longest())
		o.say("%d: %s; the longest time between acknowledged puts was %v (before: %v)", n+1, what, times[n].Round(100*time.Microsecond), usual.Round(100*time.Microsecond))
	}
	o.say("%s, with %d jobs: longest time between acknowledged puts: %s", what, o.Jobs, spread(times))
	return nil
}
