package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"beanfield/tools/faults/workload"
	"beanfield/tools/nodes"
)

// Nodes come and go, as an operator wishes, and others fail in the middle of that.

// members are the nodes that the cluster has.
func (c *campaign) members() []*nodes.Node {
	return slices.DeleteFunc(slices.Clone(c.cluster.Nodes), func(n *nodes.Node) bool { return n.Out })
}

// any draws one of them.
func (c *campaign) any() *nodes.Node { return c.drawn(c.members()) }

func (c *campaign) drawn(of []*nodes.Node) *nodes.Node { return of[c.dice.IntN(len(of))] }

// others are all of them but one.
func (c *campaign) others(n *nodes.Node) []*nodes.Node {
	return slices.DeleteFunc(c.members(), func(m *nodes.Node) bool { return m == n })
}

// other draws one of the others.
func (c *campaign) other(n *nodes.Node) *nodes.Node { return c.drawn(c.others(n)) }

// home is the one node that a client knows.
func (c *campaign) home(role int) *nodes.Node { return c.cluster.Nodes[role%len(c.cluster.Nodes)] }

// turn ends the trials, and has the next ones know the nodes that there are now.
func (c *campaign) turn(ctx context.Context) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.end != nil {
		c.end()
	}
	c.present = &workload.Seeker{Patience: patience, Serves: c.serves}
	c.counted = c.members()
	for _, n := range c.counted {
		c.present.Hosts = append(c.present.Hosts, n.Client)
	}
	c.era, c.end = context.WithCancel(ctx)
}

// addOrRemove adds the node that is not there, or removes one.
func addOrRemove(ctx context.Context, c *campaign, n *nodes.Node) error {
	if i := slices.IndexFunc(c.cluster.Nodes, func(n *nodes.Node) bool { return n.Out }); i >= 0 {
		return c.add(ctx, c.cluster.Nodes[i])
	}
	return c.remove(ctx, n)
}

// introduce has the spare node come and go in peace. At the first change of the nodes the one that serves tells the
// others where it really listens, and the engines then drop their routes to it: that is so only behind our network.
func (c *campaign) introduce(ctx context.Context) error {
	i := slices.IndexFunc(c.cluster.Nodes, func(n *nodes.Node) bool { return n.Out })
	if i < 0 {
		return nil
	}
	n := c.cluster.Nodes[i]
	n.Out = false
	err := c.change(ctx, n, n.Start, "add", n.Name+"="+n.At)
	if err == nil {
		err = c.change(ctx, n, nil, "remove", n.Name)
	}
	n.Kill()
	n.Out = true
	return err
}

// add has a node come, which may have the files of a time before.
func (c *campaign) add(ctx context.Context, n *nodes.Node) error {
	c.called, c.harmed = "add", []*nodes.Node{n}
	if c.dice.IntN(2) == 0 {
		if err := n.Lose(); err != nil {
			return err
		}
	}
	n.Out = false
	defer c.turn(ctx)
	return c.change(ctx, n, func() error {
		if n.Running() { // since a harm to two nodes or to all
			return nil
		}
		return n.Start()
	}, "add", n.Name+"="+n.At)
}

// remove has a node go, which may be dead.
func (c *campaign) remove(ctx context.Context, n *nodes.Node) error {
	c.called = "remove"
	c.mayDie(n)
	err := c.change(ctx, n, nil, "remove", n.Name)
	n.Kill()
	n.Out = true
	c.turn(ctx)
	return err
}

// replace has another machine take the place of a node, which may be dead. It starts when the old one is none of the
// nodes any more.
func replace(ctx context.Context, c *campaign, n *nodes.Node) error {
	c.mayDie(n)
	at := c.cluster.Vacant(n)
	return c.change(ctx, n, func() error {
		if err := c.until(ctx, n, func(s *nodes.Status) bool { return s.At(n.Name).Joining }); err != nil {
			return err
		}
		n.Kill()
		return errors.Join(n.Lose(), c.cluster.Rehouse(n, at), n.Start())
	}, "replace", n.Name+"="+at)
}

func (c *campaign) mayDie(n *nodes.Node) {
	if c.dice.IntN(3) == 0 {
		c.say("    node %s is killed", n.Name)
		n.Kill()
	}
}

// change has an order about a node carried out, and perhaps another harm done in the middle of that.
func (c *campaign) change(ctx context.Context, n *nodes.Node, comes func() error, order ...string) error {
	c.say("    cluster %s", strings.Join(order, " "))
	c.changing.Store(n)
	defer c.changing.Store(nil)
	said, done := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		c.order(said, c.others(n), order)
	}()
	defer func() { done(); <-ended }()
	for _, do := range c.dice.Perm(2) {
		var err error
		if do == 0 {
			err = c.meet(ctx, n)
		} else if comes != nil {
			err = comes()
		}
		if err != nil {
			return err
		}
	}
	c.harmed = append(c.harmed, n)
	gone := order[0] == "remove"
	var seen *nodes.Status
	err := c.until(ctx, n, func(s *nodes.Status) bool {
		is := s.At(n.Name)
		seen = s
		return s.Change == nil && (is.Name == "") == gone && !is.Joining && (gone || is.Address == n.At)
	})
	if err == nil {
		err = c.hide(seen)
	}
	return err
}

// saysFor is how long an operator waits for a command until he tries it at another node.
const saysFor = 20 * time.Second

// order says it at one node after the other, until it is done.
func (c *campaign) order(ctx context.Context, at []*nodes.Node, order []string) {
	for i := 0; ctx.Err() == nil; i++ {
		limited, cancel := context.WithTimeout(ctx, saysFor)
		_, err := at[i%len(at)].Tell(limited, append([]string{"cluster"}, order...)...)
		cancel()
		if err == nil {
			return
		}
		last(ctx, 10*look)
	}
}

// meet does a harm in the middle of a change.
func (c *campaign) meet(ctx context.Context, n *nodes.Node) error {
	if len(c.meets) == 0 {
		return nil
	}
	const latest = 6
	h, victim, after := c.draw(c.meets), c.other(n), time.Duration(c.dice.Float64()*latest*c.scale*float64(time.Second))
	c.called += " and " + h.name
	c.say("    and %s of node %s, after %v", h.name, victim.Name, after.Round(time.Millisecond))
	last(ctx, after)
	c.harmed = append(c.harmed, victim)
	c.done[h.name]++
	c.met++
	return h.do(ctx, c, victim)
}

var errUnchanged = errors.New("FL4: a change of the nodes does not come to its end")

// until waits until another node than the one that is changed shows that something is so. One that starts knows what
// its configuration says, and nobody who serves.
func (c *campaign) until(ctx context.Context, n *nodes.Node, so func(*nodes.Status) bool) error {
	ok, err := await(ctx, 2*c.within, 10*look, func() (bool, error) {
		for _, m := range c.others(n) {
			if s, err := m.Status(ctx); err == nil && s.Owner != "" && so(s) {
				return true, nil
			}
		}
		return false, c.revive()
	})
	if err == nil && !ok {
		err = c.stuck(errUnchanged)
	}
	return err
}

// hide has all nodes found behind the network: who has told the others where it really listens moves from there.
func (c *campaign) hide(s *nodes.Status) error {
	for _, n := range c.members() {
		if at := s.At(n.Name).Address; at == n.Engine {
			c.say("    node %s is moved behind the network", n.Name)
			c.harmed = append(c.harmed, n)
			if err := errors.Join(n.Stop(), c.cluster.Hide(n, at), n.Start()); err != nil {
				return fmt.Errorf("node %s: %w", n.Name, err)
			}
		}
	}
	return nil
}
