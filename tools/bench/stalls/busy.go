package stalls

import (
	"beanfield/tools/bench/generator"
	"beanfield/tools/bench/load"
)

// Disturbances by another tube under full load, while the load lasts.

func (d *disturbance) connectBusy() error { return d.connect(load.KindCycles, d.load.Depth, "") }

func (d *disturbance) connectFill() error {
	return d.connect(load.KindPut, d.load.Depth, disturbedTube)
}

// connect prepares a load of that kind. All of it uses the tube; if there is none, the
// load's own.
func (d *disturbance) connect(kind string, depth int, tube string) (err error) {
	ld := *d.load
	ld.Kind, ld.Depth = kind, depth
	if d.stepper, err = generator.NewStepper(d.target, ld, tube); err == nil {
		d.ends = append(d.ends, d.stepper.Close)
	}
	return err
}

// work goes on while the load lasts.
func (d *disturbance) work() error {
	s := d.stepper
	ends := s.Now() + int64(d.load.Duration)
	if err := s.Start(); err != nil {
		return err
	}
	return d.serve(func() bool {
		if s.Now() >= ends {
			s.Stop()
		}
		return s.Rests()
	})
}

// serve serves one connection at a time, so that the neighbour comes after each, until it is over.
func (d *disturbance) serve(over func() bool) error {
	for !over() {
		found, err := d.stepper.Look(0)
		if found && err == nil {
			err = d.stepper.Serve()
		}
		if err == nil {
			err = d.turn.Pass(found)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
