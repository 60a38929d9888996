package main

import (
	"context"
	"slices"
	"time"

	"beanfield/tools/nodes"
)

// Whether a majority of the nodes is well: they live, reach each other, and have said so since that was last otherwise.
// While a node is changed, one of the others has to be, too: of three, both, since only they vote in between.
// Nobody can serve without that, so a time without service counts as two: by the clock, and while a majority was well.

const (
	// lookout is how often it is looked whether a majority is well. One look counts for two at most: of a machine that
	// stands still, or is so busy that this tool does not run, the nodes cannot know more.
	lookout = 50 * time.Millisecond
	// visit is how often a node is asked that was not well.
	visit = 4 * lookout
)

// watch tells the ledger of the time in which a majority of the nodes is well.
func (c *campaign) watch(ctx context.Context) {
	for before := time.Now(); ctx.Err() == nil; {
		last(ctx, lookout)
		now := time.Now()
		if c.majority() {
			c.ledger.Well(min(now.Sub(before), 2*lookout))
		}
		before = now
	}
}

// majority tells whether one is well now. If none is, all have to say again that they are.
func (c *campaign) majority() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, n := range c.counted {
		if up := n.Up(); up == 0 || up != c.well[n] {
			delete(c.well, n)
		}
	}
	others := slices.DeleteFunc(slices.Clone(c.counted), func(n *nodes.Node) bool { return n == c.changing.Load() })
	if c.most(c.counted) && c.most(others) {
		return true
	}
	clear(c.well)
	return false
}

// most tells whether a majority of some nodes is well.
func (c *campaign) most(of []*nodes.Node) bool {
	well := slices.DeleteFunc(slices.Clone(of), func(n *nodes.Node) bool { return c.well[n] == 0 })
	return c.agree(nil, well, len(of)/2+1)
}

// agree tells whether so many nodes reach each other, all of some and the rest of others.
func (c *campaign) agree(some, others []*nodes.Node, enough int) bool {
	if len(some) >= enough {
		return true
	}
	for i, n := range others {
		whole := true
		for _, m := range some {
			whole = whole && c.cluster.Network.Whole(m.Name, n.Name)
		}
		if whole && c.agree(append(some[:len(some):len(some)], n), others[i+1:], enough) {
			return true
		}
	}
	return false
}

// nurse asks a node that was not well how it is.
func (c *campaign) nurse(ctx context.Context, n *nodes.Node) {
	for ctx.Err() == nil {
		last(ctx, visit)
		up := n.Up()
		c.mu.Lock()
		known := c.well[n] == up
		c.mu.Unlock()
		if !known && (c.nodes == 1 || well(ctx, n)) {
			c.mu.Lock()
			c.well[n] = up
			c.mu.Unlock()
		}
	}
}
