package httpfront

import (
	"errors"
	"log/slog"
	"time"

	"beanfield/conn/audit"
	"beanfield/conn/secure"
)

// Options are what each front end over HTTP can be told. It has them among its own.
type Options struct {
	// Authenticator has the rules. It cannot be changed.
	Authenticator Authenticator
	// Audit is told of refused requests, and of what else the front end says; it may be nil. It
	// cannot be changed.
	Audit *audit.Log
	// Tokens: a client must have one of them. If there are none, everybody is let in.
	// With rules they do not count.
	Tokens []string
	// Hosts are the names of the server on loopback addresses, and Origins the origins of pages
	// that may use it: see NewGuard.
	Hosts, Origins []string
	// ReadTimeout is how long a request's headers may take to arrive, and then its body or, of
	// a long body, the next part.
	ReadTimeout time.Duration
	// IdleTimeout is how long a connection may wait for its next request.
	IdleTimeout time.Duration
	// HandshakeTimeout is how long a client has for its TLS handshake; 0 means
	// secure.Timeout.
	HandshakeTimeout time.Duration
	// MaxHeader bounds a request's line and headers in bytes.
	MaxHeader int
	Logger    *slog.Logger

	// What Complete makes of Tokens, and of Hosts and Origins.
	Listed Tokens
	Guard  *Guard
}

// Complete gives options that are missing their defaults, and says what is wrong with others.
func (o *Options) Complete() (err error) {
	o.Authenticator.Complete()
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	o.Listed = NewTokens(o.Tokens)
	o.Guard, err = NewGuard(o.Hosts, o.Origins)
	return errors.Join(err, Default(&o.HandshakeTimeout, secure.Timeout))
}

// Default gives an option that is 0 its usual value, and refuses a negative one.
func Default[T int | int64 | time.Duration](option *T, usual T) error {
	if *option < 0 {
		return errors.New("httpfront: a negative time or limit")
	}
	if *option == 0 {
		*option = usual
	}
	return nil
}
