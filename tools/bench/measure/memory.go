package measure

import (
	"context"
	"errors"
	"time"

	"beanfield/tools/bench/generator"
	"beanfield/tools/bench/load"
	"beanfield/tools/bench/result"
	"beanfield/tools/server"
)

// Settle is how long a server may take to give buffers back before its memory is
// read.
const Settle = 2 * time.Second

// measureMemory measures what a backlog or idle connections add to the server's
// resident memory. No load runs.
func measureMemory(ctx context.Context, t generator.Target, ld load.Load, set generator.Settings) (
	*result.Result, error) {
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
		var w waiting
		defer w.close()
		err = w.open(&t, &ld)
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
