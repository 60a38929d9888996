package figures

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"beanfield/tools/nodes"
)

// What nodes log.
const (
	follows = "msg=following"
	stands  = "about to take the shards over"
)

// allKilled kills all nodes at once, and starts them again, beside loops that keep the processors busy. One was away
// while jobs were put, so that they are all on the lanes.
func allKilled(ctx context.Context, o Options) error {
	s, err := o.open(ctx, nodes.Default...)
	if err != nil {
		return err
	}
	defer s.Close()
	s.wide = true
	var times, engines []time.Duration
	most := 0
	for n := range o.Times {
		owner, err := s.well(ctx, o.Calm)
		if err != nil {
			return err
		}
		s.others(owner)[0].Kill()
		if err := s.fill(ctx, o); err != nil {
			return err
		}
		size := s.lanes(owner)
		s.Kill()
		busy, rest := context.WithCancel(ctx)
		defer rest()
		for range o.Busy {
			go func() { _ = exec.CommandContext(busy, "sh", "-c", "while :; do :; done").Run() }()
		}
		begun := time.Now()
		if err := s.Start(); err != nil {
			return err
		}
		where, err := s.serves(ctx)
		if err != nil {
			return err
		}
		times = append(times, time.Since(begun))
		rest()
		stood := s.logged(begun, stands)
		most = max(most, len(stood))
		engines = append(engines, s.logged(begun, follows)[0])
		o.say("%d: with %.1f MB of lanes node %s gave a job after %v; the first had found its streams after %v; %d candidacies",
			n+1, float64(size)/1e6, where, times[n].Round(time.Millisecond), engines[n], len(stood))
	}
	o.say("all killed with %d jobs of %d bytes beside %d loops, from the start to the first reserve: %s; until streams were found: %s; at most %d candidacies",
		o.Jobs, o.Body, o.Busy, spread(times), spread(engines), most)
	return nil
}

// serves reserves a job of any tube, wherever that is possible first.
func (s *site) serves(ctx context.Context) (where string, err error) {
	ctx, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	for {
		c, host, err := s.seeker.Find(ctx, s.dice)
		if err != nil {
			return "", err
		}
		_, err = c.Ask("watch figures-0")
		if err == nil {
			_, err = c.Ask("reserve-with-timeout 0")
		}
		c.HangUp()
		if err == nil {
			return host.Node, nil
		}
	}
}

// logged are the times after begun at which any of the nodes has logged something, the first one first.
func (s *site) logged(begun time.Time, what string) (after []time.Duration) {
	for _, node := range s.Nodes {
		text, _ := os.ReadFile(node.Log())
		for line := range strings.Lines(string(text)) {
			stamp, _, _ := strings.Cut(strings.TrimPrefix(line, "time="), " ")
			if at, err := time.Parse(time.RFC3339, stamp); err == nil && at.After(begun) && strings.Contains(line, what) {
				after = append(after, at.Sub(begun))
			}
		}
	}
	slices.Sort(after)
	return after
}

// lanes is how long the lanes' files of a node are.
func (s *site) lanes(n *nodes.Node) (size int64) {
	files, _ := filepath.Glob(filepath.Join(n.Data(), "cluster", "engine", "jetstream", "*", "streams", "*", "msgs", "*.blk"))
	for _, name := range files {
		if is, err := os.Stat(name); err == nil {
			size += is.Size()
		}
	}
	return size
}
