package database

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"beanfield/storage"

	crdb "github.com/cockroachdb/errors"
	"github.com/cockroachdb/pebble/v2"
)

// Explain makes Pebble's corruption errors an ErrCorrupt, and adds the details of its
// errors, which name the log files. It removes the words of an inner error that only
// carries details: they mean nothing to a reader.
func Explain(err error) error {
	const wordless = "\n<corruption detail carrier>"
	if text := err.Error(); strings.Contains(text, wordless) {
		err = &reworded{strings.ReplaceAll(text, wordless, ""), err}
	}
	if details := crdb.FlattenDetails(err); details != "" {
		err = fmt.Errorf("%w (%s)", err, details)
	}
	if pebble.IsCorruptionError(err) && !errors.Is(err, storage.ErrCorrupt) {
		err = fmt.Errorf("%w: %w", storage.ErrCorrupt, err)
	}
	return err
}

// reworded is an error with another text.
type reworded struct {
	text string
	error
}

func (r *reworded) Error() string { return r.text }
func (r *reworded) Unwrap() error { return r.error }

// Corrupt says whether what is on the disk is not what was written.
func Corrupt(err error) bool {
	return (errors.Is(err, storage.ErrCorrupt) || pebble.IsCorruptionError(err)) && !notGiven(err)
}

// notGiven says whether the disk does not give what was asked for.
func notGiven(err error) bool {
	var path *fs.PathError
	return errors.As(err, &path) && path.Op == "read"
}

// FailedToRead says whether an error is one of reading: one or the other.
func FailedToRead(err error) bool { return Corrupt(err) || notGiven(err) }
