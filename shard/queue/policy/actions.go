package policy

// Action is something that a policy does, for the metrics.
type Action uint8

// The actions. Those of full tubes, old jobs and dead letters are also what the limits of queues do.
const (
	ActionRefuse Action = iota // a put into a full tube was refused
	ActionDrop                 // a full tube has dropped a job for a put
	ActionExpire               // a job was deleted because of its age
	ActionRetry                // a job that came back was delayed
	ActionBury                 // a dead letter was buried
	ActionDelete               // a dead letter was deleted
	ActionMove                 // a dead letter was moved to another tube
	ActionPace                 // the rate has shut a tube for a while
	ActionFill                 // as many jobs were reserved as may be, which shut a tube
	actionsNumber
)

func (a Action) String() string {
	return [...]string{"refuse", "drop", "expire", "retry", "bury", "delete", "move", "rate", "max_reserved"}[a]
}

// Counters are how often each has been done: by a shard since the start, or for a tube since its policy
// covers it.
type Counters [actionsNumber]uint64

// Add adds those of another shard.
func (c *Counters) Add(o *Counters) {
	for i, n := range o {
		c[i] += n
	}
}
