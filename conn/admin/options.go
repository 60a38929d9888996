package admin

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"beanfield/conn/audit"
	"beanfield/conn/hall"
)

// Options are what a Server is made with.
type Options struct {
	// Problems tells why clients cannot work at the moment, in words; empty if they
	// can. It may be called from any goroutine and must not wait.
	Problems func() []string
	// Authenticator has the rules. It cannot be changed.
	Authenticator hall.Authenticator
	// Audit is told of refused requests; it may be nil. It cannot be changed.
	Audit *audit.Log
	// Tokens: a client must have one of them. If there are none, everybody is let in.
	// With rules they do not count.
	Tokens []string
	// Hosts are the names under which browsers know the server, if it has no tokens, and
	// Origins the origins of pages that may use it: see hall.NewGuard.
	Hosts, Origins []string
	// Profiles opens /debug/pprof/.
	Profiles bool
	// ReadTimeout is how long a request's headers, and then its body, may take to arrive.
	ReadTimeout time.Duration
	// WriteTimeout is how long a client may take for an answer.
	WriteTimeout time.Duration
	// IdleTimeout is how long a connection may wait for its next request.
	IdleTimeout time.Duration
	// HandshakeTimeout is how long a client has for its TLS handshake; see hall.Options.
	HandshakeTimeout time.Duration
	// MaxHeader bounds a request's line and headers in bytes.
	MaxHeader int
	// MaxBody bounds a request's body in bytes.
	MaxBody int64
	Logger  *slog.Logger

	guard *hall.Guard // by Hosts and Origins
}

// Defaults of Options.
const (
	DefaultReadTimeout  = 10 * time.Second
	DefaultWriteTimeout = 20 * time.Second
	DefaultIdleTimeout  = 2 * time.Minute
	DefaultMaxHeader    = 64 << 10
	DefaultMaxBody      = 16 << 20
)

// settings are options that hold at some time. They never change.
type settings struct {
	Options
	tokens hall.Tokens
	guard  *hall.Guard
}

// settings are complete options.
func (o *Options) settings() *settings {
	return &settings{*o, hall.NewTokens(o.Tokens), o.guard}
}

func (o *Options) complete() error {
	o.Authenticator.Complete()
	var err error
	if o.guard, err = hall.NewGuard(o.Hosts, o.Origins); err != nil {
		return fmt.Errorf("admin: %w", err)
	}
	for _, d := range []struct {
		set      *time.Duration
		standard time.Duration
	}{
		{&o.ReadTimeout, DefaultReadTimeout}, {&o.WriteTimeout, DefaultWriteTimeout}, {&o.IdleTimeout, DefaultIdleTimeout},
	} {
		if *d.set < 0 {
			return errors.New("admin: a negative time")
		}
		if *d.set == 0 {
			*d.set = d.standard
		}
	}
	if o.MaxHeader < 0 || o.MaxBody < 0 {
		return errors.New("admin: a negative limit")
	}
	if o.MaxHeader == 0 {
		o.MaxHeader = DefaultMaxHeader
	}
	if o.MaxBody == 0 {
		o.MaxBody = DefaultMaxBody
	}
	if o.Problems == nil {
		o.Problems = func() []string { return nil }
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return nil
}
