package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"beanfield/cmd/beanfield/exit"
	"beanfield/cmd/beanfield/node"
)

// How long a clean stop may take: connections get their replies until
// flushLimit; at hardLimit the process ends, whatever still hangs.
const (
	flushLimit = 8 * time.Second
	hardLimit  = 10 * time.Second
)

// server is what serving needs of front ends.
type server interface {
	Serve(net.Listener) error
	asked
}

// asked is what can be asked of front ends also while they do not serve.
type asked interface {
	Drain()
	Reload()
	Shutdown(context.Context) error
}

// serve accepts on all listeners until a signal ends it, a listener fails, or the term is to end. Then
// the process goes on, and the server still serves. broken hears of listeners that others serve. backup must not block:
// it starts a goroutine.
func serve(srv server, ls []net.Listener, broken <-chan error, sig *signals, t node.Term, backup func(),
	log *slog.Logger, end func(code int)) (goesOn bool, err error) {
	ended := make(chan error, len(ls))
	for _, l := range ls {
		go func() { ended <- srv.Serve(l) }()
	}
	tell(log, "READY=1")
	h := heeding{srv: srv, backup: backup, log: log}
	for {
		select {
		case <-sig.draining():
			h.drain(sig)
		case <-sig.backup:
			h.backup()
		case <-sig.reload:
			h.reload()
		case <-sig.stop.Done():
			if err := shutdown(srv, log, end); err != nil {
				return false, err
			}
			return false, wait(ended, len(ls))
		case <-t.Leave():
			return true, nil
		case <-t.Lost():
			return true, nil
		case err := <-ended:
			if err == nil {
				err = errors.New("it ended by itself")
			}
			err = fmt.Errorf("cannot serve any more: %w", err)
			return false, errors.Join(err, shutdown(srv, log, end))
		case err := <-broken:
			return false, errors.Join(err, shutdown(srv, log, end))
		}
	}
}

// heeding does what signals ask for.
type heeding struct {
	srv    asked
	backup func()
	log    *slog.Logger
}

func (h *heeding) drain(sig *signals) {
	sig.drained = true
	notice(h.log, "draining: new jobs are refused")
	h.srv.Drain()
}

func (h *heeding) reload() {
	tell(h.log, reloading())
	h.srv.Reload()
	tell(h.log, "READY=1")
}

// wait waits until n listeners have ended: after that nobody uses the server.
func wait(ended <-chan error, n int) error {
	var errs []error
	for range n {
		errs = append(errs, <-ended)
	}
	return errors.Join(errs...)
}

// shutdown stops the server cleanly. If that, or what follows it, takes longer than
// hardLimit, it calls end.
func shutdown(srv asked, log *slog.Logger, end func(code int)) error {
	tell(log, "STOPPING=1")
	time.AfterFunc(hardLimit, func() {
		log.Error("stopping took too long", "limit", hardLimit)
		end(exit.Failed)
	})
	ctx, cancel := context.WithTimeout(context.Background(), flushLimit)
	defer cancel()
	if err := srv.Shutdown(ctx); err != nil {
		return fmt.Errorf("not every connection could be closed cleanly: %w", err)
	}
	return nil
}

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
			notice(log, "stopping", "signal", unix.SignalName(sig.(syscall.Signal)))
			cancel()
		default:
			log.Warn("ending at once", "signal", unix.SignalName(sig.(syscall.Signal)))
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
