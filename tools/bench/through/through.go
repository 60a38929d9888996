//go:build linux

package through

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"beanfield/tools/bench/load"
	"beanfield/tools/bench/measure"
	"beanfield/tools/nodes"
	"beanfield/tools/server"
)

// The goals: times the processor time of a direct command, and bytes for an idle connection at the node between.
const (
	singleGoal    = 1.6
	pipelinedGoal = 1.3
	idleGoal      = 3 << 10
)

// A run is one comparison.
type run struct {
	pairs, idle, storm int
	duration           time.Duration
	sealed             bool // the nodes use TLS among themselves
	cluster            *nodes.Cluster
	owner, between     *nodes.Node
	told               []string // what the last line says
}

// startWithin bounds the wait for a cluster.
const startWithin = time.Minute

// Main is bench through.
func Main(ctx context.Context, args []string) error {
	r := &run{}
	f := flag.NewFlagSet("bench through", flag.ContinueOnError)
	program := f.String("beanfield", "", "beanfield's `program`; default: built from this module")
	f.IntVar(&r.pairs, "pairs", 12, "pairs of measurements of each load, one direct and one through another node")
	f.DurationVar(&r.duration, "time", time.Second, "length of one measurement")
	f.BoolVar(&r.sealed, "tls", false, "nodes with certificates, which use TLS among themselves")
	f.IntVar(&r.idle, "idle", 9_000, "idle connections; each takes two descriptors of the node between")
	f.IntVar(&r.storm, "storm", 5_000, "clients of the node that is killed")
	if err := f.Parse(args); err != nil {
		return err
	}
	if err := server.RaiseFileLimit(); err != nil {
		return err
	}
	return server.Within("", func(dir string) (err error) {
		if *program == "" {
			if *program, err = server.Beanfield(ctx, dir, "-pgo=auto"); err != nil {
				return err
			}
		}
		return r.all(ctx, dir, *program)
	})
}

func (r *run) all(ctx context.Context, dir, program string) (err error) {
	if r.cluster, err = nodes.New(nodes.Options{Binary: program, Dir: dir, Sealed: r.sealed}); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.cluster.Close()) }()
	if err := r.cluster.Start(); err != nil {
		return err
	}
	starting, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	if r.owner, err = r.cluster.Serving(starting); err != nil {
		return err
	}
	r.between = r.others()[0]
	for _, part := range []func(context.Context) error{r.memory, r.hops, r.costs, r.reconnect} {
		if err := part(ctx); err != nil {
			return err
		}
	}
	fmt.Println(strings.Join(r.told, "; "))
	return nil
}

// others are the nodes that do not serve.
func (r *run) others() []*nodes.Node {
	return slices.DeleteFunc(slices.Clone(r.cluster.Nodes), func(n *nodes.Node) bool { return n == r.owner })
}

// target is a node as clients come to it. The processor time of all nodes counts.
func (r *run) target(n *nodes.Node) load.Target {
	t := load.Target{Addr: n.Client, PID: n.PID()}
	for _, m := range r.cluster.Nodes {
		if m != n {
			t.Peers = append(t.Peers, m.PID())
		}
	}
	return t
}

// tell prints a line, and has the last one say its end, too.
func (r *run) tell(what, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	fmt.Printf("%-40s %s\n", what, text)
	r.told = append(r.told, what+": "+text)
}

// against says how a figure stands against a goal.
func against(v, most float64) string {
	if v <= most {
		return fmt.Sprintf("goal %.4g", most)
	}
	return fmt.Sprintf("MISSES THE GOAL of %.4g", most)
}

// memory is that of idle connections, at the node between and at the one that serves. It comes first: what a load has
// taken and given back would serve for connections.
func (r *run) memory(ctx context.Context) error {
	ld := load.Of(load.Load{Kind: load.Idle, Connections: r.idle})
	t := r.target(r.between)
	before, err := server.UsageOf(r.owner.PID())
	if err != nil {
		return err
	}
	res, err := measure.Memory(ctx, t, ld, measure.Settle)
	if err != nil {
		return err
	}
	after, err := server.UsageOf(r.owner.PID())
	each := res.Server.BytesEach
	r.tell("memory of an idle connection", "%.0f bytes at the node between (%s), %.0f at the one that serves; %d connections",
		each, against(each, idleGoal), float64(after.RSS-before.RSS)/float64(r.idle), r.idle)
	return err
}

// median is of numbers that it sorts.
func median(v []float64) float64 {
	if len(v) == 0 {
		return math.NaN()
	}
	slices.Sort(v)
	return v[len(v)/2]
}
