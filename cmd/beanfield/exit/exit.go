package exit

import "errors"

const (
	OK         = 0
	Failed     = 1
	Usage      = 5
	Storage    = 10
	UserLookup = 32
	NoUser     = 33
	UserChange = 34
	Listen     = 111
	BySignal   = 128 // and the number of the signal
)

// failure is an error with the exit code that it leads to.
type failure struct {
	error
	code int
}

// With gives an error its exit code.
func With(code int, err error) error { return failure{err, code} }

func (f failure) Unwrap() error { return f.error }
func (f failure) ExitCode() int { return f.code }

// Code is the exit code that an error leads to.
func Code(err error) int {
	if err == nil {
		return OK
	}
	var own interface{ ExitCode() int }
	if errors.As(err, &own) {
		return own.ExitCode()
	}
	return Failed
}
