package admin

import (
	"errors"
	"time"

	"beanfield/conn/httpfront"
)

// Options are what a Server is made with.
type Options struct {
	httpfront.Options
	// Problems tells why clients cannot work at the moment, in words; empty if they
	// can. It may be called from any goroutine and must not wait.
	Problems func() []string
	// Refusals tells likewise why no jobs are accepted.
	Refusals func() []string
	// PassesOn tells likewise whether clients are served though this process does not; nil: never.
	PassesOn func() bool
	// Profiles opens /debug/pprof/.
	Profiles bool
	// WriteTimeout is how long a client may take for an answer.
	WriteTimeout time.Duration
	// MaxBody bounds a request's body in bytes.
	MaxBody int64
}

// Defaults of Options.
const (
	DefaultReadTimeout  = 10 * time.Second
	DefaultWriteTimeout = 20 * time.Second
	DefaultIdleTimeout  = 2 * time.Minute
	DefaultMaxHeader    = 64 << 10
	DefaultMaxBody      = 16 << 20
)

func (o *Options) complete() error {
	for _, f := range []*func() []string{&o.Problems, &o.Refusals} {
		if *f == nil {
			*f = func() []string { return nil }
		}
	}
	if o.PassesOn == nil {
		o.PassesOn = func() bool { return false }
	}
	return errors.Join(
		httpfront.Default(&o.ReadTimeout, DefaultReadTimeout), httpfront.Default(&o.WriteTimeout, DefaultWriteTimeout),
		httpfront.Default(&o.IdleTimeout, DefaultIdleTimeout), httpfront.Default(&o.MaxHeader, DefaultMaxHeader),
		httpfront.Default(&o.MaxBody, DefaultMaxBody),
		o.Options.Complete())
}
