package directory

import (
	"errors"
	"fmt"

	"beanfield/storage"
)

// Errors that callers tell apart with errors.Is.
var (
	// ErrInUse says that another process has the data directory.
	ErrInUse = errors.New("in use by another process")
	// ErrForeign says that a directory holds something other than beanfield's data.
	ErrForeign = errors.New("not a data directory of beanfield")
	// ErrUnfinished says that an intake into a data directory has not ended.
	ErrUnfinished = errors.New("unfinished")
)

// Error says what is wrong with a data directory, and wraps one of the
// errors above.
func Error(dir string, kind error, format string, args ...any) error {
	return fmt.Errorf("storage: data directory %s: %w: %s", dir, kind, fmt.Sprintf(format, args...))
}

// Damaged says what is wrong with a file.
func Damaged(path, format string, args ...any) error {
	return fmt.Errorf("storage: %s: %w: %s", path, storage.ErrCorrupt, fmt.Sprintf(format, args...))
}

// OrSalvage adds to an error about damage what can be done about it.
func (d *Dir) OrSalvage(err error, before string) error {
	switch {
	case !errors.Is(err, storage.ErrCorrupt):
	case d.Cluster != "":
		err = fmt.Errorf("%w\n%sThis is a copy of the cluster %s, whose other nodes have more: beanfield help "+
			"recovery says what to do", err, before, d.Cluster)
	default:
		err = fmt.Errorf("%w\n%sbeanfield dump -salvage NEW_DIR %s copies what can be read", err, before, d.Path)
	}
	return err
}
