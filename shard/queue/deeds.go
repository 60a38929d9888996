package queue

// Deed is something that a policy does, for the metrics.
type Deed uint8

// The deeds. Those of full tubes, old jobs and dead letters are also what the limits of queues do.
const (
	DeedRefuse Deed = iota // a put into a full tube was refused
	DeedDrop               // a full tube has dropped a job for a put
	DeedExpire             // a job was deleted because of its age
	DeedRetry              // a job that came back was delayed
	DeedBury               // a dead letter was buried
	DeedDelete             // a dead letter was deleted
	DeedMove               // a dead letter was moved to another tube
	DeedPace               // the rate has shut a tube for a while
	DeedFill               // as many jobs were reserved as may be, which shut a tube
	deedsNumber
)

// Deeds are how often each has been done: by a shard since the start, or for a tube since its policy
// covers it.
type Deeds [deedsNumber]uint64

func (d Deed) String() string {
	return [...]string{"refuse", "drop", "expire", "retry", "bury", "delete", "move", "rate", "max_reserved"}[d]
}

// Add adds those of another shard.
func (d *Deeds) Add(o *Deeds) {
	for i, n := range o {
		d[i] += n
	}
}

// did counts a deed for a tube.
func (s *State) did(t *tube, d Deed) {
	s.deeds[d]++
	if t.policy != nil {
		t.policy.deeds[d]++
	}
}
