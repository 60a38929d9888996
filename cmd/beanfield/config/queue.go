package config

import (
	"slices"
	"strings"
	"time"

	"beanfield/conn/access"
	"beanfield/conn/queueservice"
	"beanfield/shard/queue"
	"beanfield/shard/queue/policy"

	"github.com/BurntSushi/toml"
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

func defaultQueue() QueueConfig {
	return QueueConfig{DeadAfter: 30 * time.Second, MaxBatch: queueservice.DefaultMaxBatch, Limits: policy.Limits{
		MaxPayload: 1 << 20, MaxTags: 4 << 10, MaxDelivery: 5, Leaving: int64(15 * time.Second), MaxUnsent: 1 << 20,
	}}
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

// rows are the keys of each [[queue.for]].
func (q *QueueFor) rows() []setting { return rowsOf(queueForKey, q) }

const queueForKey = "queue.for"

// queueFor reads the array of limits for some queues. What an element leaves out is as in
// [queue].
func (r *fileReader) queueFor(key toml.Key, v any) {
	r.config.Queue.For, _ = elements(r, key, v, "tables", []string{"match"},
		func(*element) QueueFor { return QueueFor{Limits: r.config.Queue.Limits} },
		func(*element, *QueueFor) {})
}
