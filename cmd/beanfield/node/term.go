package node

import (
	"context"
	"log/slog"

	"beanfield/cmd/beanfield/config"
	"beanfield/router"
	"beanfield/storage"
	"beanfield/storage/cluster"
	"beanfield/storage/tally"
)

// Term is a time during which this process has the shards. One machine has them as long as it runs.
type Term interface {
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

// Endless is the term of one machine.
type Endless struct{}

func (Endless) Store(c *config.Config, steps *storage.Steps, log *slog.Logger) (storage.Store, error) {
	return newStore(c, steps, log)
}

func (Endless) Shards(c *config.Config) int { return config.ShardCount(c) }
func (Endless) Ready() *router.Router       { return nil }
func (Endless) Serve(context.Context)       {}
func (Endless) Leave() <-chan struct{}      { return nil }
func (Endless) Lost() <-chan struct{}       { return nil }
func (Endless) Why() error                  { return nil }
func (Endless) End()                        {}

// Lost says that a term is over.
func Lost(t Term) bool {
	select {
	case <-t.Lost():
		return true
	default:
		return false
	}
}

// Node has the shards for this process, when it is its turn.
type Node interface {
	// Start makes it follow. It waits for other nodes until ctx ends.
	Start(ctx context.Context) error
	// Term waits until the process has them.
	Term(context.Context) (Term, error)
	// Status and Figures are what it knows of the cluster, also before it has started, and Appends how long
	// appends took.
	Status() cluster.Status
	Figures() cluster.Figures
	Appends(*tally.Reading)
	// Close hands over, and ends the node.
	Close(context.Context) error
}
