package measure

import (
	"context"
	"errors"

	"beanfield/tools/bench/generator"
	"beanfield/tools/bench/load"
	"beanfield/tools/bench/result"
	"beanfield/tools/server"
)

// A Held is a server that is started for one measurement or several.
type Held struct {
	pinning *Pinning
	pinned  bool
	target  generator.Target
	server  *server.Launched
}

// Hold starts a server, on processors of its own where pinned.
func (p *Pinning) Hold(ctx context.Context, pinned bool, how server.Launch) (*Held, error) {
	how.CPUs = p.serverCPUs(pinned)
	s, err := how.Prepare()
	if err != nil {
		return nil, err
	}
	// Before this program is pinned: a server without processors of its own would inherit
	// those of the generator.
	if err := s.Serve(ctx); err != nil {
		s.Stop()
		return nil, err
	}
	t := generator.Target{Addr: s.Addr, Queue: s.Queue, TLS: s.TLS, PID: s.PID(), Owned: true, Disk: s.Disk()}
	return &Held{pinning: p, pinned: pinned, target: t, server: s}, nil
}

// Measure runs a load against the server.
func (h *Held) Measure(ctx context.Context, ld load.Load, set generator.Settings) (*result.Result, error) {
	restore, err := h.pinning.self(h.pinned)
	if err != nil {
		return nil, err
	}
	defer restore()
	res, err := Running(ctx, h.target, ld, set)
	if err != nil {
		return nil, errors.Join(err, h.server.Died())
	}
	res.Server.OnDisk = h.server.OnDisk()
	return res, nil
}

// Stop ends the server.
func (h *Held) Stop() { h.server.Stop() }
