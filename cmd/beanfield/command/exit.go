package command

import (
	"errors"
	"fmt"

	"beanfield/cmd/beanfield/datadir"
)

// Exit codes; doc.go explains them.
const (
	codeDone    = 0
	codeFailed  = 1
	codeUsage   = 2
	codeMissing = 3
)

// usageError is a command line that makes no sense.
type usageError struct{ error }

func usagef(format string, values ...any) error {
	return usageError{fmt.Errorf(format, values...)}
}

// missingError says that something was not there.
type missingError struct{ what string }

func (e missingError) Error() string { return e.what }

func missingf(format string, values ...any) error {
	return missingError{fmt.Sprintf(format, values...)}
}

func exitCode(err error) int {
	switch {
	case err == nil:
		return codeDone
	case errors.As(err, new(usageError)):
		return codeUsage
	case errors.As(err, new(missingError)), errors.Is(err, datadir.ErrIncomplete):
		return codeMissing
	}
	return codeFailed
}
