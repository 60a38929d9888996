package figures

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"

	"beanfield/tools/faults/crew"
	"beanfield/tools/nodes"
)

// Options say what to measure, and with what.
type Options struct {
	Figure string
	Binary string
	Dir    string // exists
	Times  int    // how often, or how many rounds
	Jobs   int    // that are there all the time
	Body   int    // bytes
	Rate   int    // of jobs a second; 0: as many as can be
	Busy   int    // loops beside it
	Shards int
	Warm   bool
	Lasts  time.Duration // of a round
	Calm   time.Duration // before something is done to a node that is well: leaders of lanes find their machines
	Cut    time.Duration // how long a cut of the network lasts
	Out    io.Writer

	Proxied  bool // the nodes reach each other through a network that can be cut
	Profiles bool // nodes tell what is on their heaps
}

// figures are all that can be measured.
var figures = map[string]func(context.Context, Options) error{
	"fail-over": failOver, "all-killed": allKilled, "follower": follower, "hand-over": handOver, "throughput": throughput, "latency": latency,
	"isolated": isolated, "partial": partial, "one-way": oneWay, "memory": memory, "catch-up": catchUp, "newcomer": newcomer, "stores": stores,
}

// Names are those of the figures.
func Names() []string {
	var names []string
	for name := range figures {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Measure measures one figure.
func Measure(ctx context.Context, o Options) error {
	f := figures[o.Figure]
	if f == nil {
		return fmt.Errorf("no figure %q: want one of %v", o.Figure, Names())
	}
	return f(ctx, o)
}

func (o Options) say(format string, args ...any) { fmt.Fprintf(o.Out, format+"\n", args...) }

// A site is a set of nodes that serve, and how its clients find the right one.
type site struct {
	*nodes.Cluster
	seeker *crew.Seeker
	dice   *rand.Rand
	wide   bool // jobs are of many tubes, and so of all shards, and cannot be compressed
}

const (
	startWithin = 2 * time.Minute
	// wellWithin bounds the wait for a node that was away: it reads what it has missed.
	wellWithin = 10 * time.Minute
	patience   = 30 * time.Second
)

// open starts nodes of these names.
func (o Options) open(ctx context.Context, names ...string) (*site, error) {
	dir := filepath.Join(o.Dir, fmt.Sprintf("%d-nodes", len(names)))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	c, err := nodes.New(nodes.Options{Binary: o.Binary, Dir: dir, Names: names, Shards: o.Shards, Warm: o.Warm, Proxied: o.Proxied, Profiles: o.Profiles})
	if err != nil {
		return nil, err
	}
	s := &site{Cluster: c, seeker: &crew.Seeker{Patience: patience}, dice: rand.New(rand.NewPCG(1, 1))}
	for _, n := range c.Nodes {
		s.seeker.Hosts = append(s.seeker.Hosts, crew.Host{Node: n.Name, Addr: n.Client})
	}
	if err := c.Start(); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	limited, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	if _, err := c.Serving(limited); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return s, nil
}

// well waits until all nodes could own the shards, and for calm, and returns the one that does.
func (s *site) well(ctx context.Context, calm time.Duration) (*nodes.Node, error) {
	ctx, cancel := context.WithTimeout(ctx, wellWithin)
	defer cancel()
	for {
		status, err := s.Status(ctx)
		if err == nil && status.Fit() == len(s.Nodes) && status.Owner() != "" {
			if calm == 0 {
				return s.Node(status.Owner()), nil
			}
			time.Sleep(calm)
			calm = 0
			continue
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("the nodes do not get well: %w: %w", ctx.Err(), err)
		case <-time.After(look):
		}
	}
}

// look is how often it is looked whether something has happened.
const look = 50 * time.Millisecond

// spread is the median and the worst of some times.
func spread(times []time.Duration) string {
	times = slices.Clone(times)
	slices.Sort(times)
	return fmt.Sprintf("median %v, worst %v of %d", times[len(times)/2].Round(100*time.Microsecond), times[len(times)-1].Round(100*time.Microsecond), len(times))
}
