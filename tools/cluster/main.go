package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"beanfield/tools/nodes"
	"beanfield/tools/server"
)

func main() {
	r := run{out: os.Stdout}
	flag.StringVar(&r.dir, "dir", "", "where the nodes have their directories; they are kept (default: a temporary "+
		"one, removed)")
	flag.StringVar(&r.binary, "server", "", "the server (default: ./cmd/beanfield, built)")
	flag.IntVar(&r.shards, "shards", 0,
		"how many shards the cluster is made with (default: what the server makes of 0)")
	t := through{}
	asked := flag.Bool("through", false, "be a server for suites that start one: their clients come to a node that does "+
		"not serve")
	flag.BoolVar(&t.secured, "tls", false, "with -through: they come to it over TLS")
	usher := flag.Bool("usher", false, "for -through alone")
	flag.StringVar(&t.config, "config", "", "with -through: each node's configuration begins with this file")
	flag.StringVar(&t.host, "l", "127.0.0.1", "with -through, as the server's")
	flag.StringVar(&t.port, "p", "11300", "likewise")
	flag.StringVar(&t.queue, "queue", "", "likewise")
	flag.IntVar(&t.most, "z", 0, "likewise")
	flag.Parse()
	t.binary = r.binary
	if *asked && !*usher {
		fmt.Fprintln(os.Stderr, t.become())
		os.Exit(1)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if *usher {
		if err := t.usher(ctx, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "the usher:", err)
			os.Exit(1)
		}
		return
	}
	ctx, end := context.WithCancel(ctx)
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		end()
	}()
	if err := r.play(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run is what was asked for.
type run struct {
	dir, binary string
	shards      int
	out         io.Writer
}

// play starts the nodes, watches them until ctx ends, and stops them.
func (r run) play(ctx context.Context) error {
	if r.dir == "" {
		dir, err := os.MkdirTemp("", "cluster-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		r.dir = dir
	} else if err := os.MkdirAll(r.dir, 0o755); err != nil {
		return err
	}
	if r.binary == "" {
		built, err := server.Beanfield(ctx, r.dir)
		if err != nil {
			return err
		}
		r.binary = built
	}
	c, err := nodes.New(nodes.Options{Binary: r.binary, Dir: r.dir, Shards: r.shards})
	if err != nil {
		return err
	}
	for _, n := range c.Nodes {
		fmt.Fprintf(r.out, "node %s: clients %s, http://%s/, its engine %s, its files %s\n", n.Name, n.Client, n.HTTP,
			n.Engine, n.Dir)
	}
	if err = c.Start(); err == nil {
		for _, n := range c.Nodes {
			fmt.Fprintf(r.out, "node %s is process %d\n", n.Name, n.PID())
		}
		err = r.watch(ctx, c)
	}
	return errors.Join(err, c.Stop(), c.Close())
}

// every is how often the nodes are asked who owns what.
const every = time.Second

// watch tells of each change, until ctx ends or a node does.
func (r run) watch(ctx context.Context, c *nodes.Cluster) error {
	begun, said := time.Now(), ""
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		for _, n := range c.Nodes {
			if err := n.Ended(); err != nil {
				return fmt.Errorf("node %s: %w", n.Name, err)
			}
		}
		if text := now(ctx, c); text != said && ctx.Err() == nil {
			said = text
			fmt.Fprintf(r.out, "%6.1fs  %s\n", time.Since(begun).Seconds(), text)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// now says in a line who owns what, and who lives.
func now(ctx context.Context, c *nodes.Cluster) string {
	s, err := c.Status(ctx)
	if err != nil {
		return "no node can tell yet who owns what"
	}
	var parts []string
	for _, n := range s.Nodes {
		if !n.Alive {
			parts = append(parts, "node "+n.Name+" is away")
		}
	}
	for _, shard := range s.Shards {
		owner := shard.Owner
		if owner == "" {
			owner = "nobody"
		}
		parts = append(parts, fmt.Sprintf("shard %d: %s, epoch %d", shard.Shard, owner, shard.Epoch))
	}
	return strings.Join(parts, "; ")
}
