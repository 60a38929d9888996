//go:build linux

package measure

import (
	"context"
	"time"

	"beanfield/tools/bench/load"
	"beanfield/tools/server"
)

// Settle is how long a server may take to give buffers back before its memory is read.
const Settle = 2 * time.Second

// Memory measures what a backlog or idle connections add to the server's resident memory. No load runs.
func Memory(ctx context.Context, t load.Target, ld load.Load, settle time.Duration) (*load.Result, error) {
	before, err := server.UsageOf(t.PID)
	if err != nil {
		return nil, err
	}
	count := ld.Backlog
	if ld.Kind == load.Memory {
		err = load.FillBacklog(t.Addr, &ld)
	} else {
		var w waiting
		defer w.close()
		err = w.open(&t, &ld)
		count = ld.Connections
	}
	if err != nil {
		return nil, err
	}
	after, err := settled(ctx, t.PID, settle)
	return &load.Result{Load: ld, Server: load.ServerUse{
		RSS: after.RSS, PeakRSS: after.Peak, BytesEach: float64(after.RSS-before.RSS) / float64(count),
	}}, err
}

// settled reads the server's memory when it has had time to give buffers back.
func settled(ctx context.Context, pid int, settle time.Duration) (server.Usage, error) {
	select {
	case <-time.After(settle):
		return server.UsageOf(pid)
	case <-ctx.Done():
		return server.Usage{}, ctx.Err()
	}
}
