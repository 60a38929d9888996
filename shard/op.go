package shard

// Kind names an operation on one shard.
type Kind uint8

// The operations. Those with a multi-shard reserve in mind are Offer, Claim,
// Wait and Withdraw: the router's doc.go tells how they work together.
const (
	Put Kind = iota + 1
	Reserve
	ReserveJob
	Delete
	Release
	Bury
	Touch
	Peek
	PeekReady
	PeekDelayed
	PeekBuried
	Kick
	KickJob
	StatsJob
	StatsTube
	Pause
	Use
	Unuse
	Watch
	Ignore
	Offer
	Claim
	Wait
	Withdraw
	Soonest
	Detach
	Totals
)

// Status is how an operation ended: a closed set.
type Status uint8

// The statuses. More means that the operation has used up its share of a
// turn and wants to be applied again, Staging that it does when the log has its
// body, Refused that the directory takes no jobs.
const (
	OK Status = iota
	NotFound
	TimedOut
	DeadlineSoon
	Waiting
	Empty
	More
	Staging
	NoRoom
	Refused
	Failed
)

// Op is one operation and, afterwards, its answer.
type Op struct {
	Kind   Kind
	Status Status
	Poll   bool  // Reserve: do not wait
	phase  uint8 // kick: which jobs; peek: how often it was given back; put: its body
	Pri    uint32
	Delay  uint32 // seconds; also the length of a pause
	TTR    uint32 // seconds
	Size   uint32 // put: of the body; answers: of the body found
	Count  uint32 // kick: bound; answer: how many
	ID     uint64 // put: 0 for one that the directory is to allot
	Ticket uint64 // Wait, Withdraw

	// Data is a tube's name or a small body, Parts a large body. Both are
	// borrowed until the batch is complete; parts of a put are taken over.
	Data  []byte
	Parts [][]byte

	// From and To enclose a small body in Batch.Bytes, or say in From which
	// element of Batch.Jobs or Batch.Tubes is the answer.
	From, To int
}

// JobInfo answers StatsJob. Durations are in whole seconds.
type JobInfo struct {
	ID       uint64
	Tube     string
	State    JobState
	Pri      uint32
	Age      int64
	Delay    uint32
	TTR      uint32
	TimeLeft int64
	Reserves uint32
	Timeouts uint32
	Releases uint32
	Buries   uint32
	Kicks    uint32
}

// TubeInfo answers StatsTube.
type TubeInfo struct {
	Name                                     string
	Urgent, Ready, Reserved, Delayed, Buried int
	Total                                    uint64
	Using, Watching, Waiting                 int
	Deletes, Pauses                          uint64
	Pause, PauseLeft                         int64
}

// Sums are counts over all tubes of a shard.
type Sums struct {
	Urgent, Ready, Reserved, Delayed, Buried int
	Timeouts, Total                          uint64
}

// maxVolume is how many bytes of bodies a batch may gather before it is given
// back: a client that asks for many large jobs at once gets them in portions.
const maxVolume = 256 << 10

// Batch is a run of operations of one client on one shard, applied in order.
// It comes back complete, or stopped at a wait, at a body that had to be read
// from the log, or because its answers have grown large: Next tells how far it
// came, and what is left can be submitted again. It may have come no farther
// than before: a peek whose job was deleted while its body was read is to be
// submitted once more.
type Batch struct {
	Client *Client // may be nil for operations that need none
	Ops    []Op
	Next   int // the first operation not yet applied

	// Answers.
	Bytes   []byte
	Jobs    []JobInfo
	Tubes   []TubeInfo
	Sums    Sums
	Soonest int64 // the client's first deadline in this shard afterwards, or 0

	// Done is told when a batch that was not completed at once is complete.
	Done interface{ Complete(*Batch) }

	fetches  int    // operations whose bodies are to be read from the log
	volume   int    // bytes of bodies in answers since the batch was submitted
	next     *Batch // in the mailbox
	own      []byte // what Retain has copied
	retained bool
}

// Reset empties the batch for reuse and keeps its memory.
func (b *Batch) Reset() {
	clear(b.Ops)
	clear(b.Jobs)
	clear(b.Tubes)
	*b = Batch{Ops: b.Ops[:0], Bytes: b.Bytes[:0], Jobs: b.Jobs[:0], Tubes: b.Tubes[:0], own: b.own[:0]}
}

// Retain copies what the batch has borrowed, because it is about to outlive
// the buffers that its operations point into.
func (b *Batch) Retain() {
	if b.retained {
		return
	}
	b.retained = true
	n := 0
	for i := b.Next; i < len(b.Ops); i++ {
		n += len(b.Ops[i].Data)
	}
	if cap(b.own) < n {
		b.own = make([]byte, 0, n)
	}
	b.own = b.own[:0]
	for i := b.Next; i < len(b.Ops); i++ {
		op := &b.Ops[i]
		from := len(b.own)
		b.own = append(b.own, op.Data...)
		op.Data = b.own[from:len(b.own):len(b.own)]
	}
}
