package forward

import (
	"log/slog"
	"sync"
	"time"
)

// quiet is for how long a thing that has been said is not said again.
const quiet = time.Minute

// seldom is a line of the log that may come for every client, or every stranger.
type seldom struct {
	mu   sync.Mutex
	last time.Time
	more int // how often it was not said since
}

// warn writes the line, unless it has been written within the last minute.
func (s *seldom) warn(log *slog.Logger, line string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.last.IsZero() && time.Since(s.last) < quiet {
		s.more++
		return
	}
	log.Warn(line, append(args, "unsaid-before", s.more)...)
	s.last, s.more = time.Now(), 0
}
