package main

import (
	"context"
	"errors"
	"fmt"

	"beanfield/tools/faults/workload"
	"beanfield/tools/nodes"
)

// compare has each node serve in turn, and says where one shows other jobs than the first (FL3).
func (c *campaign) compare(ctx context.Context) (found []string, err error) {
	if c.nodes == 1 {
		return nil, nil
	}
	ids := c.ledger.Living()
	var first workload.Survey
	all := c.members()
	for _, n := range all {
		if err := c.serve(ctx, n); err != nil {
			return nil, err
		}
		survey, err := c.seeker.Look(ctx, ids)
		if err != nil {
			return nil, fmt.Errorf("node %s: %w", n.Name, err)
		}
		if first == nil {
			first = survey
		}
		for _, d := range first.Differs(survey) {
			found = append(found, fmt.Sprintf("FL3: nodes %s and %s differ in %s", all[0].Name, n.Name, d))
		}
	}
	return found, nil
}

var errMove = errors.New("FL1: a node does not serve although it was told to")

// serve has a node serve.
func (c *campaign) serve(ctx context.Context, n *nodes.Node) error {
	ok, err := await(ctx, c.within, 10*look, func() (bool, error) {
		if n.Serves(ctx) {
			return true, nil
		}
		_, _ = n.Tell(ctx, "cluster", "move", n.Name) // it may be refused until the node is fit
		return false, c.revive()
	})
	if err == nil && !ok {
		err = fmt.Errorf("%w: %s", errMove, n.Name)
	}
	return err
}
