//go:build linux

package measure

import (
	"context"
	"errors"
	"runtime"

	"beanfield/tools/bench/load"
	"beanfield/tools/bench/stalls"
	"beanfield/tools/server"
)

// How says how a server is started and measured.
type How struct {
	server.Launch
	Pinned        bool // the server and the generator have processors of their own, so that rounds are alike
	load.Settings      // Wait "": without pause where pinned; otherwise that would take the server's processor from it
}

// Can tells whether there are processors enough to pin both.
func Can() bool { return runtime.NumCPU() > 1 }

// A Held is a server that is started for one measurement or several.
type Held struct {
	How
	server *server.Launched
}

// Hold starts a server, on a processor of its own where pinned. One whose restart is measured is not started yet.
func (h How) Hold(ctx context.Context, ld *load.Load) (*Held, error) {
	if h.Pinned {
		h.CPUs = ServerCPU
	}
	s, err := h.Prepare()
	if err != nil {
		return nil, err
	}
	// Before this program is pinned: a server without processors of its own would inherit those of the generator.
	if ld.Kind != load.Restart {
		if err := s.Serve(ctx); err != nil {
			s.Stop()
			return nil, err
		}
	}
	switch {
	case h.Wait != "":
	case h.Pinned:
		h.Wait = load.Spin
	default:
		h.Wait = load.Epoll
	}
	return &Held{How: h, server: s}, nil
}

// Measure runs a load against the server.
func (h *Held) Measure(ctx context.Context, ld load.Load) (res *load.Result, err error) {
	if h.Pinned {
		restore, err := PinSelf()
		if err != nil {
			return nil, err
		}
		defer restore()
	}
	switch {
	case ld.Kind == load.Restart:
		return restarted(ctx, h.server, ld, h.Settle)
	case ld.Waits():
		res, err = Memory(ctx, load.TargetOf(h.server), ld, h.Settle)
	case ld.Kind == load.Neighbour:
		res, err = stalls.Measure(ctx, load.TargetOf(h.server), ld, h.Wait)
	default:
		res, err = load.Generate(ctx, load.TargetOf(h.server), ld, h.Settings)
	}
	if err != nil {
		return nil, errors.Join(err, h.server.Died())
	}
	res.Server.OnDisk = h.server.OnDisk()
	return res, nil
}

// Filled says that the backlog is there from now on.
func (h *Held) Filled() { h.Settings.Filled = true }

// Stop ends the server.
func (h *Held) Stop() { h.server.Stop() }

// Once measures a server that is started for that, and ended.
func (h How) Once(ctx context.Context, ld load.Load) (*load.Result, error) {
	held, err := h.Hold(ctx, &ld)
	if err != nil {
		return nil, err
	}
	defer held.Stop()
	return held.Measure(ctx, ld)
}
