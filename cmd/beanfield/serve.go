package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"

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
// the process goes on, and the server still serves. backup must not block: it starts a goroutine.
func serve(srv server, ls []net.Listener, sig *signals, t node.Term, backup func(), log *slog.Logger,
	end func(code int)) (goesOn bool, err error) {
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
