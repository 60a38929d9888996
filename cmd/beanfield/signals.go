package main

import (
	"context"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"beanfield/cmd/beanfield/exit"
)

// signals is what the process was told by signals. The first SIGTERM or SIGINT asks
// for a clean stop, the second for an end at once. SIGUSR1 starts drain mode,
// SIGUSR2 a backup, and SIGHUP makes the server read its configuration again. SIGPIPE and SIGXFSZ are
// ignored: a write to a closed pipe, or one that makes a file larger than allowed, is an
// error like any other.
type signals struct {
	stop   context.Context // done at the first SIGTERM or SIGINT
	drain  chan struct{}   // closed at the first SIGUSR1
	backup chan struct{}   // holds a SIGUSR2 that nobody has acted on yet
	reload chan struct{}   // likewise a SIGHUP

	drained bool // somebody has acted on drain, who alone reads and writes this
}

// draining is closed if somebody is to act on the first SIGUSR1.
func (s *signals) draining() <-chan struct{} {
	if s.drained {
		return nil
	}
	return s.drain
}

// watchSignals starts to listen for signals. It is called before anything slow, so
// that an early SIGUSR1 counts and does not kill. end is called for the second
// SIGTERM or SIGINT; it does not return.
func watchSignals(log *slog.Logger, end func(code int)) *signals {
	in := make(chan os.Signal, 8)
	signal.Ignore(syscall.SIGPIPE, syscall.SIGXFSZ)
	signal.Notify(in, syscall.SIGTERM, syscall.SIGINT, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGHUP)
	stop, cancel := context.WithCancel(context.Background())
	s := newSignals(stop)
	go s.follow(in, cancel, log, end)
	return s
}

func newSignals(stop context.Context) *signals {
	return &signals{stop: stop, drain: make(chan struct{}), backup: make(chan struct{}, 1), reload: make(chan struct{},
		1)}
}

// follow acts on signals for the life of the process. Whatever the process is
// doing, the log says which signal ends it.
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
			ask(s.backup)
		case sig == syscall.SIGHUP:
			ask(s.reload)
		case s.stop.Err() == nil:
			notice(log, "stopping", "signal", signalName(sig))
			cancel()
		default:
			log.Warn("ending at once", "signal", signalName(sig))
			end(exit.BySignal + int(sig.(syscall.Signal)))
		}
	}
}

// ask leaves a token, unless there is one already.
func ask(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// signalName is the name by which people send a signal.
func signalName(sig os.Signal) string {
	switch sig {
	case syscall.SIGTERM:
		return "SIGTERM"
	case syscall.SIGINT:
		return "SIGINT"
	}
	return sig.String()
}
