package stalls

import (
	"context"
	"time"

	"beanfield/tools/bench/generator"
	"beanfield/tools/bench/load"
)

// busy keeps another tube under full load while the load lasts.
type busy struct {
	target  generator.Target
	load    *load.Load
	kind    string // of that load
	tube    string // empty: the load's own
	stepper *generator.Stepper
	ends    int64 // on the clock of stepper
	done    bool
}

func (b *busy) prepare(context.Context) error {
	ld := *b.load
	ld.Kind = b.kind
	b.done = false
	var err error
	b.stepper, err = generator.NewStepper(b.target, ld, b.tube)
	return err
}

func (b *busy) begin() error {
	b.ends = b.stepper.Now() + int64(b.load.Duration)
	return b.stepper.Start()
}

// step serves one connection, so that the neighbour comes after each.
func (b *busy) step() (bool, error) {
	if b.done {
		return false, nil
	}
	found, err := b.stepper.Look(0)
	if found && err == nil {
		err = b.stepper.Serve()
	}
	if err != nil {
		return false, err
	}
	if b.stepper.Now() >= b.ends {
		b.stepper.Stop()
	}
	b.done = b.stepper.Rests()
	return found, nil
}

func (b *busy) starts() time.Time { return time.Time{} }

func (b *busy) over() bool { return b.done }

func (b *busy) end() { b.stepper.Close() }
