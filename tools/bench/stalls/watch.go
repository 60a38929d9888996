package stalls

import (
	"context"
	"time"

	"beanfield/tools/bench/load"
)

// In a watch, one connection watches very many tubes.
type watch struct {
	addr string
	load *load.Load
	wire *wire
	flow *flow
}

func (w *watch) prepare(context.Context) error {
	var err error
	if w.wire, err = dialWire(w.addr); err != nil {
		return err
	}
	w.flow = watchFlow(w.wire, w.load.Tubes, 1)
	return nil
}

func (w *watch) begin() error        { return nil }
func (w *watch) step() (bool, error) { return w.flow.step() }
func (w *watch) starts() time.Time   { return time.Time{} }
func (w *watch) over() bool          { return w.flow.over() }
func (w *watch) end()                { w.wire.close() }
