package storage

import "errors"

// Errors of a log that callers tell apart with errors.Is.
var (
	// ErrNoBody says that a log does not hold the body it was asked for.
	ErrNoBody = errors.New("storage: no such body")
	// ErrUnreadable says that a log holds a body but cannot read it. The log goes
	// on with all other jobs.
	ErrUnreadable = errors.New("storage: the body cannot be read")
	// ErrCorrupt says that stored data is not what was written.
	ErrCorrupt = errors.New("corrupt data")
	// ErrNoSpace says that a disk lacks the room for what was asked.
	ErrNoSpace = errors.New("not enough disk space")
)
