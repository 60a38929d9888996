//go:build linux

package through

import (
	"context"
	"net"
	"sync"
	"time"
)

// reconnect kills the node that serves, and measures when each of its clients is served again, which have come to the
// other nodes, half of them to each, and come there again.
func (r *run) reconnect(ctx context.Context) error {
	others := r.others()
	addr := func(client int) string { return others[client%len(others)].Client }
	conns := make([]net.Conn, r.storm)
	for i := range conns {
		var err error
		if conns[i], err = dial(ctx, addr(i)); err != nil {
			return err
		}
		defer func() { conns[i].Close() }()
	}
	killed := time.Now()
	r.owner.Kill()
	times, errs := make([]float64, len(conns)), make([]error, len(conns))
	var all sync.WaitGroup
	for i := range conns {
		all.Go(func() {
			_ = conns[i].SetReadDeadline(time.Now().Add(startWithin))
			_, _ = conns[i].Read(make([]byte, 1)) // until it ends
			conns[i].Close()
			var conn net.Conn
			if conn, errs[i] = dial(ctx, addr(i)); errs[i] == nil {
				conns[i] = conn
			}
			times[i] = time.Since(killed).Seconds()
		})
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	middle := median(times)
	r.tell("the node that serves is killed", "%d clients of the others are served again after %.2f s (the first), %.2f s "+
		"(half of them), %.2f s (all)", len(times), times[0], middle, times[len(times)-1])
	return nil
}
