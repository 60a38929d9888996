package client

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
)

// Handler does a job. See Worker for what its error means.
type Handler func(ctx context.Context, job *Job) error

// Mux has a handler for each tube. A Worker uses it if its Handler is the method Handle, and its Tubes are what Tubes
// returns. The zero Mux has no handlers. Set it up before Run, and do not change it afterwards.
type Mux struct {
	handlers map[string]Handler
	wraps    []func(Handler) Handler
	wrap     sync.Once
}

// On has jobs of a tube handled by h, instead of by an earlier handler.
func (m *Mux) On(tube string, h Handler) {
	if m.handlers == nil {
		m.handlers = map[string]Handler{}
	}
	m.handlers[tube] = h
}

// Use wraps each handler of the Mux once, for what they have in common, such as tracing. The first wrap is the
// outermost.
func (m *Mux) Use(wraps ...func(next Handler) Handler) { m.wraps = append(m.wraps, wraps...) }

// Tubes are those with a handler, in order.
func (m *Mux) Tubes() []string { return slices.Sorted(maps.Keys(m.handlers)) }

// Handle is a Handler: it calls the one for the job's tube. A job of another tube has failed.
func (m *Mux) Handle(ctx context.Context, job *Job) error {
	if job.Tube == "" { // a Worker with a TTR, and a beanstalkd
		stats, err := job.Stats(ctx)
		if err != nil {
			return err
		}
		job.Tube = stats.Get("tube")
	}
	m.wrap.Do(func() {
		for _, wrap := range slices.Backward(m.wraps) {
			for tube, h := range m.handlers {
				m.handlers[tube] = wrap(h)
			}
		}
	})
	h := m.handlers[job.Tube]
	if h == nil {
		return fmt.Errorf("no handler for tube %q", job.Tube)
	}
	return h(ctx, job)
}
