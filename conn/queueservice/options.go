package queueservice

import (
	"errors"
	"fmt"
	"time"

	"beanfield/conn/httpfront"
	"beanfield/shard/queue"
	"beanfield/shard/queue/policy"
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
	httpfront.Options
	// LimitsFor tells the limits of a queue. What it returns never changes.
	LimitsFor func(queue string) *policy.Limits
	// Backend is shown in the attributes.
	Backend string
	// DefaultService is the service of paths that name none; "" for none.
	DefaultService string
	// DeadAfter is how long a consumer may be silent.
	DeadAfter time.Duration
	// WriteTimeout is how long a write to a client may make no progress.
	WriteTimeout time.Duration
	// MaxBatch bounds the body of a batch in bytes.
	MaxBatch int
}

// Defaults of Options.
const (
	DefaultDeadAfter    = 30 * time.Second
	DefaultWriteTimeout = 30 * time.Second
	DefaultReadTimeout  = 20 * time.Second
	DefaultIdleTimeout  = 3 * time.Minute
	// A commit of many indexes needs up to 23 bytes of MaxHeader for each; a longer list may be
	// in the body.
	DefaultMaxHeader = 512 << 10 // 50,000 indexes of up to seven digits, each with %2C
	DefaultMaxBatch  = 8 << 20
)

func (o *Options) complete() error {
	if o.LimitsFor == nil {
		return errors.New("queueservice: no limits")
	}
	if s := o.DefaultService; s != "" && !queue.ValidName([]byte(s+sinkSuffix+queue.RearSuffix)) {
		return fmt.Errorf("queueservice: the default service %q is not the name of a tube", s)
	}
	return errors.Join(
		httpfront.Default(&o.DeadAfter, DefaultDeadAfter), httpfront.Default(&o.WriteTimeout, DefaultWriteTimeout),
		httpfront.Default(&o.ReadTimeout, DefaultReadTimeout),
		httpfront.Default(&o.IdleTimeout, DefaultIdleTimeout),
		httpfront.Default(&o.MaxHeader, DefaultMaxHeader),
		httpfront.Default(&o.MaxBatch, DefaultMaxBatch),
		o.Options.Complete())
}

// sinkSuffix ends the name of a service's sink.
const sinkSuffix = "/sink"
