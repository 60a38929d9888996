package storage

import (
	"errors"
	"fmt"
)

// Errors that callers tell apart with errors.Is.
var (
	// ErrNoBody says that a log does not hold the body it was asked for.
	ErrNoBody = errors.New("storage: no such body")
	// ErrInUse says that another process has the data directory.
	ErrInUse = errors.New("in use by another process")
	// ErrForeign says that a directory holds something else than beanfield's data.
	ErrForeign = errors.New("not a data directory of beanfield")
	// ErrVersion says that a newer build wrote what this one cannot read.
	ErrVersion = errors.New("unknown version")
	// ErrCorrupt says that stored data is not what was written.
	ErrCorrupt = errors.New("corrupt data")
	// ErrNoSpace says that a disk lacks the room for what was asked.
	ErrNoSpace = errors.New("not enough disk space")
	// ErrUnfinished says that an intake into a data directory has not ended.
	ErrUnfinished = errors.New("unfinished")
)

// dirError says what is wrong with a data directory, and wraps one of the
// errors above.
func dirError(dir string, kind error, format string, args ...any) error {
	return fmt.Errorf("storage: data directory %s: %w: %s", dir, kind, fmt.Sprintf(format, args...))
}
