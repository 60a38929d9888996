package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// settle is how long a server may take to give buffers back before its memory is
// read.
const settle = 2 * time.Second

// measureMemory measures what a backlog or idle connections add to the server's
// resident memory. No load runs.
func measureMemory(ctx context.Context, t target, ld load, set settings) (*result, error) {
	if t.pid == 0 {
		return nil, errors.New("memory can be measured only of a process that is known: use -pid or -server")
	}
	before, err := usageOf(t.pid)
	if err != nil {
		return nil, err
	}
	res := &result{Load: ld}
	count := ld.Backlog
	if ld.Kind == kindMemory {
		err = fillBacklog(ctx, t.addr, &ld, set.say)
	} else {
		var idle []int
		idle, err = openIdle(t, ld.Connections)
		defer closeAll(idle)
		count = ld.Connections
	}
	if err != nil {
		return nil, err
	}
	after, err := settled(ctx, t.pid, set)
	if err != nil {
		return nil, err
	}
	res.Seconds = set.settle.Seconds()
	res.Server = serverUse{
		RSS: after.rss, PeakRSS: after.peak, BytesEach: float64(after.rss-before.rss) / float64(count),
	}
	if !t.owned && ld.Kind == kindMemory {
		return res, clearLeftovers(t.addr, &ld)
	}
	return res, nil
}

// openIdle opens connections that each run one command, so that the server has had
// to make its buffers, and then say nothing more.
func openIdle(t target, n int) ([]int, error) {
	var idle []int
	for i := range n {
		fd, err := dialSocket(t.addr)
		if err != nil {
			return idle, fmt.Errorf("connection %d: %w", i, err)
		}
		idle = append(idle, fd)
		if t.echo {
			continue
		}
		if err := converse(fd, "reserve-with-timeout 0", wordTimedOut); err != nil {
			return idle, fmt.Errorf("connection %d: %w", i, err)
		}
	}
	return idle, nil
}
