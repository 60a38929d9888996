package main

import (
	"context"
	"time"

	"beanfield/tools/nodes"
)

// What is done to the network between the nodes. Half of the time the network has forgotten its
// connections when it is healed, so that they are reset.

const (
	shortestCut, longestCut = 0.5, 20
)

func (c *campaign) cutFor(ctx context.Context) error {
	last(ctx, c.seconds(shortestCut, longestCut))
	forgotten := c.dice.IntN(2) == 0
	if forgotten {
		c.say("    its connections are reset")
	}
	c.cluster.Network.Heal(forgotten)
	return nil
}

func cut(ctx context.Context, c *campaign, n *nodes.Node) error {
	m := c.other(n)
	c.harmed = append(c.harmed, m)
	c.say("    between %s and %s, in silence", n.Name, m.Name)
	c.cluster.Network.Hold(n.Name, m.Name)
	c.cluster.Network.Hold(m.Name, n.Name)
	return c.cutFor(ctx)
}

// oneWay cuts what a node says to another, or to all others, or what they say to it.
func oneWay(ctx context.Context, c *campaign, n *nodes.Node) error {
	peers := c.others(n)
	if c.dice.IntN(2) == 0 {
		peers = []*nodes.Node{c.other(n)}
	}
	c.harmed = append(c.harmed, peers...)
	out := c.dice.IntN(2) == 0
	for _, m := range peers {
		from, to := n.Name, m.Name
		if !out {
			from, to = to, from
		}
		c.say("    from %s to %s", from, to)
		c.cluster.Network.Hold(from, to)
	}
	return c.cutFor(ctx)
}

func refuse(ctx context.Context, c *campaign, n *nodes.Node) error {
	m := c.other(n)
	c.harmed = append(c.harmed, m)
	c.say("    between %s and %s", n.Name, m.Name)
	c.cluster.Network.Refuse(n.Name, m.Name)
	return c.cutFor(ctx)
}

func isolate(ctx context.Context, c *campaign, n *nodes.Node) error {
	c.cluster.Network.Isolate(n.Name)
	return c.cutFor(ctx)
}

// slow has all that a node says, or hears, or both, arrive late.
func slow(ctx context.Context, c *campaign, n *nodes.Node) error {
	d := time.Duration(10+c.dice.IntN(400)) * time.Millisecond
	which := c.dice.IntN(3)
	c.say("    by %v", d)
	for _, m := range c.others(n) {
		if which != 1 {
			c.cluster.Network.Slow(n.Name, m.Name, d)
		}
		if which != 0 {
			c.cluster.Network.Slow(m.Name, n.Name, d)
		}
	}
	return c.cutFor(ctx)
}
