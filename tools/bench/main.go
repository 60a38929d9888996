//go:build linux

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"beanfield/tools/bench/compare"
	"beanfield/tools/bench/floor"
	"beanfield/tools/bench/peers"
	"beanfield/tools/bench/profile"
	"beanfield/tools/bench/through"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	verbs := map[string]func(context.Context, []string) error{
		"compare": compare.Main, "bare": floor.Serve, "profile": profile.Main, "through": through.Main,
		"hop": through.Hop, "nats": peers.ServeNATS,
	}
	if len(os.Args) < 2 || verbs[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: bench compare|through|profile|bare|hop|nats [FLAG...]: see doc.go")
		os.Exit(2)
	}
	if err := verbs[os.Args[1]](ctx, os.Args[2:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}
