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

const (
	maxItems      = 1_000_000_000
	maxDeliveries = 65535
	// maxPayload leaves room for tags in the largest frame that clients take, 32 MiB.
	maxPayload   = 31 << 20
	maxTags      = 60 << 10
	minUnsent    = 4 << 10
	maxIdle      = 365 * 24 * time.Hour
	minBatch     = 1 << 10
	maxBatch     = 128 << 20 // half of what all batches may take together
	minDeadAfter = time.Second
	maxDeadAfter = 24 * time.Hour
)

func defaultQueue() QueueConfig {
	return QueueConfig{DeadAfter: 30 * time.Second, MaxBatch: queueservice.DefaultMaxBatch, Limits: policy.Limits{
		MaxPayload: 1 << 20, MaxTags: 4 << 10, MaxDelivery: 5, Leaving: int64(15 * time.Second), MaxUnsent: 1 << 20,
	}}
}

// rows are the keys of [queue], without those of [[queue.for]].
func (q *QueueConfig) rows() []setting {
	return slices.Concat([]setting{
		addresses("queue.listen", &q.Listen, "no queue service").by("-queue"),
	}, q.Permissions.rows("queue."), live(
		text("queue.default_service", &q.DefaultService, "name of a service",
			`a name as tubes have; "" to refuse paths without a service`),
		secrets("queue.tokens", &q.Tokens),
		hosts("queue.hosts", &q.Hosts),
		origins("queue.origins", &q.Origins),
		span("queue.dead_after", &q.DeadAfter, minDeadAfter, maxDeadAfter),
		size("queue.max_batch", &q.MaxBatch, minBatch, maxBatch),
	), q.TLS.rows("queue."), limitRows("queue.", &q.Limits))
}

// rows are the keys of each [[queue.for]].
func (q *QueueFor) rows() []setting {
	return append(live(pattern("queue.for.match", &q.Match, "queue")), limitRows("queue.for.", &q.Limits)...)
}

// limitRows are the limits that [queue] and [[queue.for]] both have.
func limitRows(prefix string, l *policy.Limits) []setting {
	return live(
		number(prefix+"max_length", &l.MaxLength, "items", maxItems),
		size(prefix+"max_payload", &l.MaxPayload, 0, maxPayload),
		size(prefix+"max_tags", &l.MaxTags, 0, maxTags),
		number(prefix+"max_delivery", &l.MaxDelivery, "times", maxDeliveries),
		span(prefix+"max_idle", &l.MaxIdle, 0, maxIdle),
		span(prefix+"leaving", &l.Leaving, 0, maxIdle),
		choice(prefix+"dead_letter", &l.DeadLetter, "rear", "drop", "bury"),
		truth(prefix+"auto_evict", &l.AutoEvict),
		size(prefix+"max_unsent", &l.MaxUnsent, minUnsent, maxBytes),
	)
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
	r.config.Queue.For, _ = elements(r, key, v, "tables", []string{"match"},
		func(*element) QueueFor { return QueueFor{Limits: r.config.Queue.Limits} }, (*QueueFor).rows,
		func(*element, *QueueFor) {})
}
