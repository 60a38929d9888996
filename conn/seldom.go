package conn

import (
	"sync"
	"time"
)

// quiet is for how long a thing that has been said is not said again.
const quiet = time.Minute

// Seldom is a line of the log that may come for every client, or every stranger.
type Seldom struct {
	mu   sync.Mutex
	last time.Time
	more int // how often it was not said since
}

// Say writes the line, unless one has been written within the last minute.
func (s *Seldom) Say(log func(line string, args ...any), line string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.last.IsZero() && time.Since(s.last) < quiet {
		s.more++
		return
	}
	log(line, append(args, "unsaid-before", s.more)...)
	s.last, s.more = time.Now(), 0
}
