package pebblestore

import (
	"errors"
	"fmt"
)

// Errors that callers tell apart with errors.Is.
var (
	// ErrInUse says that another process has the data directory.
	ErrInUse = errors.New("in use by another process")
	// ErrForeign says that a directory holds something other than beanfield's data.
	ErrForeign = errors.New("not a data directory of beanfield")
	// ErrVersion says that a newer build wrote what this one cannot read.
	ErrVersion = errors.New("unknown version")
	// ErrUnfinished says that an intake into a data directory has not ended.
	ErrUnfinished = errors.New("unfinished")
)

// dirError says what is wrong with a data directory, and wraps one of the
// errors above.
func dirError(dir string, kind error, format string, args ...any) error {
	return fmt.Errorf("storage: data directory %s: %w: %s", dir, kind, fmt.Sprintf(format, args...))
}
