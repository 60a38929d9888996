package queue

import (
	"errors"
	"unsafe"

	"beanfield/shard/queue/policy"
	"beanfield/storage"
)

// maxVolume is how many bytes of bodies a batch may gather before it is given
// back: a client that asks for many large jobs at once gets them in portions.
const maxVolume = 256 << 10

// Batch is a run of operations of one client on one shard, applied in order.
// It comes back complete, or stopped at a wait, at a body that had to be read
// from the log, or because its answers have grown large. Next says how far it has
// come, and the rest can be submitted again. It may have made no progress: a peek
// whose job was deleted while its body was read must be submitted once more.
type Batch struct {
	Client     *Client    // may be nil for operations that need none
	Ops        []Op       // of the submitter, like what they point to (B1, B2)
	Authorizer Authorizer // nil if the client may do everything
	List       *Listing
	Alter      *Altering
	Next       int // the first operation not yet applied

	FairScheduler *policy.FairScheduler // of the tubes that the client reserves from; nil if none has a weight
	Ticket        uint64                // of the wait that a Wait begins, or a Withdraw ends

	// Answers.
	Bytes   []byte
	Jobs    []JobInfo
	Tubes   []TubeInfo
	Taken   []Taken
	Parcels []Parcel // also of Arrive
	Sums    Sums
	Soonest int64 // the client's first deadline in this shard afterwards, or 0

	// Done is told when a batch that was not completed at once is complete.
	Done interface{ Complete(*Batch) }

	// Began is when the first operation of this run was applied, and Ended when what was
	// applied was given to the log; 0 if there is none. They are times of the shard's clock.
	// Whoever submits the batch sets both to 0 before.
	Began, Ended int64

	// Link is for lists of batches that are still to be run.
	Link *Batch

	// Later says that the submitter pushes the log, once Submit has reported false.
	Later bool

	lacking  bool // the last answer is still without its body (Lacking)
	retained bool
	volume   int    // bytes of bodies in the answers of this run
	own      []byte // what Retain has copied (B2)
}

// Small is the body that answers an operation, unless it is in the operation's Parts.
func (b *Batch) Small(op *Op) []byte {
	if op.Parts != nil {
		return nil
	}
	return b.Bytes[op.From : op.From+op.Size]
}

// TakenBy are the jobs that an operation has taken, or been offered.
func (b *Batch) TakenBy(op *Op) []Taken { return b.Taken[op.From : op.From+op.Count] }

// heavy is the cost from which on an operation interrupts its batch, if the share of
// the turn is used up.
const heavy = 64

// Run applies what is left of b until its end, a wait, too large an answer, or an
// answer that lacks its body. It returns false if b must be run again in a later
// turn: the operation at b.Next has ended with More or Staging, or has not been
// applied because those before it took too much work.
func (s *State) Run(now int64, b *Batch) bool {
	s.ensure()
	if s.extra != nil && len(b.Ops) > b.Next+1 {
		s.foresee(b.Ops[b.Next:])
	}
	for b.Next < len(b.Ops) {
		op := &b.Ops[b.Next]
		share := s.share
		s.Apply(now, b, op)
		if op.Status == More || op.Status == Staging {
			return false
		}
		op.letGo()
		b.Next++
		if op.Status == Waiting || b.volume > maxVolume || b.lacking {
			break // with a body lacking, because the next operation may delete it
		}
		if s.spent() && share-s.share > heavy && b.Next < len(b.Ops) {
			return false
		}
	}
	b.volume = 0
	return true
}

// letGo forgets what the operation has borrowed, when it has been applied (B1). The parts of
// other operations than puts are answers.
func (op *Op) letGo() {
	if op.Data != nil {
		op.Data = nil
	}
	if op.Parts != nil && (op.Kind == Put || op.Kind == PutTick || op.Kind == Arrive || op.Kind == Service) {
		op.Parts = nil
	}
}

