package generator

import (
	"context"
	"fmt"

	"beanfield/tools/bench/load"
	"beanfield/tools/bench/talk"
)

// ClearLeftovers takes every job out of the tubes of a load, for a server that has
// other users and is not ended.
func ClearLeftovers(ctx context.Context, addr string, ld *load.Load) error {
	c, err := talk.Dial(ctx, addr)
	if err != nil {
		return err
	}
	defer c.Close()
	tubes := []string{backlogTube}
	for i := range ld.Tubes {
		tubes = append(tubes, loadTube(i))
	}
	if ld.BacklogIn == load.BacklogSpread {
		for i := range ld.Backlog {
			tubes = append(tubes, string(appendTube(nil, spreadPrefix, i)))
		}
	}
	for _, t := range tubes {
		if err := c.EmptyTube(t); err != nil {
			return fmt.Errorf("clearing tube %s: %w", t, err)
		}
	}
	return nil
}
