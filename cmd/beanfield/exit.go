package main

import "errors"

// Exit codes; doc.go says what they mean.
const (
	exitOK         = 0
	exitFailed     = 1
	exitUsage      = 5
	exitStorage    = 10
	exitUserLookup = 32
	exitNoUser     = 33
	exitUserChange = 34
	exitListen     = 111
	exitBySignal   = 128
)

// exitError is an error that knows the code the process ends with.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }
func (e *exitError) ExitCode() int { return e.code }

// exitCode is the code for err: its own if it has one.
func exitCode(err error) int {
	if err == nil {
		return exitOK
	}
	var own interface{ ExitCode() int }
	if errors.As(err, &own) {
		return own.ExitCode()
	}
	return exitFailed
}
