package queue

// Kind names an operation on one shard.
type Kind uint8

// The operations. Offer, Claim, Wait, Withdraw, OfferSeveral and ClaimSeveral are for a reserve over several
// shards: the router's doc.go explains how they work together.
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
	Truncate
	ReserveSeveral
	OfferSeveral
	ClaimSeveral
	DeleteSeveral
	ReleaseSeveral
	BurySeveral
	TouchSeveral
	AlterSeveral
	Alter // Batch.Alter
	List  // Batch.List
	PutAll
	Quarantine
	PutTick  // of a schedule: Op.Tick
	NoteTick // likewise
	KeepPolicies
	Load     // these are for jobs that go to another shard: move_leaving.go
	Arrive   // Op.From is the parcel
	Depart   // Op.ID is the key of the copy, as in those that follow
	Show     //
	ComeHome //
	Service  // of the queue service: Op.Ask
)

// Status is how an operation ended: a closed set.
type Status uint8

// The statuses. More means that the operation has used up its share of a turn and
// must be applied again, Staging that it must be applied again when the log has its
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
	Denied  // the client may not: for it there is no such job
	TooLong // the queue is full
	Ended   // the queue has ended, and takes no more items
	Exists  // put: the key is taken, by the job that ID names; 0 if that is another one of a PutAll
)

// Op is one operation and, afterwards, its answer.
type Op struct {
	Kind    Kind
	Status  Status
	Poll    bool  // Reserve, ReserveSeveral: do not wait; OfferSeveral, the answer: there may be more
	phase   uint8 // kick: which jobs; truncate: how it finds them; peek, reserve: how often given back; put: its body
	Pri     uint32
	Delay   uint32 // seconds; also the length of a pause
	TTR     uint32 // seconds
	Timeout uint32 // Reserve: seconds, for the owner of the wait; the queue does not
	// put: of the body; ClaimSeveral: how many bytes at most; answers: of the body found; DeleteSeveral: how many were
	// denied, AlterSeveral: for how many there was no room
	Size uint32
	// Kick, Truncate, …Several: how many, the answer; Delete: 1 for a job that nobody held, AlterSeveral: 1 for one
	// that leaves; PutTick: 1 if it was put; Arrive, ComeHome: 1 if its tube is full
	Count uint32
	// Kick, …Several: how many at most; PutAll: how many puts behind it; Truncate: the States of the jobs that end
	Limit uint32
	ID    uint64 // put: 0 for one that the directory is to allot
	// Wait, Withdraw; Truncate: the last id that it ends; Offer, the answer, and ClaimSeveral: the tag (package policy)
	Ticket uint64

	// Data is a tube's name or a small body, Parts a large body, or the body that is the
	// answer. Data is borrowed until the operation is applied, and nil from then on (B1);
	// parts of a put are taken over. DeleteSeveral and its like: the jobs (AppendID).
	Data  []byte
	Parts [][]byte

	// From and To enclose a small body in Batch.Bytes, or say in From which
	// element of Batch.Jobs or Batch.Tubes is the answer, or enclose a part of Batch.Taken.
	// DeleteSeveral and its like: From is the next job of the list, and To of those deleted how
	// many nobody held, or how many of those moved leave for another shard.
	From, To uint32

	// Tube is the tube that the operation has named, or that of the job that it has found,
	// for whoever tells people about the command. A put may be told the tube: the one in use
	// otherwise.
	Tube string

	Ask  *Ask  // Service
	Tick *Tick // PutTick, NoteTick: the schedule whose tick it is; Tube is its tube

	// Options are what else a put says, or a reserve of any kind, Offer, Claim and Wait included; of a release only the
	// delay counts, and of a touch the TTR; or nil. They are the submitter's, who leaves them alone until the operation
	// is answered.
	Options *Options
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

// Jobs is how many there are.
func (t *TubeInfo) Jobs() int { return t.Ready + t.Reserved + t.Delayed + t.Buried }

// Sums are counts over all tubes of a shard.
type Sums struct {
	Urgent, Ready, Reserved, Delayed, Buried int
	Damaged                                  int // of the buried
	Timeouts, Total                          uint64
	Tubes                                    int // 0 unless there is an Authorizer
}

// Add adds the counts of another shard.
func (s *Sums) Add(o *Sums) {
	s.Urgent += o.Urgent
	s.Ready += o.Ready
	s.Reserved += o.Reserved
	s.Delayed += o.Delayed
	s.Buried += o.Buried
	s.Damaged += o.Damaged
	s.Timeouts += o.Timeouts
	s.Total += o.Total
	s.Tubes += o.Tubes
}
