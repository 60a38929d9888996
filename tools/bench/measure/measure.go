package measure

import (
	"context"
	"errors"

	"beanfield/tools/bench/generator"
	"beanfield/tools/bench/load"
	"beanfield/tools/bench/result"
	"beanfield/tools/bench/stalls"
	"beanfield/tools/server"
)

// MeasureNew measures a server that is started for that, and ended.
func (p *Pinning) MeasureNew(ctx context.Context, pinned bool, how server.Launch, ld load.Load,
	set generator.Settings) (*result.Result, error) {
	if ld.Kind != load.KindRestart {
		h, err := p.Hold(ctx, pinned, how)
		if err != nil {
			return nil, err
		}
		defer h.Stop()
		return h.Measure(ctx, ld, set)
	}
	how.CPUs = p.serverCPUs(pinned)
	s, err := how.Prepare()
	if err != nil {
		return nil, err
	}
	defer s.Stop()
	restore, err := p.self(pinned)
	if err != nil {
		return nil, err
	}
	defer restore()
	return measureRestart(ctx, s, ld, set)
}

// Running runs a load against a server.
func Running(ctx context.Context, t generator.Target, ld load.Load, set generator.Settings) (*result.Result, error) {
	if err := ld.Check(); err != nil {
		return nil, err
	}
	if ld.IsMemory() {
		return measureMemory(ctx, t, ld, set)
	}
	switch ld.Kind {
	case load.KindRestart:
		return nil, errors.New("restart needs -server: what runs is not ended")
	case load.KindNeighbour:
		return stalls.Measure(ctx, t, ld, set)
	}
	return generator.Generate(ctx, t, ld, set)
}
