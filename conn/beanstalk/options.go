package beanstalk

import (
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"time"

	"beanfield/conn"
	"beanfield/conn/access"
	"beanfield/conn/audit"
	"beanfield/conn/beanstalk/protocol"
	"beanfield/conn/secure"
	"beanfield/conn/slow"
	"beanfield/router/schedule"
)

// Limits of what may be configured.
const (
	DefaultMaxJobSize = 65535
	MaxMaxJobSize     = 1 << 30
)

// Options are what a Server is made with.
type Options struct {
	// MaxJobSize is the largest body that put accepts, in bytes.
	MaxJobSize int
	// Loops is the number of event loops; 0 means DefaultLoops.
	Loops int
	// HandshakeTimeout is how long a client has for its TLS handshake; 0 means ten seconds.
	HandshakeTimeout time.Duration
	// Quoting says which strings in replies of stats are quoted.
	Quoting protocol.Quoting
	// BinlogMaxSize is shown in stats, and nothing else.
	BinlogMaxSize int
	// Access has the rules that say who may do what; nil for none, ever.
	Access *access.Current
	// Guesses counts wrong tokens; nil if only this server counts them.
	Guesses *access.Guesses
	// Audit is told what was refused and what administrators do; nil if nobody is.
	Audit *audit.Log
	// Slow is told of commands that took long, and of refusals; nil if nobody is.
	Slow *slow.Log
	// Schedules are those of the server; nil if it has none.
	Schedules func() []schedule.Info
	// Policies show and change the policies of tubes; nil if there are none.
	Policies *conn.Policies
	// Version is shown in stats.
	Version string
	Logger  *slog.Logger
}

// DefaultLoops is one for each processor but one. The last processor is for the
// kernel's work on the network, for logs, deadlines, and clients on the same machine:
// if a loop shares its processor with one of them, all its connections wait for
// milliseconds, the scheduler's time slice.
func DefaultLoops() int { return max(1, runtime.GOMAXPROCS(0)-1) }

func (o *Options) complete() error {
	if o.MaxJobSize < 0 || o.MaxJobSize > MaxMaxJobSize {
		return fmt.Errorf("beanstalk: a maximum job size of %d bytes, want 0 to %d", o.MaxJobSize, MaxMaxJobSize)
	}
	if o.Loops < 0 {
		return errors.New("beanstalk: a negative number of loops")
	}
	if o.Loops == 0 {
		o.Loops = DefaultLoops()
	}
	if o.HandshakeTimeout == 0 {
		o.HandshakeTimeout = secure.Timeout
	}
	if o.Access == nil {
		o.Access = new(access.Current)
	}
	if o.Guesses == nil {
		o.Guesses = new(access.Guesses)
	}
	if o.Policies == nil {
		o.Policies = conn.NoPolicies()
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return nil
}
