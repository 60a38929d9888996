package jetstream

import (
	"log/slog"
	"strings"
	"testing"

	"beanfield/storage/must"
)

// E10: the first line with which the engine gives a stream up, or all, is kept; others mean nothing. All are logged.
func TestLinesOfAFailure(t *testing.T) {
	var log must.Text
	l := newLines(slog.New(slog.NewTextHandler(&log, nil)), "a")
	l.Errorf("JetStream stream %q has no leader", "s")
	l.Warnf("Critical write error")
	s := &Server{lines: l}
	if l.ill.Load() != nil || s.Unwelcome() != nil {
		t.Error("it is ill with", l.ill.Load(), s.Unwelcome())
	}
	for _, line := range []string{"Route Error 'Authorization Violation'", "x - authentication error - User y", "TLS route handshake error: x"} {
		l.Errorf("%s", line)
		if err := s.Unwelcome(); err == nil || err.Error() != line {
			t.Errorf("%q: it says %v", line, err)
		}
	}
	for _, line := range []string{
		"RAFT [x] Critical write error: disk", "JetStream stream 'a > b' critical write error: disk", "JetStream out of File resources, will be DISABLED",
		"File system permission denied while writing, disabling JetStream",
	} {
		l.ill.Store(nil)
		l.Errorf("%s", line)
		l.Errorf("Critical write error: later")
		if is := l.ill.Load(); is == nil || (*is).Error() != line {
			t.Errorf("%q: it is ill with %v", line, is)
		}
	}
	if n := strings.Count(log.String(), "\n"); n != 13 {
		t.Errorf("%d lines are logged", n)
	}
}
