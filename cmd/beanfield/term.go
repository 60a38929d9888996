package main

import (
	"context"
	"log/slog"

	"beanfield/cmd/beanfield/config"
	"beanfield/router"
	"beanfield/storage"
)

// term is a time during which this process has the shards. One machine has them as long as it runs.
type term interface {
	// Store is where the shards' jobs are. Closing it leaves what a follower needs.
	Store(c *config.Config, steps *storage.Steps, log *slog.Logger) (storage.Store, error)
	Shards(c *config.Config) int
	// Ready is a router that has been kept ready for this term; nil if there is none, and the store is
	// to be opened.
	Ready() *router.Router
	// Serve waits until clients may be answered. It is called before any is.
	Serve(ctx context.Context)
	// Leave is closed when another node is to have the shards: the process stops serving in order, and
	// calls End.
	Leave() <-chan struct{}
	// Lost is closed when the process has the shards no more: no answer may leave.
	Lost() <-chan struct{}
	// Why says what has ended the term, once Lost is closed.
	Why() error
	// End lets another node begin. It may be called more than once.
	End()
}

// endless is the term of one machine.
type endless struct{}

func (endless) Store(c *config.Config, steps *storage.Steps, log *slog.Logger) (storage.Store, error) {
	return newStore(c, steps, log)
}

func (endless) Shards(c *config.Config) int { return config.ShardCount(c) }
func (endless) Ready() *router.Router       { return nil }
func (endless) Serve(context.Context)       {}
func (endless) Leave() <-chan struct{}      { return nil }
func (endless) Lost() <-chan struct{}       { return nil }
func (endless) Why() error                  { return nil }
func (endless) End()                        {}

// lost says that a term is over.
func lost(t term) bool {
	select {
	case <-t.Lost():
		return true
	default:
		return false
	}
}
