package stalls

import (
	"context"
	"time"

	"beanfield/tools/bench/generator"
)

// In a death, a worker that holds every job closes its connection.
type death struct {
	crowd
	*settling
	worker *generator.Client
}

func (d *death) prepare(ctx context.Context) error {
	if err := d.fill(ctx); err != nil {
		return err
	}
	var err error
	if d.worker, err = d.dial(); err != nil {
		return err
	}
	defer context.AfterFunc(ctx, d.worker.Close)()
	if err := d.reserve(d.worker); err != nil {
		return err
	}
	d.settling, err = newSettling(&d.crowd)
	return err
}

func (d *death) begin() error { return d.worker.HangUp() }

func (d *death) starts() time.Time { return time.Time{} }

func (d *death) end() {
	d.settling.end()
	if d.worker != nil {
		d.worker.Close()
	}
}
