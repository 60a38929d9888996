package storage

import (
	"fmt"
	"time"

	"beanfield/storage/tally"
)

// JobState says which place a job has, as far as a log is concerned: a reserved
// job is a ready one there, because a restart gives it back.
type JobState uint8

// The places in which a log can know a job. A job is Passed if the first group of its
// queue is done with it, and a view is not. A Spent record is no job: it has an id of its own, no body, and
// a deadline at which it is deleted.
const (
	Ready JobState = iota + 1
	Delayed
	Buried
	Passed
	Spent // the job has ended, and only what its put has taken is still to be known (Item.Keys)
)

// String is the protocol's word.
func (s JobState) String() string {
	switch s {
	case Ready:
		return "ready"
	case Delayed:
		return "delayed"
	case Buried:
		return "buried"
	case Passed:
		return "passed"
	case Spent:
		return "spent"
	}
	return fmt.Sprintf("state %d", uint8(s))
}

// Counters are how often what has been done to a job.
type Counters struct {
	Reserves uint32 `json:"reserves"`
	Timeouts uint32 `json:"timeouts"`
	Releases uint32 `json:"releases"`
	Buries   uint32 `json:"buries"`
	Kicks    uint32 `json:"kicks"`
}

// Job is all that a log keeps of a job, apart from its body. Times are wall
// clock, in nanoseconds since 1970, because they must outlive the process.
type Job struct {
	ID       uint64
	Tube     string
	State    JobState
	Pri      uint32
	Delay    uint32 // seconds, as last given by put or release
	TTR      uint32 // seconds
	Size     uint32 // bytes of the body
	Created  int64
	Deadline int64  // when a delayed job becomes ready; 0 in other states
	BuryRank uint64 // buried jobs replay in this order; 0 in other states
	Counters

	// Item is what the queue service adds; nil for a job to which it added nothing.
	Item *Item

	// Updated says that Update has been called for this job, in this run or an
	// earlier one. Replay sets it, the shard sets it with its first Update, and
	// Delete needs it: it tells whether there is a second record to remove.
	Updated bool

	// Damaged is set by Replay if the body cannot be read, and missing.
	Damaged bool
}

// Ack is told, once, how a commit ended, by the goroutine that did the log's work,
// perhaps before the call of Commit that it was given to has returned. No later turn is
// acknowledged until it returns, so it must not wait for one.
type Ack interface{ Committed(err error) }

// LargeBody is the size, in bytes, above which a body must be staged before its job is
// put. It is part of the format of logs that keep large bodies apart: a delete looks
// at a job's size to know where the body is.
const LargeBody = 1 << 20

// Log is what one shard writes. All methods but Body and Stats are called by
// the goroutine that has taken the shard, so one at a time.
//
// Put, Update, Delete, PutQueue and DeleteQueue add records to the open batch and cannot
// fail: a shard asks for room first, and Commit reports all other errors. None of them
// waits for the disk.
type Log interface {
	// Room says whether a job of n bytes may be put. It is cheap: it is asked
	// before every put.
	Room(n int) bool
	// RoomToUpdate says whether a job may be released or buried. There is room
	// for that long after there is none for a put: a worker can give its job back.
	RoomToUpdate() bool
	// Stage writes the body of a job that is yet to be put, apart from the records, so
	// that no commit waits for it. A body of more than LargeBody bytes must
	// be staged, and its job may be put when ack has been told, without an error,
	// that it is on the disk. With an error nothing of it is left; ErrNoSpace says
	// that the disk had no room. ack is told from a goroutine of the log's own. The
	// body belongs to the log: nobody may ever change it.
	// A job that has come from another shard is staged by its key.
	Stage(key uint64, body [][]byte, ack Ack)
	// Put records a new job. The body is the concatenation of the parts; there are
	// none for one that has been staged. Nothing is kept after the call. A key
	// (Job.Key) is put once, ever.
	Put(j *Job, body ...[]byte)
	// Update records a job's new state, priority, delay and counters, and what Item has
	// besides the tags. The body, the tags and the time of creation stay as they were put, so
	// does the tube, unless Item says that the job was Moved, and so does the TTR, unless Route says that it is Timed.
	Update(j *Job)
	// Delete records the end of a job. Of j it reads only its key, Size, Updated, whether
	// it is Spent, and otherwise the lengths of Tube and Item.Tags.
	Delete(j *Job)
	// Quarantine is an Update of a job that has been buried because its body cannot
	// be read. The operator is told, once for each job.
	Quarantine(j *Job)
	// PutQueue records what a queue is like, in place of what was recorded of it before.
	// The log keeps no part of q after the call.
	PutQueue(q *Queue)
	// DeleteQueue removes what was recorded of a queue. Its jobs stay.
	DeleteQueue(tube string)
	// Commit closes the open batch. It reports true when nothing is left to
	// wait for: the batch, and every one before it, is as durable as the
	// store's sync mode promises. Otherwise ack is called when it is, in the
	// order of the commits; a turn that wrote nothing still waits for the
	// turns before it, whose effects it may have seen.
	Commit(ack Ack) bool
	// Body reads a body back, appended to dst. It may be called from any
	// goroutine, also while the owner writes. A job that was put in a turn
	// which has not been committed yet may not be found. ErrNoBody and ErrUnreadable
	// concern this job alone; with any other error the log has failed. Of two copies that it has of a job,
	// it reads the newer one.
	Body(id uint64, dst []byte) ([]byte, error)
	// Replay calls fn for every job in the log, and for each copy of a job of which it has two: first for
	// those that are not buried, in the order of their keys, then for the buried ones, in the order of their ranks. It
	// is called before anything is written, and again whenever the shard's state is built
	// anew: then no turn may be under way. Job and body are valid only during the call.
	Replay(fn func(j *Job, body []byte) error) error
	// ReplayQueues calls fn for every queue in the log, in the order of their names. It
	// is called before Replay, each time. The queue is the caller's.
	ReplayQueues(fn func(q *Queue) error) error
	// MaxID is the highest id that the log recorded before it was opened, so
	// that no id is used twice, not even that of a job long deleted. After a
	// change of the number of shards only the highest of all logs is exact.
	MaxID() uint64
	// Stats reports what the log holds, for the keys of stats. It may be
	// called from any goroutine.
	Stats() LogStats
}

