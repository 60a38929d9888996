package queueservice

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"beanfield/conn/audit"
	"beanfield/conn/hall"
	"beanfield/shard/queue"
)

// Shards carries operations of the queue service to the shards of their queues. A call
// returns when its operations have been answered. The router implements it.
type Shards interface {
	Ask(*queue.Op)
	// AskAll applies operations of one queue in their order. If they are few, nothing
	// of other clients comes between them.
	AskAll([]queue.Op)
}

// MaxFrame is how long a frame may be. Clients refuse longer ones, so an item that needs
// one could never be delivered.
const MaxFrame = 32 << 20

// MaxPayload is how long an item may be, so that it fits into a frame with its tags.
const MaxPayload = MaxFrame - 2*maxTags

// maxTags bounds an item's tags in bytes, whatever the limits say.
const maxTags = 64 << 10

// Options are what a Server is made with.
type Options struct {
	// LimitsFor tells the limits of a queue. What it returns never changes.
	LimitsFor func(queue string) *queue.Limits
	// Backend is shown in the attributes.
	Backend string
	// DefaultService is the service of paths that name none; "" for none.
	DefaultService string
	// Authenticator has the rules. It cannot be changed.
	Authenticator hall.Authenticator
	// Audit is told of refused requests, and of those that end items or groups; it may be nil. It
	// cannot be changed.
	Audit *audit.Log
	// Tokens: a request must have one of them. If there are none, everybody is let in.
	// With rules they do not count.
	Tokens []string
	// Hosts are the names of the server on loopback addresses, and Origins the origins of pages
	// that may use it: see hall.NewGuard.
	Hosts, Origins []string
	// DeadAfter is how long a consumer may be silent.
	DeadAfter time.Duration
	// WriteTimeout is how long a write to a client may make no progress.
	WriteTimeout time.Duration
	// ReadTimeout is how long a request's headers, or the next part of its body, may
	// take to arrive.
	ReadTimeout time.Duration
	// IdleTimeout is how long a connection may wait for its next request.
	IdleTimeout time.Duration
	// HandshakeTimeout is how long a client has for its TLS handshake; see hall.Options.
	HandshakeTimeout time.Duration
	// MaxWait bounds the time that a get may wait.
	MaxWait time.Duration
	// MaxHeader bounds a request's line and headers in bytes. A commit of many indexes needs up
	// to 23 bytes for each; a longer list may be in the body.
	MaxHeader int
	// MaxBatch bounds the body of a batch in bytes.
	MaxBatch int
	Logger   *slog.Logger

	guard *hall.Guard // by Hosts and Origins
}

// Defaults of Options.
const (
	DefaultDeadAfter    = 30 * time.Second
	DefaultWriteTimeout = 30 * time.Second
	DefaultReadTimeout  = 20 * time.Second
	DefaultIdleTimeout  = 3 * time.Minute
	DefaultMaxWait      = time.Hour
	DefaultMaxHeader    = 512 << 10 // 50,000 indexes of up to seven digits, each with %2C
	DefaultMaxBatch     = 8 << 20
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
		return fmt.Errorf("queueservice: %w", err)
	}
	if o.LimitsFor == nil {
		return errors.New("queueservice: no limits")
	}
	if s := o.DefaultService; s != "" && !queue.ValidName([]byte(s+sinkSuffix+queue.RearSuffix)) {
		return fmt.Errorf("queueservice: the default service %q is not the name of a tube", s)
	}
	for _, d := range []struct {
		set      *time.Duration
		standard time.Duration
	}{
		{&o.DeadAfter, DefaultDeadAfter}, {&o.WriteTimeout, DefaultWriteTimeout}, {&o.ReadTimeout, DefaultReadTimeout},
		{&o.IdleTimeout, DefaultIdleTimeout}, {&o.MaxWait, DefaultMaxWait},
	} {
		if *d.set < 0 {
			return errors.New("queueservice: a negative time")
		}
		if *d.set == 0 {
			*d.set = d.standard
		}
	}
	if o.MaxHeader < 0 || o.MaxBatch < 0 {
		return errors.New("queueservice: a negative limit")
	}
	if o.MaxBatch == 0 {
		o.MaxBatch = DefaultMaxBatch
	}
	if o.MaxHeader == 0 {
		o.MaxHeader = DefaultMaxHeader
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return nil
}
