package main

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"beanfield/cmd/beanfield/exit"
	"beanfield/cmd/beanfield/node"
)

// fakeServer serves until it is shut down, and notes what was asked of it.
type fakeServer struct {
	mu       sync.Mutex
	asked    []string
	down     chan struct{}
	fail     chan error                  // ends Serve
	shutdown func(context.Context) error // nil: at once
}

func newFakeServer() *fakeServer {
	return &fakeServer{down: make(chan struct{}), fail: make(chan error)}
}

func (f *fakeServer) note(what string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = append(f.asked, what)
}

func (f *fakeServer) Serve(net.Listener) error {
	select {
	case err := <-f.fail:
		return err
	case <-f.down:
		return nil
	}
}

func (f *fakeServer) Drain() { f.note("drain") }

func (f *fakeServer) Reload() { f.note("reload") }

func (f *fakeServer) Shutdown(ctx context.Context) error {
	f.note("shutdown")
	defer close(f.down)
	if f.shutdown != nil {
		return f.shutdown(ctx)
	}
	return nil
}

// serving runs serve in a bubble of synctest.
type serving struct {
	*fakeServer
	in    chan os.Signal
	ended chan int // codes that end was called with
	err   chan error
	log   bytes.Buffer // to be read when serve has returned
}

func startServing(f *fakeServer) *serving {
	s := &serving{fakeServer: f, in: make(chan os.Signal), ended: make(chan int, 2), err: make(chan error, 1)}
	log := slog.New(slog.NewTextHandler(&s.log, nil))
	stop, cancel := context.WithCancel(context.Background())
	sig := newSignals(stop)
	end := func(code int) { s.ended <- code }
	go sig.follow(s.in, cancel, log, end)
	go func() {
		_, err := serve(f, make([]net.Listener, 3), nil, sig, node.Endless{}, func() { f.note("backup") }, log, end)
		s.err <- err
	}()
	return s
}

// finish ends the goroutine that follows the signals, and checks what happened.
func (s *serving) finish(t *testing.T, asked string, wantErr string, codes ...int) {
	t.Helper()
	err := <-s.err
	close(s.in)
	synctest.Wait()
	close(s.ended)
	if got := strings.Join(s.asked, " "); got != asked {
		t.Errorf("the server was asked %q, want %q", got, asked)
	}
	if (err == nil) != (wantErr == "") || err != nil && !strings.Contains(err.Error(), wantErr) {
		t.Errorf("serve returned %v, want %q", err, wantErr)
	}
	for _, want := range codes {
		if got := <-s.ended; got != want {
			t.Errorf("end was called with %d, want %d", got, want)
		}
	}
	if got, more := <-s.ended; more {
		t.Errorf("end was called with %d", got)
	}
}

// Each signal asks for what it stands for, and the one that ends the process is the last. Drain mode begins once.
func TestServeHeedsSignals(t *testing.T) {
	for signal, asked := range map[os.Signal]string{
		syscall.SIGUSR1: "drain shutdown", syscall.SIGUSR2: "backup backup shutdown",
		syscall.SIGHUP: "reload reload shutdown",
		syscall.SIGINT: "shutdown", syscall.SIGTERM: "shutdown",
	} {
		synctest.Test(t, func(t *testing.T) {
			s := startServing(newFakeServer())
			if asked != "shutdown" {
				for range 2 {
					s.in <- signal
					synctest.Wait()
				}
				signal = syscall.SIGTERM
			}
			s.in <- signal
			s.finish(t, asked, "")
		})
	}
}

// Several SIGUSR2 that come before a backup has begun ask for the same one.
func TestBackupsAreAskedForOnce(t *testing.T) {
	sig := newSignals(t.Context())
	in := make(chan os.Signal, 3)
	in <- syscall.SIGUSR2
	in <- syscall.SIGUSR2
	close(in)
	sig.follow(in, nil, nil, nil)
	if n := len(sig.backup); n != 1 {
		t.Errorf("%d backups are asked for, want 1", n)
	}
}

// stopping is a server that was told to end, and ends so.
func stopping(shutdown func(context.Context) error) *serving {
	f := newFakeServer()
	f.shutdown = shutdown
	s := startServing(f)
	s.in <- syscall.SIGTERM
	return s
}

// A slow client gets flushLimit; after that the process fails.
func TestServeGivesUpFlushing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		s := stopping(func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
		s.finish(t, "shutdown", "deadline exceeded")
		if d := time.Since(begin); d != flushLimit {
			t.Errorf("it took %v", d)
		}
	})
}

// The process ends at hardLimit even if the shutdown hangs.
func TestServeEndsHardByClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		s := stopping(func(context.Context) error { time.Sleep(time.Hour); return nil })
		if code := <-s.ended; code != exit.Failed || time.Since(begin) != hardLimit {
			t.Errorf("end(%d) after %v", code, time.Since(begin))
		}
		s.finish(t, "shutdown", "")
	})
}

// The second signal ends at once, whatever hangs.
func TestServeEndsHardBySignal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := stopping(func(context.Context) error { time.Sleep(time.Second); return nil })
		synctest.Wait()
		s.in <- syscall.SIGINT
		s.finish(t, "shutdown", "", exit.BySignal+2)
	})
}

// If one listener fails, the others are shut down and the error is returned.
func TestServeFails(t *testing.T) {
	for _, err := range []error{errors.New("accept: broken"), nil} {
		synctest.Test(t, func(t *testing.T) {
			s := startServing(newFakeServer())
			s.fail <- err
			s.finish(t, "shutdown", "cannot serve any more")
		})
	}
}
