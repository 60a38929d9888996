package server

import (
	"context"
	"fmt"
	"net"
	"time"
)

const (
	// startWithin bounds the wait for a server that was just started.
	startWithin = 2 * time.Minute
	// dialPace is how often a server that does not listen yet is tried, at first; then less often.
	dialPace = time.Millisecond
)

// Connect connects as soon as the server lets it.
func (p *Process) Connect(ctx context.Context) (net.Conn, error) {
	for begun := time.Now(); ; {
		conn, err := net.Dial("tcp", p.Addr)
		if err == nil {
			return conn, nil
		}
		select {
		case <-time.After(max(dialPace, time.Since(begun)/64)):
		case <-p.exited:
			return nil, fmt.Errorf("%v ended at once (%v): %s", p.cmd.Args, p.cmd.ProcessState, p.said)
		case <-ctx.Done():
			return nil, fmt.Errorf("%v does not accept connections at %s: %w; %w; it said: %s", p.cmd.Args, p.Addr, err,
				ctx.Err(), p.said)
		}
	}
}
