package stalls

import (
	"fmt"
)

// A settling is over when the counts of the disturbed tube say that every job is ready.
type settling struct {
	counter
	jobs  int
	ready bool
}

func newSettling(w *crowd) (*settling, error) {
	line, err := dialWire(w.addr)
	return &settling{counter: counter{wire: line}, jobs: w.load.Backlog}, err
}

func (s *settling) step() (bool, error) {
	if s.ready {
		return false, nil
	}
	counts, err := s.look()
	if counts == nil || err != nil {
		return false, err
	}
	there := int64(0)
	for _, state := range []string{"ready", "reserved", "delayed", "buried"} {
		there += counts["current-jobs-"+state]
	}
	if there != int64(s.jobs) {
		return false, fmt.Errorf("the tube has %d jobs, and should have %d", there, s.jobs)
	}
	s.ready = counts["current-jobs-ready"] == there
	return true, nil
}

func (s *settling) over() bool { return s.ready }

func (s *settling) end() {
	if s != nil {
		s.wire.close()
	}
}