// Fail turns the answers of a batch into failures, which lack no bodies.
func (b *Batch) Fail() {
	b.lacking = false
	for i := range b.Ops[:b.Next] {
		b.Ops[i].Status = Failed
	}
}

// Reset empties the batch for reuse and keeps its memory.
func (b *Batch) Reset() {
	clear(b.Ops)
	clear(b.Jobs)
	clear(b.Tubes)
	clear(b.Taken)
	clear(b.Parcels)
	*b = Batch{Ops: b.Ops[:0], Bytes: b.Bytes[:0], Jobs: b.Jobs[:0], Tubes: b.Tubes[:0], Taken: b.Taken[:0],
		Parcels: b.Parcels[:0], own: b.own[:0]}
}

// Memory is how many bytes a batch keeps for its next operations and their answers.
func (b *Batch) Memory() int {
	return cap(b.Bytes) + cap(b.own) + bytesOf(b.Ops) + bytesOf(b.Jobs) + bytesOf(b.Tubes) + bytesOf(b.Taken) + bytesOf(
		b.Parcels)
}

// bytesOf is what a slice keeps.
func bytesOf[T any](s []T) int {
	var one T
	return cap(s) * int(unsafe.Sizeof(one))
}

// Retain copies what the batch has borrowed and not yet let go, because it is about to
// outlive the buffers that its operations point into (B2).
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

// Authorizer says whether the client of a batch may do an operation on the jobs of a tube. The
// batch has one only if there are rules about that. The queue asks it about operations that
// name a job, because only the queue knows the job's tube; whoever submits the batch decides
// about the others. It does not ask about jobs that the client holds: reserving a job
// includes finishing it. An Authorizer answers fast and changes nothing.
type Authorizer func(k Kind, tube string) bool

// allows asks the batch's authorizer about a job.
func (s *State) allows(b *Batch, op *Op, slot uint32) bool {
	return s.holds(b.Client, slot) || b.Authorizer(op.Kind, s.tubeFor(slot).name)
}

// countTotals adds up all tubes, or those that the authorizer allows, in steps. Tubes that change meanwhile may be
// counted as they were or as they are.
func (s *State) countTotals(b *Batch, op *Op) Status {
	if b.Authorizer == nil {
		b.Sums = s.totals
		return OK
	}
	v := op.several()
	for v.at = max(v.at, 1); v.at < uint64(s.tubeAt.N); v.at++ {
		if !s.step(summing) {
			return More
		}
		t := s.tubeAt.Get(uint32(v.at))
		if t == nil || t.gone || !b.Authorizer(Totals, t.name) {
			continue
		}
		t.addTo(&b.Sums)
		b.Sums.Total += t.total
		b.Sums.Tubes++
	}
	return OK
}

// addTo adds what the tube counts.
func (t *tube) addTo(sums *Sums) {
	sums.Urgent += t.urgent
	sums.Ready += int(t.ready.N)
	sums.Reserved += t.reserved
	sums.Delayed += int(t.delayed.N)
	sums.Buried += t.buried.N
}

// A backlog may be larger than memory. With a log that gives bodies back,
// those that the budget has no room for are kept there only: the job's record
// says that its body is away, and a batch stops after the answer that lacks
// it. The goroutine that runs the queue has the body read and calls Supply before the
// answer leaves. The queue itself never waits for the disk.

// overBudget says that there is no room in memory for one more body.
func (s *State) overBudget(size uint32) bool {
	return s.Budget > 0 && size > 0 && s.inside+int64(size) > s.Budget
}

// keepBody stores a new job's body in memory, or leaves it away, as overBudget has said.
func (s *State) keepBody(slot uint32, away bool, data []byte, parts [][]byte) {
	j := s.job(slot)
	if away {
		j.place |= flagAway
		s.outside += int64(j.size)
		return
	}
	s.inside += int64(j.size)
	j.body = s.bodies.Add(data, parts, int(j.size))
}

