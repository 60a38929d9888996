package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
)

// Pinning puts the server on some processors and the generator on others, so that
// the two do not take time from each other and rounds are alike.
type pinning struct {
	on              bool
	server, ownCPUs string
}

func (p *pinning) flags(f *flag.FlagSet) {
	f.BoolVar(&p.on, "pin", true, "pin a server started here, and the generator, to processors of their own")
	f.StringVar(&p.server, "server-cpus", "0", "`list` of processors for the server")
	f.StringVar(&p.ownCPUs, "load-cpus", "1", "`list` of processors for the generator")
}

func (p *pinning) serverCPUs(pinned bool) string {
	if pinned {
		return p.server
	}
	return ""
}

// self pins this program, if asked to, and gives back what undoes that.
func (p *pinning) self(pinned bool) (restore func(), err error) {
	if !pinned {
		return func() {}, nil
	}
	before, err := ownAffinity()
	if err != nil {
		return nil, err
	}
	set, err := parseCPUs(p.ownCPUs)
	if err != nil {
		return nil, err
	}
	if err := pinSelf(set); err != nil {
		return nil, err
	}
	return func() { _ = pinSelf(before) }, nil
}

// measureNew measures a server that is started for that, and ended.
func (p *pinning) measureNew(ctx context.Context, pinned bool, how launch, echo bool, ld load, set settings) (*result, error) {
	how.cpus = p.serverCPUs(pinned)
	s, err := newServer(how)
	if err != nil {
		return nil, err
	}
	defer s.stop()
	if ld.Kind != kindRestart {
		// Before this program is pinned: a server without processors of its own would
		// inherit those of the generator.
		if err := s.serve(ctx); err != nil {
			return nil, err
		}
	}
	restore, err := p.self(pinned)
	if err != nil {
		return nil, err
	}
	defer restore()
	if ld.Kind == kindRestart {
		return measureRestart(ctx, s, ld, set)
	}
	t := target{addr: s.addr, pid: s.pid(), echo: echo, owned: true}
	res, err := measure(ctx, t, ld, set)
	if err != nil {
		return nil, errors.Join(err, s.died())
	}
	return res, nil
}

const (
	spinAuto = "auto"
	spinOn   = "on"
	spinOff  = "off"
)

// spins decides whether the generator waits for replies or keeps looking. With a
// processor of its own it looks: the server then never pays for waking it.
func spins(choice string, pinned bool) (bool, error) {
	switch choice {
	case spinAuto:
		return pinned, nil
	case spinOn, spinOff:
		return choice == spinOn, nil
	}
	return false, fmt.Errorf("-spin %q: want auto, on or off", choice)
}
