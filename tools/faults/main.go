package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"beanfield/tools/server"
)

func main() {
	o := options{out: os.Stdout, scale: 1}
	flag.Uint64Var(&o.seed, "seed", 0, "what the schedule and the clients draw from; 0 draws one")
	flag.IntVar(&o.seeds, "seeds", 1, "so many runs, with this seed and those that follow")
	flag.IntVar(&o.faults, "faults", 6, "how many harms are done in a run")
	flag.DurationVar(&o.time, "time", 0, "no harm is done after so long, whatever -faults says; 0: no limit")
	flag.DurationVar(&o.within, "within", 60*time.Second, "how soon clients must get on after a harm")
	flag.StringVar(&o.only, "only", "", "do only these harms, by name, separated by commas")
	flag.IntVar(&o.clients, "clients", 6, "clients that put and reserve")
	flag.IntVar(&o.nodes, "nodes", 3, "nodes; 1 is a server without [cluster]")
	flag.IntVar(&o.shards, "shards", 2, "shards")
	flag.BoolVar(&o.warm, "warm", false, "followers keep the jobs in memory")
	flag.StringVar(&o.dir, "dir", "", "where the nodes' directories are made; it is kept (default: a temporary one, "+
		"kept after a failure)")
	flag.StringVar(&o.binary, "server", "", "the server (default: ./cmd/beanfield, built)")
	flag.StringVar(&o.another, "other", "", "another server, of another version: nodes are restarted with the one "+
		"and the other (harm upgrade)")
	flag.Parse()
	if o.seed == 0 {
		o.seed = 1 + rand.Uint64N(1e9)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := o.play(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// play does all runs, until one fails.
func (o options) play(ctx context.Context) error {
	o.own = o.dir == ""
	return server.Within(o.dir, func(dir string) error {
		o.dir = dir
		return o.runs(ctx)
	})
}

func (o options) runs(ctx context.Context) error {
	if o.binary == "" {
		built, err := server.Beanfield(ctx, o.dir)
		if err != nil {
			return err
		}
		o.binary = built
	}
	for n := range o.seeds {
		r := o
		r.seed = o.seed + uint64(n)
		r.dir = filepath.Join(o.dir, fmt.Sprintf("seed-%d", r.seed))
		if err := os.MkdirAll(r.dir, 0o755); err != nil {
			return err
		}
		if err := run(ctx, r); err != nil {
			return fmt.Errorf("seed %d: %w", r.seed, err)
		}
		if o.own {
			if err := os.RemoveAll(r.dir); err != nil {
				return err
			}
		}
	}
	return nil
}
