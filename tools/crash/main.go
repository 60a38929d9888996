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
	reference := flag.Bool("reference", false, "instead, restart beanfield and Debian's beanstalkd side by side and "+
		"compare them")
	flag.Parse()
	if o.seed == 0 {
		o.seed = 1 + rand.Uint64N(1e9)
	}
	if err := crash(context.Background(), o, *reference); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func crash(ctx context.Context, o options, reference bool) error {
	return server.Within(o.dir, func(dir string) error {
		built, err := server.Beanfield(ctx, dir)
		if err != nil {
			return err
		}
		o.dir, o.server = dir, []string{built}
		return o.play(ctx, reference)
	})
}

// play does what was asked for: kills of one server, damage to what it leaves, or
// restarts of two.
func (o options) play(ctx context.Context, reference bool) error {
	if o.places > 0 {
		return damage(ctx, o)
	}
	if !reference {
		return run(ctx, o)
	}
	peer, err := server.Beanstalkd(ctx)
	if err != nil {
		return err
	}
	return compare(ctx, o, peer)
}
