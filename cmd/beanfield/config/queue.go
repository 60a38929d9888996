package config

import (
	"slices"
	"strings"
	"time"

	"beanfield/conn/access"
	"beanfield/conn/queueservice"
	"beanfield/shard/queue"

	"github.com/BurntSushi/toml"
)

// QueueConfig is the table [queue]: the queue service.
type QueueConfig struct {
	Listen []Address
	Permissions
	DefaultService string   // the service of the bare paths
	Tokens         []string // each request must have one of them; empty: none is needed
	Hosts          []string // names of this server; see hall.NewGuard
	Origins        []string // of pages that may use it
	TLS            TLS
	DeadAfter      time.Duration
	MaxBatch       int64 // bytes
	Limits         QueueLimits
	For            []QueueFor
}

// QueueLimits are the bounds of queues.
type QueueLimits struct {
	MaxLength   int   // items; 0: no limit
	MaxPayload  int64 // bytes
	MaxTags     int64 // bytes
	MaxDelivery int   // times; 0: no limit
	MaxIdle     time.Duration
	Leaving     time.Duration
	DeadLetter  string
	AutoEvict   bool
	MaxUnsent   int64 // bytes
}

// QueueFor are the limits of the queues whose name matches.
type QueueFor struct {
	Match  string
	Limits QueueLimits
}

// The words of queue.dead_letter.
var fates = map[string]queue.Fate{"rear": queue.FateRear, "drop": queue.FateDrop, "bury": queue.FateBury}

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
	return QueueConfig{DeadAfter: 30 * time.Second, MaxBatch: queueservice.DefaultMaxBatch, Limits: QueueLimits{
		MaxPayload: 1 << 20, MaxTags: 4 << 10, MaxDelivery: 5, Leaving: 15 * time.Second,
		DeadLetter: "rear", MaxUnsent: 1 << 20,
	}}
}

// queueSettings are the keys of [queue], without those of [[queue.for]].
var queueSettings = slices.Concat([]setting[Config]{
	addresses("queue.listen", "-queue", "no queue service", func(c *Config) *[]Address { return &c.Queue.Listen }),
}, permissionSettings("queue.", func(c *Config) *Permissions { return &c.Queue.Permissions }), []setting[Config]{
	text("queue.default_service", "", "name of a service", `a name as tubes have; "" to refuse paths without a service`,
		func(c *Config) *string { return &c.Queue.DefaultService }).live(),
	secrets("queue.tokens", func(c *Config) *[]string { return &c.Queue.Tokens }).live(),
	hosts("queue.hosts", func(c *Config) *[]string { return &c.Queue.Hosts }).live(),
	origins("queue.origins", func(c *Config) *[]string { return &c.Queue.Origins }).live(),
	duration("queue.dead_after", "", minDeadAfter, maxDeadAfter, func(c *Config) *time.Duration { return &c.Queue.DeadAfter }).live(),
	size("queue.max_batch", "", minBatch, maxBatch, func(c *Config) *int64 { return &c.Queue.MaxBatch }).live(),
}, tlsSettings("queue.", func(c *Config) *TLS { return &c.Queue.TLS }),
	limitSettings("queue.", func(c *Config) *QueueLimits { return &c.Queue.Limits }))

// queueForSettings are the keys of each [[queue.for]].
var queueForSettings = append([]setting[QueueFor]{
	row("queue.for.match", "", "pattern", `a queue's name, in which * stands for any characters, also none`,
		func(q *QueueFor) *string { return &q.Match }, asPattern, quote).live(),
}, limitSettings("queue.for.", func(q *QueueFor) *QueueLimits { return &q.Limits })...)

// limitSettings are the limits that [queue] and [[queue.for]] both have.
func limitSettings[T any](prefix string, of func(*T) *QueueLimits) []setting[T] {
	return []setting[T]{
		number(prefix+"max_length", "", "items", maxItems, func(c *T) *int { return &of(c).MaxLength }).live(),
		size(prefix+"max_payload", "", 0, maxPayload, func(c *T) *int64 { return &of(c).MaxPayload }).live(),
		size(prefix+"max_tags", "", 0, maxTags, func(c *T) *int64 { return &of(c).MaxTags }).live(),
		number(prefix+"max_delivery", "", "times", maxDeliveries, func(c *T) *int { return &of(c).MaxDelivery }).live(),
		duration(prefix+"max_idle", "", 0, maxIdle, func(c *T) *time.Duration { return &of(c).MaxIdle }).live(),
		duration(prefix+"leaving", "", 0, maxIdle, func(c *T) *time.Duration { return &of(c).Leaving }).live(),
		oneOf(prefix+"dead_letter", "", []string{"rear", "drop", "bury"}, func(c *T) *string { return &of(c).DeadLetter }).live(),
		truth(prefix+"auto_evict", func(c *T) *bool { return &of(c).AutoEvict }).live(),
		size(prefix+"max_unsent", "", minUnsent, maxBytes, func(c *T) *int64 { return &of(c).MaxUnsent }).live(),
	}
}

// forQueues returns the limits in the form that package queue takes.
func (l QueueLimits) forQueues(deadAfter time.Duration) *queue.Limits {
	return &queue.Limits{
		MaxLength: l.MaxLength, MaxPayload: int(l.MaxPayload), MaxTags: int(l.MaxTags), MaxDelivery: l.MaxDelivery,
		MaxIdle: int64(l.MaxIdle), Leaving: int64(l.Leaving), DeadLetter: fates[l.DeadLetter], AutoEvict: l.AutoEvict,
		MaxUnsent: int(l.MaxUnsent), Forget: int64(deadAfter),
	}
}

// limitsFor returns the function that finds a queue's limits: those of the first
// [[queue.for]] that its name matches, or those of [queue] if none does. A rear queue has
// the limits of its queue.
func (c *QueueConfig) LimitsFor() func(name string) *queue.Limits {
	usual := c.Limits.forQueues(c.DeadAfter)
	special := make([]*queue.Limits, len(c.For))
	for i, f := range c.For {
		special[i] = f.Limits.forQueues(c.DeadAfter)
	}
	return func(name string) *queue.Limits {
		name = strings.TrimSuffix(name, queue.RearSuffix)
		for i := range c.For {
			if access.Match(c.For[i].Match, name) {
				return special[i]
			}
		}
		return usual
	}
}

const queueForKey = "queue.for"

// queueFor reads the array of limits for some queues. What an element leaves out is as in
// [queue].
func (r *fileReader) queueFor(key toml.Key, v any) {
	tables, _ := r.array(key, v, "tables")
	for i, table := range tables {
		f := QueueFor{Limits: r.config.Queue.Limits}
		line := r.lines.element(key, i, len(tables))
		if _, ok := table["match"]; !ok {
			r.missing(line, queueForSettings[0].key, "missing", queueForSettings[0].allowed)
		}
		read(r, key, line, table, queueForSettings, &f)
		r.config.Queue.For = append(r.config.Queue.For, f)
	}
}
