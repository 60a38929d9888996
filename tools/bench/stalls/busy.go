package stalls

import (
	"context"
	"time"

	"beanfield/tools/bench/generator"
	"beanfield/tools/bench/load"
)

// busy keeps another tube under full load while the load lasts.
type busy struct {
	target generator.Target
	load   *load.Load
	cycles *generator.Stepper
	ends   int64 // on the clock of cycles
	done   bool
}

func (b *busy) prepare(context.Context) error {
	ld := *b.load
	ld.Kind = load.KindCycles
	b.done = false
	var err error
	b.cycles, err = generator.NewStepper(b.target, ld, "")
	return err
}

func (b *busy) begin() error {
	b.ends = b.cycles.Now() + int64(b.load.Duration)
	return b.cycles.Start()
}

// step serves one connection, so that the neighbour comes after each.
func (b *busy) step() (bool, error) {
	if b.done {
		return false, nil
	}
	found, err := b.cycles.Look(0)
	if found && err == nil {
		err = b.cycles.Serve()
	}
	if err != nil {
		return false, err
	}
	if b.cycles.Now() >= b.ends {
		b.cycles.Stop()
	}
	b.done = b.cycles.Rests()
	return found, nil
}

func (b *busy) starts() time.Time { return time.Time{} }

func (b *busy) over() bool { return b.done }

func (b *busy) end() { b.cycles.Close() }
