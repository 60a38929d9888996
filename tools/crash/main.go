package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"beanfield/tools/server"
)

func main() {
	o := options{out: os.Stdout, moving: answerWithin, conns: 9, pause: 900 * time.Millisecond}
	flag.IntVar(&o.kills, "kills", 20, "how often the server is killed")
	flag.Uint64Var(&o.seed, "seed", 0, "what the clients draw from; 0 draws one")
	flag.StringVar(&o.dir, "dir", "", "where the data directory is made; it is kept (default: a temporary one, kept "+
		"after a failure)")
	flag.IntVar(&o.places, "damage", 0, "instead, damage so many places of what a kill leaves, and of what an "+
		"orderly stop leaves")
	flag.Parse()
	if o.seed == 0 {
		o.seed = 1 + rand.Uint64N(1e9)
	}
	if err := crash(context.Background(), o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func crash(ctx context.Context, o options) error {
	return server.Within(o.dir, func(dir string) error {
		built, err := server.Beanfield(ctx, dir)
		if err != nil {
			return err
		}
		o.dir, o.server = dir, []string{built}
		if o.places > 0 {
			return damage(ctx, o)
		}
		return run(ctx, o)
	})
}
