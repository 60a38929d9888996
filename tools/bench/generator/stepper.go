package generator

import (
	"time"

	"beanfield/tools/bench/load"
	"beanfield/tools/bench/socket"
)

// A Stepper is a load that its owner drives, one answer at a time, so that the same
// goroutine can do other things between two answers.
type Stepper struct {
	run    *run
	loop   *loop
	found  *conn // that has something to read, or to write
	events uint32
}

// NewStepper connects the load. All its connections use the tube, if there is one;
// otherwise the load's own. Nothing is sent before start.
func NewStepper(t Target, ld load.Load, tube string) (*Stepper, error) {
	r := &run{target: t, load: &ld, tube: tube, maxJobs: int64(ld.MaxJobs), base: time.Now()}
	if err := r.connect(1); err != nil {
		r.close()
		return nil, err
	}
	return &Stepper{run: r, loop: r.loops[0]}, nil
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
	n, err := socket.Wait(s.loop.epfd, s.loop.events[:1], wait)
	if n == 0 || err != nil {
		return false, err
	}
	s.found, s.events = s.loop.conns[s.loop.events[0].Fd], s.loop.events[0].Events
	return true, nil
}

// Due is when the batch was sent whose answer look has found.
func (s *Stepper) Due() int64 { return s.found.due }

// Serve does what look has found.
func (s *Stepper) Serve() error { return s.loop.serve(s.found, s.events) }

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

// MoveTo has a connection use and watch one tube alone. Its socket still blocks.
func MoveTo(fd int, tube string) error {
	for _, c := range []struct {
		line string
		want word
	}{{"use " + tube, wordUsing}, {"watch " + tube, wordWatching}, {"ignore default", wordWatching}} {
		if err := Converse(socket.Blocking(fd), c.line, c.want); err != nil {
			return err
		}
	}
	return nil
}
