//go:build linux

package load

// A Stepper is a load that its owner drives, one answer at a time, so that the same goroutine can do other things
// between two answers.
type Stepper struct{ *run }

// NewStepper connects the load. All its connections use the tube, if there is one; otherwise the load's own. Nothing
// is sent before Start.
func NewStepper(t Target, ld Load, tube string) (*Stepper, error) {
	r := newRun(t, &ld, Spin)
	r.tube = tube
	if err := r.connect(1); err != nil {
		r.close()
		return nil, err
	}
	return &Stepper{r}, nil
}

// Close may be called again.
func (s *Stepper) Close() { s.close() }

// Now is the stepper's clock.
func (s *Stepper) Now() int64 { return s.now() }

// Start measures from here on; every connection sends its first batch.
func (s *Stepper) Start() error {
	s.loop.measuring, s.loop.stopping = true, false
	for _, c := range s.loop.conns {
		if err := s.loop.advance(c, s.now()); err != nil {
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

// Due is when the batch was sent whose answer Look has found.
func (s *Stepper) Due() int64 { return s.loop.wires.Found(0).(*conn).due }

// Serve does what Look has found.
func (s *Stepper) Serve() error { return s.loop.wires.Serve(0) }

// Stop begins nothing new: each connection ends what it has begun.
func (s *Stepper) Stop() { s.loop.stopping = true }

// Rests tells whether all connections have ended what they had begun.
func (s *Stepper) Rests() bool {
	for _, c := range s.loop.conns {
		if c.left > 0 || !c.rests() {
			return false
		}
	}
	return s.loop.stopping
}

// Take ends the measurement and gives what was counted since Start.
func (s *Stepper) Take() Tally {
	t := s.loop.tally
	s.loop.measuring, s.loop.tally = false, Tally{}
	return t
}
