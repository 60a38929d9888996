package main

import (
	"log/slog"
	"sync"
	"time"

	"beanfield/storage"
)

const (
	// slowStart is how long a start may take before the log says what it is doing. It says
	// so again after twice as long each time, and at last every slowStartMost.
	slowStart     = 5 * time.Second
	slowStartMost = time.Minute
)

// watchStart says in the log what a start is doing that takes long, until end is called, and then
// what took longest.
func watchStart(steps *storage.Steps, log *slog.Logger) (end func()) {
	begun, stop := time.Now(), make(chan struct{})
	var said sync.WaitGroup
	said.Go(func() {
		for wait := slowStart; ; wait = min(2*wait, slowStartMost) {
			late := time.NewTimer(wait)
			select {
			case <-late.C:
				notice(log, "the start takes long", "seconds", time.Since(begun).Seconds(), "doing", steps.Doing())
			case <-stop:
				late.Stop()
				return
			}
		}
	})
	return sync.OnceFunc(func() {
		close(stop)
		said.Wait()
		if took := time.Since(begun); took >= slowStart {
			notice(log, "the start took long", "seconds", took.Seconds(), "longest", steps.Longest())
		}
	})
}
