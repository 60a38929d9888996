package generator

import (
	"time"

	"beanfield/tools/bench/load"
)

// A Stepper is a load that its owner drives, one answer at a time, so that the same
// goroutine can do other things between two answers.
type Stepper struct{ *run }

// NewStepper connects the load. All its connections use the tube, if there is one;
// otherwise the load's own. Nothing is sent before start.
func NewStepper(t Target, ld load.Load, tube string) (*Stepper, error) {
	r := &run{target: t, load: &ld, tube: tube, single: true, base: time.Now()}
	if err := r.connect(); err != nil {
		r.close()
		return nil, err
	}
	return &Stepper{r}, nil
}

// Close may be called again, and of a stepper that was never made.
func (s *Stepper) Close() {
	if s != nil {
		s.run.close()
	}
}

// Now is the stepper's clock.
func (s *Stepper) Now() int64 { return s.run.now() }

// Start measures from here on; every connection sends its first batch.
func (s *Stepper) Start() error {
	s.loop.measuring, s.loop.stopping = true, false
	now := s.run.now()
	for _, c := range s.loop.conns {
		if err := s.loop.advance(c, now); err != nil {
			return err
		}
	}
	return nil
}

// Look waits so many nanoseconds at most for something to do on one connection.
func (s *Stepper) Look(wait int64) (bool, error) {
	n, err := s.loop.wires.Look(wait)
	return n > 0, err
}

// Due is when the batch was sent whose answer look has found.
func (s *Stepper) Due() int64 { return s.loop.wires.Found(0).(*conn).due }

// Serve does what look has found.
func (s *Stepper) Serve() error { return s.loop.wires.Serve(0) }

// Stop begins nothing new: each connection ends what it has begun.
func (s *Stepper) Stop() { s.loop.stopping = true }

// Rests tells whether all connections have ended what they had begun.
func (s *Stepper) Rests() bool {
	if !s.loop.stopping {
		return false
	}
	for _, c := range s.loop.conns {
		if c.left > 0 || !c.plan.rest(c) {
			return false
		}
	}
	return true
}

// Take ends the measurement and gives what was counted since start.
func (s *Stepper) Take() *Tally {
	t := s.loop.tally
	s.loop.measuring, s.loop.tally = false, Tally{}
	return &t
}
