package database

import (
	"fmt"
	"runtime/debug"
	"sync"
)

// Fault remembers the first error after which a database must not be used any
// more. Pebble reports such errors by calling its logger's Fatalf, or by a
// panic, and cannot go on after either: its locks may be held and its manifest
// half written. So the goroutine that met the error is parked and never resumes,
// all goroutines that wait for the database are told through dead, and the database
// is abandoned, not closed. What it had made durable stays durable.
type Fault struct {
	once sync.Once
	Dead chan struct{} // closed when err is set
	err  error
	then func(error) // told once, if not nil
}

func NewFault(then func(error)) *Fault {
	return &Fault{Dead: make(chan struct{}), then: then}
}

func (f *Fault) Fail(err error) {
	f.once.Do(func() {
		f.err = err
		close(f.Dead)
		if f.then != nil {
			f.then(err)
		}
	})
}

// Err is the error, or nil while there is none.
func (f *Fault) Err() error {
	select {
	case <-f.Dead:
		return f.err
	default:
		return nil
	}
}

// Guard runs fn, which calls Pebble, and returns when it does, or when the
// database has failed: fn may then never return.
func (f *Fault) Guard(fn func() error) error {
	done := make(chan error, 1)
	go func() {
		defer f.recover()
		done <- fn()
	}()
	select {
	case err := <-done:
		// A call can succeed although Pebble met a fault during it.
		if fatal := f.Err(); fatal != nil {
			return fatal
		}
		return err
	case <-f.Dead:
		return f.err
	}
}

// recover is deferred by goroutines that call Pebble, which panics when a log
// file cannot be closed or created. The error says where, for whoever mends it.
func (f *Fault) recover() {
	if p := recover(); p != nil {
		f.Fail(fmt.Errorf("storage: panic: %v\n%s", p, debug.Stack()))
	}
}
