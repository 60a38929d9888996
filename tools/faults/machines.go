package main

import (
	"context"
	"errors"
	"time"

	"beanfield/tools/nodes"
)

// What is done to machines.

func kill(ctx context.Context, c *campaign, n *nodes.Node) error {
	n.Kill()
	last(ctx, c.seconds(0, 12))
	return n.Start()
}

func stop(ctx context.Context, c *campaign, n *nodes.Node) error {
	if err := n.Pause(); err != nil {
		return err
	}
	last(ctx, c.seconds(2, 30))
	return n.Resume()
}

func restart(_ context.Context, _ *campaign, n *nodes.Node) error { return n.Restart() }

// move has another node serve, as an operator may wish.
func move(ctx context.Context, c *campaign, n *nodes.Node) error {
	limited, cancel := context.WithTimeout(ctx, c.within)
	defer cancel()
	if n == c.owner(ctx) {
		n = c.other(n)
	}
	c.harmed = nil
	c.say("    to node %s", n.Name)
	if _, err := c.any().Tell(limited, "cluster", "move", n.Name); err != nil {
		c.say("    refused: %v", err) // it may not be well yet
	}
	return nil
}

func killTwo(ctx context.Context, c *campaign, n *nodes.Node) error {
	second := c.other(n)
	c.harmed = append(c.harmed, second)
	c.say("    and node %s", second.Name)
	n.Kill()
	second.Kill()
	last(ctx, c.seconds(0, 8))
	err := n.Start()
	last(ctx, time.Duration(c.dice.Int64N(int64(5*time.Second))))
	return errors.Join(err, second.Start())
}

func killAll(ctx context.Context, c *campaign, _ *nodes.Node) error {
	c.harmed = c.cluster.Nodes
	for _, n := range c.members() {
		n.Kill()
	}
	last(ctx, c.seconds(0, 3))
	return c.cluster.Start()
}

func loseDisk(ctx context.Context, c *campaign, n *nodes.Node) error {
	n.Kill()
	if err := n.Lose(); err != nil {
		return err
	}
	last(ctx, c.seconds(0, 12))
	if err := n.Start(); err != nil {
		return err
	}
	return c.whole(ctx)
}

// full is how long a file may be on a disk that is full.
const full = 192 << 10

// fillDisk has writes fail for a while. A node that does not get over it by itself is started anew,
// as its operator would.
func fillDisk(ctx context.Context, c *campaign, n *nodes.Node) error {
	if err := n.LimitFiles(full); err != nil {
		return err
	}
	last(ctx, c.seconds(1, 10))
	if n.Running() {
		if err := n.LimitFiles(0); err != nil {
			return err
		}
	}
	return c.mend(ctx, n)
}

// mend waits until a node is well whose disk was harmed. If it has ended, or does not get well, it is
// started anew; if that does not help, with an empty directory.
func (c *campaign) mend(ctx context.Context, n *nodes.Node) error {
	c.spoiled[n.Name] = true
	for _, help := range []struct {
		what string
		do   func() error
	}{
		{"", func() error { return nil }},
		{"it is started anew", func() error { n.Kill(); return n.Start() }},
		{"it gets an empty directory", func() error { n.Kill(); return errors.Join(n.Lose(), n.Start()) }},
	} {
		if help.what != "" {
			c.say("    %s: %v", help.what, n.Ended())
		}
		if err := help.do(); err != nil {
			return err
		}
		if c.wellSoon(ctx, n) {
			return nil
		}
	}
	return c.stuck(errNotWhole)
}

// wellSoon waits until a node could own the shards.
func (c *campaign) wellSoon(ctx context.Context, n *nodes.Node) bool {
	ok, _ := await(ctx, c.within/2, 10*look, func() (bool, error) {
		return well(ctx, n), n.Ended()
	})
	return ok
}
