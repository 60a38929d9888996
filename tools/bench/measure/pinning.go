package measure

import (
	"flag"

	"beanfield/tools/bench/machine"
)

// Pinning puts the server on some processors and the generator on others, so that
// the two do not take time from each other and rounds are alike.
type Pinning struct {
	On              bool
	Server, OwnCPUs string
}

func (p *Pinning) Flags(f *flag.FlagSet) {
	f.BoolVar(&p.On, "pin", true, "pin a server started here, and the generator, to processors of their own")
	f.StringVar(&p.Server, "server-cpus", "0", "`list` of processors for the server")
	f.StringVar(&p.OwnCPUs, "load-cpus", "1", "`list` of processors for the generator")
}

func (p *Pinning) serverCPUs(pinned bool) string {
	if pinned {
		return p.Server
	}
	return ""
}

// self pins this program, if asked to, and returns what undoes that.
func (p *Pinning) self(pinned bool) (restore func(), err error) {
	if !pinned {
		return func() {}, nil
	}
	before, err := machine.OwnAffinity()
	if err != nil {
		return nil, err
	}
	set, err := machine.ParseCPUs(p.OwnCPUs)
	if err != nil {
		return nil, err
	}
	if err := machine.PinSelf(set); err != nil {
		return nil, err
	}
	return func() { _ = machine.PinSelf(before) }, nil
}
