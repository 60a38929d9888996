package stalls

import (
	"context"
	"fmt"
	"time"
)

// stuck is a disturbance: consumers with auto-commit begin to watch a queue with many jobs,
// and never read. It goes on while the load lasts.
type stuck struct {
	crowd
	queue     string
	consumers []*errand
	watching  int // consumers whose handshake has been answered
	ends      time.Time
}

func (s *stuck) prepare(ctx context.Context) error {
	s.ends, s.watching = time.Time{}, 0
	if err := s.refill(ctx, s.queue); err != nil {
		return err
	}
	for i := range s.load.Connections {
		e, err := newWatch(s.queue, firstGroup, fmt.Sprint(i), "_auto_commit_=true")
		if err != nil {
			return err
		}
		s.consumers = append(s.consumers, e)
	}
	return nil
}

func (s *stuck) begin() error {
	s.ends = time.Now().Add(s.load.Duration)
	for _, e := range s.consumers {
		if err := e.send(); err != nil {
			return err
		}
	}
	return nil
}

// step reads the answers to the handshakes, and hardly anything beyond them.
func (s *stuck) step() (bool, error) {
	if s.watching == len(s.consumers) {
		return false, nil
	}
	e := s.consumers[s.watching]
	worked, err := e.step()
	if e.done {
		s.watching++
	}
	return worked, err
}

func (s *stuck) starts() time.Time { return time.Time{} }

func (s *stuck) over() bool { return s.watching == len(s.consumers) && time.Now().After(s.ends) }

func (s *stuck) end() {
	for _, e := range s.consumers {
		e.close()
	}
	s.consumers = nil
}
