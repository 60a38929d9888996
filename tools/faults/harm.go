package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"beanfield/tools/faults/history"
	"beanfield/tools/nodes"
)

// A harm is something that may happen to a cluster.
type harm struct {
	name   string
	weight int
	alone  bool // also for a server without others
	// spoils: a node's disk is harmed, so the others must have all first; and the node may refuse to go on with it.
	spoils bool
	// changes: it changes which nodes there are, and others may happen in the middle of it.
	changes bool
	// do does it to a node, waits as long as it lasts, and heals it.
	do func(ctx context.Context, c *campaign, n *nodes.Node) error
}

var harms = []harm{
	{name: "kill", weight: 5, alone: true, do: kill},
	{name: "stop", weight: 4, alone: true, do: stop},
	{name: "cut", weight: 3, do: cut},
	{name: "one-way", weight: 3, do: oneWay},
	{name: "refuse", weight: 2, do: refuse},
	{name: "isolate", weight: 3, do: isolate},
	{name: "slow", weight: 2, do: slow},
	{name: "restart", weight: 3, alone: true, do: restart},
	{name: "move", weight: 3, do: move},
	{name: "kill-two", weight: 1, do: killTwo},
	{name: "kill-all", weight: 1, alone: true, do: killAll},
	{name: "lost-disk", weight: 2, spoils: true, do: loseDisk},
	{name: "flip-stream", weight: 1, spoils: true, do: flipStream},
	{name: "flip-store", weight: 1, spoils: true, do: flipStore},
	{name: "full-disk", weight: 1, spoils: true, do: fillDisk},
	{name: "add-remove", weight: 2, changes: true, do: addOrRemove},
	{name: "replace", weight: 1, changes: true, do: replace},
}

// choice are the harms that a run may do.
func (c *campaign) choice() (list []harm, err error) {
	only := strings.FieldsFunc(c.only, func(r rune) bool { return r == ',' })
	for _, h := range harms {
		if (c.nodes > 1 || h.alone) && (len(only) == 0 || slices.Contains(only, h.name)) {
			list = append(list, h)
		}
	}
	if len(list) == 0 || len(only) > len(list) {
		return nil, fmt.Errorf("not all of %q can be done", c.only)
	}
	return list, nil
}

// draw chooses one by weight.
func (c *campaign) draw(list []harm) harm {
	sum := 0
	for _, h := range list {
		sum += h.weight
	}
	n := c.dice.IntN(sum)
	for _, h := range list {
		if n -= h.weight; n < 0 {
			return h
		}
	}
	return list[len(list)-1]
}

// changeEach is of how many harms one changes the nodes.
const changeEach = 4

// pick draws a harm. The second one changes the nodes, and every fourth from there.
func (c *campaign) pick(n int, list []harm) harm {
	changes, others := divide(list)
	if len(others) == 0 || len(changes) > 0 && n%changeEach == changeEach/2 {
		return c.draw(changes)
	}
	return c.draw(others)
}

// divide tells harms that change the nodes from others.
func divide(list []harm) (changes, others []harm) {
	for _, h := range list {
		if h.changes {
			changes = append(changes, h)
		} else {
			others = append(others, h)
		}
	}
	return changes, others
}

// calm is the longest time between two harms, beside what it takes to get on.
const calm = 4 * time.Second

// harmAll does one harm after the other.
func (c *campaign) harmAll(ctx context.Context) error {
	list, err := c.choice()
	if err != nil {
		return err
	}
	_, c.meets = divide(slices.DeleteFunc(slices.Clone(list), func(h harm) bool { return h.spoils }))
	for n := 1; n <= c.faults && ctx.Err() == nil; n++ {
		if c.time > 0 && time.Since(c.begun) > c.time {
			break
		}
		if err := c.goOn(ctx); err != nil {
			return fmt.Errorf("before harm %d: %w", n, err)
		}
		last(ctx, time.Duration(c.dice.Float64()*float64(calm)*c.scale))
		if err := c.one(ctx, n, c.pick(n, list)); err != nil {
			return fmt.Errorf("harm %d: %w", n, err)
		}
	}
	if err := c.goOn(ctx); err != nil {
		return err
	}
	return errors.Join(ctx.Err(), c.whole(ctx))
}

