package stalls

import (
	"context"
	"fmt"
	"time"

	"beanfield/tools/bench/load"
)

// In a hangup, connections that each watch many tubes close all at once.
type hangup struct {
	counter
	addr  string
	load  *load.Load
	wires []*wire
	gone  bool
}

func (h *hangup) prepare(ctx context.Context) error {
	h.gone = false
	var err error
	if h.wires, err = dialAll(ctx, h.addr, h.load.Connections, h.load.Tubes); err != nil {
		return err
	}
	if h.counter, err = newCounter(ctx, h.addr); err != nil {
		return err
	}
	return h.await(ctx, "current-watching", h.load.Connections)
}

func (h *hangup) begin() error {
	closeAll(h.wires)
	return nil
}

// step asks how many are still there. Each has watched the disturbed tube last, so when
// it has left that tube it has probably left the others.
func (h *hangup) step() (bool, error) {
	if h.gone {
		return false, nil
	}
	counts, err := h.look()
	if counts == nil || err != nil {
		return false, err
	}
	left := counts["current-watching"]
	if left > int64(h.load.Connections) {
		return false, fmt.Errorf("%d connections watch the tube, and at most %d should", left, h.load.Connections)
	}
	h.gone = left == 0
	return true, nil
}

func (h *hangup) starts() time.Time { return time.Time{} }
func (h *hangup) over() bool        { return h.gone }

func (h *hangup) end() {
	closeAll(h.wires)
	h.close()
}
