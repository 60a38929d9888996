package main

import "errors"

// Exit codes; doc.go explains them.
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

// exitError is an error with the exit code that it leads to.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }
func (e *exitError) ExitCode() int { return e.code }

// exitCode is the exit code that err leads to.
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