// one does a harm, to the owner or to any node.
func (c *campaign) one(ctx context.Context, n int, h harm) error {
	owner := c.dice.IntN(2) == 0
	any := c.any()
	patient := c.dice.IntN(2) == 0
	if h.spoils || patient { // else the next harm meets nodes that are still recovering from the last one
		if err := c.whole(ctx); err != nil {
			return err
		}
	}
	victim, serving := any, c.owner(ctx)
	if owner && serving != nil {
		victim = serving
	}
	what := "follower"
	if victim == serving {
		what = "owner"
	}
	lanes := ""
	if s, err := c.cluster.Status(ctx); err == nil && c.nodes > 1 {
		lanes = ", lanes are led by " + s.Leaders()
	}
	c.say("harm %d of %d: %s, node %s (%s)%s", n, c.faults, h.name, victim.Name, what, lanes)
	c.called, c.harmed = h.name, []*nodes.Node{victim}
	c.ledger.Gap()
	begun := time.Now()
	if err := h.do(ctx, c, victim); err != nil {
		return fmt.Errorf("%s of node %s: %w", h.name, victim.Name, err)
	}
	healed := time.Since(begun)
	if err := c.goOn(ctx); err != nil {
		return fmt.Errorf("after %s of node %s: %w", h.name, victim.Name, err)
	}
	c.done[h.name]++
	c.tell(c.called+" of "+what, healed)
	return nil
}

// tell says how long clients were without service in a harm (FL5).
func (c *campaign) tell(what string, healed time.Duration) {
	silent := c.elsewhere()
	gap := c.ledger.Gap()
	c.gaps[what] = append(c.gaps[what], gap)
	c.silent[what] = append(c.silent[what], silent...)
	longest := gap
	for _, s := range silent {
		longest = longest.Longer(s)
	}
	c.worst = c.worst.Longer(longest)
	c.say("    it took %.1fs; longest time without an acknowledged put: %.2fs, until %.1fs; of a client elsewhere "+
		"without an answer: %s; while a majority was well: %.2fs", healed.Seconds(), gap.All.Seconds(),
		gap.Until.Seconds(), spread(silent), longest.Well.Seconds())
	if c.gap > 0 && longest.Well > c.gap {
		c.found = append(c.found, fmt.Sprintf("FL5: %s: clients were without service for %.2fs while a majority was well",
			what, longest.Well.Seconds()))
	}
}

// elsewhere is the longest time without an answer of each client whose node was not harmed.
func (c *campaign) elsewhere() (silent []history.Stretch) {
	for role, s := range c.ledger.Served() {
		if n := c.home(role); !n.Out && !slices.Contains(c.harmed, n) {
			silent = append(silent, s.Silence)
		}
	}
	return silent
}

// owner is the node that serves; nil if none does.
func (c *campaign) owner(ctx context.Context) *nodes.Node {
	for _, n := range c.cluster.Nodes {
		if n.Running() && !n.Paused() && n.Serves(ctx) {
			return n
		}
	}
	return nil
}

var errNotWhole = errors.New("FL1: the nodes do not get well")

// whole waits until all nodes live and could own the shards.
func (c *campaign) whole(ctx context.Context) error {
	if c.nodes == 1 {
		return nil
	}
	ok, err := await(ctx, 2*c.within, 10*look, func() (bool, error) {
		return !slices.ContainsFunc(c.members(), func(n *nodes.Node) bool { return !well(ctx, n) }), c.revive()
	})
	if err == nil && !ok {
		err = c.stuck(errNotWhole)
	}
	return err
}

// well tells whether a node says of itself that it could own the shards. (The others may still think of
// the time before it was harmed.)
func well(ctx context.Context, n *nodes.Node) bool {
	s, err := n.Status(ctx)
	return err == nil && slices.ContainsFunc(s.Nodes, func(m nodes.NodeStatus) bool {
		return m.Name == n.Name && m.Alive && m.Fit
	})
}

// last lets a harm last.
func last(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// seconds draws a time, more often a short one.
func (c *campaign) seconds(from, to float64) time.Duration {
	u := c.dice.Float64()
	d := time.Duration(c.scale * (from + (to-from)*u*u) * float64(time.Second)).Round(time.Millisecond)
	c.say("    for %v", d)
	return d
}
