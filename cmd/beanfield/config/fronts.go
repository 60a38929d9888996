package config

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"beanfield/conn/access"
	"beanfield/conn/admin"
	"beanfield/shard/queue"
	"beanfield/shard/queue/policy"
)

// QueueConfig is the table [queue]: the queue service.
type QueueConfig struct {
	Listen []Address
	Permissions
	DefaultService string   // the service of the bare paths
	Tokens         []string // each request must have one of them; empty: none is needed
	Hosts          []string // names of this server; see httpfront.NewGuard
	Origins        []string // of pages that may use it
	TLS            TLS
	DeadAfter      time.Duration
	MaxBatch       int64         // bytes
	Limits         policy.Limits // but Forget, which is DeadAfter
	For            []QueueFor
}

// QueueFor are the limits of the queues whose name matches.
type QueueFor struct {
	Match  string
	Limits policy.Limits
}

// LimitsFor returns the function that finds a queue's limits: those of the first
// [[queue.for]] that its name matches, or those of [queue] if none does. A rear queue has
// the limits of its queue.
func (q *QueueConfig) LimitsFor() func(name string) *policy.Limits {
	all := append(slices.Clone(q.For), QueueFor{"*", q.Limits})
	for i := range all {
		all[i].Limits.Forget = int64(q.DeadAfter)
	}
	return func(name string) *policy.Limits {
		name = strings.TrimSuffix(name, queue.RearSuffix)
		return &all[slices.IndexFunc(all, func(f QueueFor) bool { return access.Match(f.Match, name) })].Limits
	}
}

const queueForKey = "queue.for"

// queueFor reads the array of limits for some queues. What an element leaves out is as in
// [queue].
func (r *fileReader) queueFor(key toml.Key, v any) {
	r.config.Queue.For, _ = elements(r, key, v, "tables", QueueFor{Limits: r.config.Queue.Limits},
		func(*element, *QueueFor) {})
}

// HTTPConfig is the table [http]: health, metrics and the console.
type HTTPConfig struct {
	Listen []Address
	Permissions
	Tokens []string // a client must have one of them; empty: none is needed
	// Hosts and Origins are names of this server, and origins of pages that may use it; see
	// httpfront.NewGuard.
	Hosts, Origins []string
	Pprof          bool
	// ReadOnly keeps those who use the console from changing anything.
	ReadOnly bool
	TLS      TLS
}

// MetricsConfig is the table [metrics]: what /metrics shows.
type MetricsConfig struct {
	MaxTubes int
	Tubes    []string // patterns of the tubes that may have metrics of their own; empty: all
	Aliases  []string
	Instance string // of the aliases; "": the first address of the server
}

func checkAlias(name string) error {
	if name != admin.BeanstalkdExporter {
		return fmt.Errorf("unknown name %s", quote(name))
	}
	return nil
}