// Pusher is a log that can do its work in a goroutine that would otherwise only wait
// for it, which saves two changes of goroutine.
type Pusher interface {
	// CommitLater is Commit, but need not wake the log's goroutine: the caller calls
	// Push soon.
	CommitLater(ack Ack) bool
	// Push starts committing the turns that CommitLater left. With here set, the
	// caller's goroutine may do it, unless another one is doing it: Push then waits for
	// the disk, and never returns if the log fails meanwhile. Any goroutine may call it,
	// at any time, except one that has taken the shard.
	Push(here bool)
}

// LogStats are figures of one log.
type LogStats struct {
	Written uint64 // records since start
	Syncs   uint64 // commits and timed syncs that reached the disk since start
	Live    uint64 // bytes of the jobs that the log holds
	Bytes   uint64 // on disk, as last measured
	Full    bool   // there is no room for a put
	Err     error  // what made the log stop accepting, if anything did
}

// Measured is a log that knows more about itself than Stats says.
type Measured interface {
	// Figures may be called from any goroutine, and does not wait.
	Figures() LogFigures
}

// LogFigures are figures of one log since its start, for the metrics.
type LogFigures struct {
	Commits tally.Reading // how long it took to apply a group of turns, in steps of tally.Time
	Groups  tally.Reading // how many turns a group had, in steps of tally.Number
	Stalls  uint64        // times when writes had to wait for compactions, or for room in the log
	Stalled time.Duration // how long these lasted together
	Debt    uint64        // bytes that compactions have before them, as last measured
	Garbage uint64        // bytes that have died since the last full compaction, about
	Filled  float64       // how full the log is with turns that the tables do not have yet; 1 is full
}

// Store is a set of logs, one for each shard, opened and closed together.
type Store interface {
	// Open returns n logs. A store that was written with another number of shards, or
	// with another rule for a tube's shard, moves its jobs first: shardOf tells which
	// log a tube belongs to. If shardOf is nil, nothing is moved, and n must be the number
	// of shards that the store has.
	Open(n int, shardOf func(tube string) int) ([]Log, error)
	// Durable says whether jobs outlive the process.
	Durable() bool
	// Close syncs and closes all logs. Nothing may be in use any more.
	Close() error
}

// Moving is a store that still changes while a router is made ready on it: another machine owns the
// shards, and this one may take them over at any time.
type Moving interface {
	Store
	// Amend calls fn for each job of a shard, by its key, that may have changed since the last call, or since
	// Open: with its newest state, or with nil if there is no such job any more. Both are valid only
	// during the call. Buried jobs come last, in the order of their ranks. Before them it calls queue for what is
	// kept of tubes and has changed, nil if nothing is any more. If ok is not set, too much has changed, or
	// queue has returned false: the router must be made anew.
	Amend(shard int, queue func(tube string, q *Queue) bool, fn func(key uint64, j *Job, body []byte)) (ok bool,
		err error)
	// Settled ends the changes: from here on the logs are the router's, and MaxID is exact.
	Settled() error
}

// Securer is a log that may acknowledge a turn before a crash would spare it.
type Securer interface {
	// Secure waits until everything that was committed is as safe as it will ever be: synced, or, if the mode is
	// Never, in the hands of the operating system. Any goroutine may call it, except one that has taken the shard.
	Secure() error
}

// Checkpointer is a store that can be copied while it runs.
type Checkpointer interface {
	// Checkpoint writes to dir, which must not exist, a data directory with
	// everything that was acknowledged before the call.
	Checkpoint(dir string) error
}
