package main

import (
	"context"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
)

// signals is what the process was told from outside. SIGTERM and SIGINT ask for
// an orderly end, and the second of them for an end at once. SIGUSR1 starts
// drain mode, SIGUSR2 a backup. SIGHUP, SIGPIPE and SIGXFSZ are ignored: there is
// no terminal to follow and nothing to reload, and a write to a closed pipe, or
// beyond the limit for the size of a file, is an error like others.
type signals struct {
	stop   context.Context // done at the first SIGTERM or SIGINT
	drain  chan struct{}   // closed at the first SIGUSR1
	backup chan struct{}   // a SIGUSR2 that nobody has taken yet
}

// watchSignals starts to listen for signals. It comes before anything slow, so
// that an early SIGUSR1 counts and does not kill. end is called for the second
// SIGTERM or SIGINT and does not return.
func watchSignals(log *slog.Logger, end func(code int)) *signals {
	in := make(chan os.Signal, 8)
	signal.Ignore(syscall.SIGHUP, syscall.SIGPIPE, syscall.SIGXFSZ)
	signal.Notify(in, syscall.SIGTERM, syscall.SIGINT, syscall.SIGUSR1, syscall.SIGUSR2)
	stop, cancel := context.WithCancel(context.Background())
	s := newSignals(stop)
	go s.follow(in, cancel, log, end)
	return s
}

func newSignals(stop context.Context) *signals {
	return &signals{stop: stop, drain: make(chan struct{}), backup: make(chan struct{}, 1)}
}

// follow runs for the life of the process.
func (s *signals) follow(in <-chan os.Signal, cancel func(), log *slog.Logger, end func(code int)) {
	draining := false
	for sig := range in {
		switch {
		case sig == syscall.SIGUSR1:
			if !draining {
				draining = true
				close(s.drain)
			}
		case sig == syscall.SIGUSR2:
			select {
			case s.backup <- struct{}{}:
			default: // one is asked for already
			}
		case s.stop.Err() == nil:
			log.Info("stopping", "signal", sig.String())
			cancel()
		default:
			log.Warn("ending at once", "signal", sig.String())
			end(exitBySignal + int(sig.(syscall.Signal)))
		}
	}
}
