package policy

const second = int64(1e9)

// Policy is what the configuration says of some tubes. It never changes; a reload brings
// others. 0 is no limit.
type Policy struct {
	Most Amount // of all jobs of the tube, wherever their bodies are
	Full Full   // what becomes of a put beyond that

	MaxDeliveries int     // how often a job is delivered before it is a dead letter
	Count         Counted // what counts as a delivery
	DeadLetter    Fate
	DeadTube      string // with FateTube
	Retry         Retry

	Expire      int64  // nanoseconds from the put until a job that nobody holds is deleted
	ExpireReady bool   // from when it became ready, and only while it is
	Expired     Expiry // or what becomes of it

	MaxReserved int // at a time
	Rate        int // jobs handed out in a second
	Burst       int // how many at once; 0: as many as in a second

	Aging  int64 // nanoseconds of waiting that make a ready job's priority smaller by one; 0: never
	Weight int   // among the tubes that a client watches; 0: none, which is 1 beside one that has one
}

// Over says that a tube would have too many jobs, or too large ones.
func (p *Policy) Over(jobs int, bytes int64) bool {
	return p.Most.ExceededBy(AmountOf(jobs, bytes, bytes))
}

// MovesExpired says that jobs that are too old go where dead letters go.
func (p *Policy) MovesExpired() bool { return p.Expired == ExpiryDie && p.DeadLetter == FateTube }

// Limits are the bounds of a queue and its rear queue. 0 is no limit, unless a
// field says otherwise.
type Limits struct {
	MaxLength   int   // items of both that have not ended
	MaxPayload  int   // bytes of an item; the front end enforces it
	MaxTags     int   // bytes of an item's tags, encoded; the front end enforces it
	MaxDelivery int   // how often an item is sent before it is dead
	MaxIdle     int64 // nanoseconds in which an item must be committed
	Leaving     int64 // nanoseconds from Leaving to Exit
	Forget      int64 // nanoseconds that one with nothing pending is shown afterwards, in all queues; 0: 5 minutes
	DeadLetter  Fate
	AutoEvict   bool // a full queue drops its oldest item for a new one
	// MaxUnsent bounds what a slow client costs: a consumer is pushed another item only
	// while what it was pushed and has not reported with AskSent weighs less. A report
	// may wait until it covers a quarter of MaxUnsent, so up to half of MaxUnsent may be
	// sent and unreported for ever. 0 is no limit, and then nothing is reported. What
	// its watch said holds for a consumer until it watches again.
	MaxUnsent int
}

// Full is what a full tube does with another job.
type Full uint8

// The policies for full tubes.
const (
	FullRefuse Full = iota
	FullOldest      // drops the ready job that was put first
	FullLeast       // drops the ready job that would be reserved last
)

// Fate is what becomes of a job that has been delivered too often.
type Fate uint8

// The policies for dead letters.
const (
	FateRear Fate = iota // to the rear queue; in a rear queue it is buried
	FateDrop
	FateBury
	FateTube // to the tube that the policy names
)

// Expiry is what becomes of a job that is too old.
type Expiry uint8

// The policies for jobs that are too old.
const (
	ExpiryDrop Expiry = iota
	ExpiryDie         // it is a dead letter, which goes to another tube
)
