package jetstream

import (
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
)

// lines brings the engine's log lines to a logger.
type lines struct {
	logger *slog.Logger
	fatal  chan error // the first that it could not go on after
	ill    atomic.Pointer[error]
	closed atomic.Pointer[error] // the last word about an engine that does not let this one in, or is not let in
}

func newLines(logger *slog.Logger, node string) *lines {
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	return &lines{logger: logger.With("engine", node), fatal: make(chan error, 1)}
}

// forget drops what an earlier engine could not go on after.
func (l *lines) forget() {
	select {
	case <-l.fatal:
	default:
	}
}

func (l *lines) Noticef(format string, args ...any) { l.logger.Info(fmt.Sprintf(format, args...)) }
func (l *lines) Warnf(format string, args ...any)   { l.logger.Warn(fmt.Sprintf(format, args...)) }
func (l *lines) Debugf(format string, args ...any)  { l.logger.Debug(fmt.Sprintf(format, args...)) }
func (l *lines) Tracef(format string, args ...any)  { l.logger.Debug(fmt.Sprintf(format, args...)) }

// Errorf looks for what the engine says when it gives a stream up, or all: it tells that nowhere else.
func (l *lines) Errorf(format string, args ...any) {
	err := fmt.Errorf(format, args...)
	text := err.Error()
	l.logger.Error(text)
	if strings.Contains(text, "ritical write error") || strings.Contains(text, "will be DISABLED") || strings.Contains(text, "disabling JetStream") {
		l.ill.CompareAndSwap(nil, &err)
	}
	if strings.Contains(text, "Authorization Violation") || strings.Contains(text, "authentication error") || strings.Contains(text, "TLS ") {
		l.closed.Store(&err)
	}
}

// Fatalf is called where the engine's own program would end.
func (l *lines) Fatalf(format string, args ...any) {
	err := fmt.Errorf(format, args...)
	l.logger.Error(err.Error())
	select {
	case l.fatal <- err:
	default:
	}
}
