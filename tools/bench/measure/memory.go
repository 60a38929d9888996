package measure

import (
	"context"
	"errors"
	"fmt"
	"time"

	"beanfield/tools/bench/generator"
	"beanfield/tools/bench/load"
	"beanfield/tools/bench/push"
	"beanfield/tools/bench/result"
	"beanfield/tools/bench/socket"
	"beanfield/tools/server"
)

// Settle is how long a server may take to give buffers back before its memory is
// read.
const Settle = 2 * time.Second

// measureMemory measures what a backlog or idle connections add to the server's
// resident memory. No load runs.
func measureMemory(ctx context.Context, t generator.Target, ld load.Load, set generator.Settings) (*result.Result, error) {
	if t.PID == 0 {
		return nil, errors.New("memory can be measured only of a process that is known: use -pid or -server")
	}
	before, err := server.UsageOf(t.PID)
	if err != nil {
		return nil, err
	}
	res := &result.Result{Load: ld}
	count := ld.Backlog
	if ld.Kind == load.KindMemory {
		err = generator.FillBacklog(ctx, t.Addr, &ld, set.Say)
	} else {
		var idle []int
		idle, err = open(t, &ld)
		defer socket.CloseAll(idle)
		count = ld.Connections
	}
	if err != nil {
		return nil, err
	}
	after, err := settled(ctx, t.PID, set)
	if err != nil {
		return nil, err
	}
	res.Seconds = set.Settle.Seconds()
	res.Server = result.ServerUse{
		RSS: after.RSS, PeakRSS: after.Peak, BytesEach: float64(after.RSS-before.RSS) / float64(count),
	}
	if !t.Owned && ld.Kind == load.KindMemory {
		return res, generator.ClearLeftovers(ctx, t.Addr, &ld)
	}
	return res, nil
}

// open opens connections that wait.
func open(t generator.Target, ld *load.Load) ([]int, error) {
	switch ld.Kind {
	case load.KindConsumers:
		return push.OpenConsumers(t, ld.Connections)
	case load.KindGets:
		return push.OpenGets(t, ld.Connections)
	}
	return openIdle(t, ld.Connections, ld.TLS)
}

// openIdle opens connections that each run one command, so that the server has had
// to make its buffers, and then say nothing more.
func openIdle(t generator.Target, n int, secured bool) ([]int, error) {
	var idle []int
	for i := range n {
		fd, _, c, err := t.Dial(secured)
		if err != nil {
			return idle, fmt.Errorf("connection %d: %w", i, err)
		}
		idle = append(idle, fd)
		if err := c.Say("reserve-with-timeout 0", "TIMED_OUT"); err != nil {
			return idle, fmt.Errorf("connection %d: %w", i, err)
		}
	}
	return idle, nil
}
