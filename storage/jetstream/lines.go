package jetstream

import (
	"fmt"
	"log/slog"
)

// lines brings the engine's log lines to a logger.
type lines struct {
	logger *slog.Logger
	fatal  chan error // the first that it could not go on after
}

func newLines(logger *slog.Logger, node string) *lines {
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	return &lines{logger.With("engine", node), make(chan error, 1)}
}

func (l *lines) Noticef(format string, args ...any) { l.logger.Info(fmt.Sprintf(format, args...)) }
func (l *lines) Warnf(format string, args ...any)   { l.logger.Warn(fmt.Sprintf(format, args...)) }
func (l *lines) Errorf(format string, args ...any)  { l.logger.Error(fmt.Sprintf(format, args...)) }
func (l *lines) Debugf(format string, args ...any)  { l.logger.Debug(fmt.Sprintf(format, args...)) }
func (l *lines) Tracef(format string, args ...any)  { l.logger.Debug(fmt.Sprintf(format, args...)) }

// Fatalf is called where the engine's own program would end.
func (l *lines) Fatalf(format string, args ...any) {
	err := fmt.Errorf(format, args...)
	l.logger.Error(err.Error())
	select {
	case l.fatal <- err:
	default:
	}
}
