package queue

import (
	"slices"

	"beanfield/shard/queue/cells"
	"beanfield/storage"
)

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
	List // Batch.List
	PutAll
	Quarantine
	PutTick  // of a schedule: Options.Tick
	NoteTick // likewise
	KeepPolicies
	Load     // these are for jobs that go to another shard: move_leaving.go
	Arrive   // Op.From is its place in Batch.Parcels
	Depart   // Op.ID is the key of the copy, as in those that follow
	Show     //
	ComeHome // Op.Why says why
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
	TooLong // the queue is full; Arrive: the tube is
	Ended   // the queue has ended, and takes no more items
	Exists  // put: the key is taken, by the job that ID names; 0 if that is another one of a PutAll
)

// Op is one operation and, afterwards, its answer.
type Op struct {
	Kind    Kind
	Status  Status
	phase   uint8  // kick: which jobs; truncate: how it finds them; peek, reserve: how often given back; put: its body
	States  States // Truncate: of the jobs that it ends
	Why     Status // ComeHome: how the job's Arrive has ended; Failed: its body cannot be read
	Poll    bool   // Reserve, ReserveSeveral: do not wait
	Partial bool   // OfferSeveral, the answer: there may be more
	Unheld  bool   // Delete, the answer: nobody held the job

	Pri     uint32
	Delay   uint32 // seconds; also the length of a pause
	TTR     uint32 // seconds
	Timeout uint32 // Reserve: seconds, for the owner of the wait; the queue does not use it
	Size    uint32 // of the body: the put's, or in the answer that of the job, or of all jobs taken
	Limit   uint32 // how many jobs at most; PutAll: how many puts behind it
	Count   uint32 // the answer: how many jobs were kicked, ended, put, taken or offered, or done otherwise with
	// From is where in a list of the batch the answer begins: in Bytes (Batch.Small), Jobs, Tubes or Taken; and which
	// of Parcels an Arrive is about.
	From uint32

	ID  uint64 // put: 0 for one that the directory is to allot
	Tag uint64 // Offer, the answer: that of the job in a fair scheduler

	// Data is a tube's name or a small body, Parts a large body, or the body that is the
	// answer. Data is borrowed until the operation is applied, and nil from then on (B1);
	// parts of a put are taken over.
	Data  []byte
	Parts [][]byte

	// Tube is the tube that the operation has named, or that of the job that it has found,
	// for whoever tells people about the command. A put may be told the tube: the one in use
	// otherwise.
	Tube string

	Ask *Ask // Service

	// Options are what else a put says, or a reserve of any kind, Offer, Claim and Wait included; of a release only the
	// delay counts, and of a touch the TTR; or nil. They are the submitter's, who leaves them alone until the operation
	// is answered.
	Options *Options

	// Several is for DeleteSeveral and its like, and ClaimSeveral; likewise the submitter's. For others the queue makes
	// one, if they take several turns.
	Several *Several
}

// Several is what an operation on many jobs says of them, and what beside Op.Count there is to answer.
type Several struct {
	IDs []uint64 // DeleteSeveral and its like: the jobs

	// ClaimSeveral: the worst job that it may take, and how many bytes of bodies at most.
	ID, Tag uint64
	Pri     uint32
	Room    uint32

	// Answers.
	Refused int // jobs that the client has no right on; AlterSeveral: for which there was no room
	Apart   int // of those deleted how many nobody held, of those moved how many leave for another shard

	last uint64 // Truncate: the highest id that it ends
	at   uint64 // where to go on
}

// several is where an operation notes how far it has come.
func (op *Op) several() *Several {
	if op.Several == nil {
		op.Several = new(Several)
	}
	return op.Several
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
	storage.Counters
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

// Take gives a put a copy of a body that others keep.
func (op *Op) Take(body []byte) {
	if op.Size = uint32(len(body)); len(body) > cells.SmallMost {
		op.Parts = [][]byte{slices.Clone(body)}
	} else {
		op.Data = body
	}
}
