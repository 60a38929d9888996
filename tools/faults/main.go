package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"syscall"
	"time"

	"beanfield/tools/server"
)

func main() {
	o := options{out: os.Stdout, scale: 1, nodes: 3}
	flag.Uint64Var(&o.seed, "seed", 0, "what the schedule and the clients draw from; 0 draws one")
	flag.IntVar(&o.faults, "faults", 6, "how many harms are done in a run")
	flag.DurationVar(&o.time, "time", 0, "no harm is done after so long, whatever -faults says; 0: no limit")
	flag.DurationVar(&o.within, "within", 60*time.Second, "how soon clients must get on after a harm")
	flag.DurationVar(&o.gap, "gap", 0, "how long clients may be without service while a majority of the nodes is "+
		"well; 0: that is only told")
	flag.StringVar(&o.only, "only", "", "do only these harms, by name, separated by commas")
	flag.StringVar(&o.dir, "dir", "", "where the nodes' directories are made; it is kept (default: a temporary one, "+
		"kept after a failure)")
	flag.StringVar(&o.binary, "server", "", "the server's program (default: it is built)")
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

// play builds the server, if none is named, and does a run.
func (o options) play(ctx context.Context) error {
	return server.Within(o.dir, func(dir string) (err error) {
		o.dir = dir
		if o.binary == "" {
			o.binary, err = server.Beanfield(ctx, dir)
		}
		if err == nil {
			err = run(ctx, o)
		}
		if err != nil {
			err = fmt.Errorf("seed %d: %w", o.seed, err)
		}
		return err
	})
}