func (s *State) dropBody(j *job) {
	if j.away() {
		s.outside -= int64(j.size)
		return
	}
	s.inside -= int64(j.size)
	s.bodies.Drop(j.body, j.size)
}

// fetchTries bounds how often a peek is repeated.
const fetchTries = 100

// Lacking says that the last answer still lacks bodies. Run has stopped after it.
func (b *Batch) Lacking() bool { return b.lacking }

// Reader reads a job's body from the log.
type Reader func(id uint64, size uint32) ([]byte, error)

// Supply completes the answer that lacks bodies. It returns the jobs to be quarantined, because nobody can read
// theirs; the caller must do that before the batch goes on.
func (b *Batch) Supply(read Reader) (damaged []uint64) {
	op := &b.Ops[b.Next-1]
	b.lacking = false
	switch op.Kind {
	case List:
		return b.supplyListed(read)
	case Service:
		return b.supplyGet(op, read)
	}
	body, err := read(op.ID, op.Size)
	if err == nil {
		op.Parts = [][]byte{body}
	} else if b.unread(op, err) {
		damaged = []uint64{op.ID}
	}
	return damaged
}

// unread deals with an answer whose body could not be read, and says whether the job is to be quarantined.
//
// There are three reasons. A job that was only peeked
// at may have been deleted meanwhile: then the operation is given back as not yet
// applied. Applied again it shows the next job of its kind, or finds none; and that
// answer waits for the commit of the delete, which a reader of the log sees sooner
// (L1). If the body is unreadable, or lost while a client holds the job, the job is
// quarantined: a reserve, or a peek without an id, is given back too, and finds the
// next job. Otherwise the log has failed, and so has the operation.
func (b *Batch) unread(op *Op, err error) (quarantine bool) {
	gone := errors.Is(err, storage.ErrNoBody)
	quarantine = errors.Is(err, storage.ErrUnreadable)
	again := false
	switch op.Kind {
	case Peek, PeekBuried:
		again = gone
	case PeekReady, PeekDelayed:
		again = gone || quarantine
	case Reserve, Claim, ReserveSeveral, ClaimSeveral:
		quarantine = quarantine || gone
		again = quarantine
	default: // ReserveJob
		quarantine = quarantine || gone
	}
	switch {
	case !again || op.phase >= fetchTries:
		op.Status = Failed
	case op.Kind == Claim, op.Kind == ClaimSeveral:
		op.Status = Empty // then others are asked too
	default:
		op.Count = 0
		op.phase++
		b.Next--
	}
	return quarantine
}

// A body that is away may turn out to be unreadable: a sector is bad, or a
// checksum is wrong. That must not stop the other jobs. The goroutine that runs the
// queue applies Quarantine, and the job is buried: out of the workers' way, visible to
// clients that look for buried jobs, counted as damaged until it is no longer buried,
// and deletable. A kick makes workers try it again.
//
// The log keeps it as a buried job; the damage is found again whenever the body is
// read.

// quarantine buries a job of which a client was to get the body. One that another
// client holds is left alone: that client may have the body.
func (s *State) quarantine(b *Batch, op *Op) Status { return s.setAside(b.Client, op.ID) }

func (s *State) setAside(c *Client, id uint64) Status {
	slot := s.jobNamed(id)
	if slot == 0 || s.quarantined[slot] {
		return NotFound
	}
	state := s.job(slot).state()
	if state == Reserved && !s.holds(c, slot) {
		return NotFound
	}
	if state != Buried { // one that is keeps its place
		s.unplace(slot)
		s.makeBuried(slot)
		s.seen(slot)
	}
	s.markQuarantined(slot)
	s.logQuarantine(slot)
	return OK
}

// buryDamaged buries a job, which is in no place, because its body cannot be read.
func (s *State) buryDamaged(slot uint32) {
	s.makeBuried(slot)
	s.markQuarantined(slot)
	s.logQuarantine(slot)
}

func (s *State) markQuarantined(slot uint32) {
	s.quarantined[slot] = true
	s.totals.Damaged++
}
